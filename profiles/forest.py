"""The forest: what a run amounts to, one frame per stretch of tokens, with what each stretch weighs.

A radix tree is a flame graph: a node is a frame, the path to it is the stack, its tokens are its own weight and
the subtree's its total. Nothing is sampled, so the picture is exact. Frames go by content key, so that neither
ids nor the order of splits and evictions shows in them; a namespace is a frame of its own above its nodes, and so
are the operations that took time.

A million frames are columns, not objects. They stand in depth-first order, so a subtree is a range of places, and
each weight is kept as running sums: what lies in a range is a difference of two.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, overload

if TYPE_CHECKING:
    from profiles.columns import Column

WEIGHTS = {
    "tokens": "resident tokens",
    "bytes": "resident KV bytes",
    "hits": "hit tokens",
    "recomputed": "recomputed tokens",
    "evicted": "evicted tokens",
    "tombstoned": "tombstoned tokens",
    "saved_ns": "saved prefill time",
    "time_ns": "time in operations",
}
"""What frames weigh, and how it is called: on the device at the end, in tokens and bytes; served from the cache to
requests; known but computed again because some component had lost them; lost to evictions, as often as that
happened; on the device at the end without their window; prefill that hits made unnecessary; spent in the cache."""

UNITS = dict.fromkeys(WEIGHTS, "count") | {
    "bytes": "bytes",
    "saved_ns": "nanoseconds",
    "time_ns": "nanoseconds",
}
"""What a weight is counted in: "count", "bytes" or "nanoseconds"."""

Kind = Literal["content", "namespace", "operation", "elsewhere", "folded"]

TOP = -1
"""The parent of frames that have none."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Tokens [start, end) of every key that begins like this one; what is no content has none.

    `parent` is the place of a frame before this one, or TOP. `segment` is the one that most of its tokens belong
    to. `lost` names the components whose data the frame lacks: some of a tombstone, all when it is no longer
    resident. `kind` says what it is a frame of: content, a namespace, an operation of the cache (or a phase of one),
    content that is not known (elsewhere), or many frames of content that are not told apart any more (folded).
    """

    parent: int
    key: int
    label: str
    segment: str
    start: int
    end: int
    resident: bool = True
    lost: tuple[str, ...] = ()
    kind: Kind = "content"


class Naming(Protocol):
    """What a forest calls its frames."""

    def frame(self, forest: Forest, place: int) -> Frame:
        """Return the frame at a place, made when it is asked for."""


@dataclass(frozen=True, slots=True)
class Forest:
    """Frames, depth first, and for each weight that is known its sums.

    The frames below the one at `place` are those at [place + 1, lasts[place]). `sums[weight][place]` is what all
    frames before `place` weigh, children not included. `ends` are 0 for frames without tokens. `folded` says how
    many frames that are not told apart any more are at a place. `captions` says how weights are called here.
    """

    parents: Column
    lasts: Column
    keys: Column
    ends: Column
    sums: Mapping[str, Column]
    naming: Naming
    title: str = ""
    folded: Mapping[int, int] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def frames(self) -> Sequence[Frame]:
        """The frames by place, each made when it is looked at."""
        return _Frames(self)

    @property
    def weights(self) -> Mapping[str, array[int]]:
        """For each weight that is known its value per frame, children not included; counted out when looked at."""
        return _Weights(self.sums)

    def caption(self, weight: str) -> str:
        """Return how a weight is called, such as "hit tokens"."""
        return self.captions.get(weight) or WEIGHTS[weight]

    def whole(self, weight: str) -> int:
        """Return the weight of all frames."""
        return int(self.sums[weight][-1])

    def totals(self, weight: str) -> array[int]:
        """Return the weight of each frame and everything below it."""
        sums = self.sums[weight]
        return array("q", (sums[self.lasts] - sums[:-1]).tobytes())

    def below(self, place: int) -> Iterator[int]:
        """Yield the places of the children of a frame, or of TOP."""
        child, last = place + 1, len(self) if place == TOP else int(self.lasts[place])
        while child < last:
            yield child
            child = int(self.lasts[child])


class _Frames(Sequence[Frame]):
    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def __len__(self) -> int:
        return len(self._forest)

    @overload
    def __getitem__(self, place: int) -> Frame: ...
    @overload
    def __getitem__(self, place: slice) -> list[Frame]: ...
    def __getitem__(self, place: int | slice) -> Frame | list[Frame]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        return self._forest.naming.frame(self._forest, range(len(self))[place])


class _Weights(Mapping[str, "array[int]"]):
    def __init__(self, sums: Mapping[str, Column]) -> None:
        self._sums = sums

    def __getitem__(self, weight: str) -> array[int]:
        sums = self._sums[weight]
        return array("q", (sums[1:] - sums[:-1]).tobytes())

    def __iter__(self) -> Iterator[str]:
        return iter(self._sums)

    def __len__(self) -> int:
        return len(self._sums)

    def __contains__(self, weight: object) -> bool:
        return weight in self._sums
