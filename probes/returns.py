"""What was evicted and came back soon, found again by its content key.

    evicted        [----- b -----)[--- c ---)         entries b and c, c knows that b is above it
    comes back  [-- a --)[------ c' --------)         one node with the key of c: c, and b above it, are back

Content that comes back in a node that ends where no evicted node ended has a key that nobody knows: such tokens count
as not come back, although their rest may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from probes.lives import components_of
from probes.mirror_node import MirrorNode

MOST_FOLLOWED = 1 << 19
"""How many evicted nodes are followed at once unless told, at about 250 bytes each; the oldest are given up."""

Gone = tuple[int, int, int, int, int, int, Any]
"""What left: when, its tokens [start, end), the key of what was above them, its namespace, a bit per component that
left, and the Gone, or None, of those that had left before. A plain tuple, which the garbage collector lets be."""


class Stretch(Protocol):
    """Tokens under their content key, as nodes have them and the records that state nodes."""

    @property
    def start(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def content_key(self) -> int: ...
    @property
    def namespace(self) -> int: ...


class Return(NamedTuple):
    """So many tokens of the components with a bit in `live` are back, so long after they left."""

    gap_ns: int
    tokens: int
    live: int


class Returns:
    """Follows the data of components that left for `within_ns`, at most `most` nodes. Keys name the content."""

    __slots__ = ("_due_at", "_gone", "_most", "_within_ns", "unfollowed_tokens")

    def __init__(self, within_ns: int, most: int | None = None) -> None:
        self._within_ns = within_ns
        self._most = MOST_FOLLOWED if most is None else most
        self._gone: dict[int, Gone] = {}
        self._due_at = 0
        self.unfollowed_tokens = 0
        """Of what had to be given up before its time was over, of each component."""

    def __len__(self) -> int:
        """Return how many nodes are followed."""
        return len(self._gone)

    def left(self, node: MirrorNode, live: int, at: int) -> None:
        """Note that the data of the components with a bit in `live` left a node."""
        gone, key, start = self._gone, node.content_key, node.start
        before = gone.pop(key, None)  # so that entries stand in the order of their times
        if before is not None:
            before = _without(before, live)
        above = node.parent
        above_key = 0 if above is None else above.content_key
        gone[key] = (at, start, start + node.length, above_key, node.namespace, live, before)
        if at >= self._due_at or len(gone) > self._most:
            self._expire(at)

    def came(self, stretch: Stretch, live: int, at: int) -> Sequence[Return]:
        """Note that data is there, and return what of it had left a short time ago, the end of the stretch first."""
        entry = self._gone.get(stretch.content_key)
        return () if entry is None else self._back(stretch, entry, live, at)

    def _back(self, stretch: Stretch, entry: Gone | None, live: int, at: int) -> list[Return]:
        gone, key = self._gone, stretch.content_key
        start, end = stretch.start, stretch.start + stretch.length
        back: list[Return] = []
        while entry is not None and entry[2] > start:
            for left_at, gone_start, gone_end, _, _, left, _ in _parts(entry):
                tokens = min(gone_end, end) - max(gone_start, start)
                if left & live and 0 <= at - left_at <= self._within_ns and tokens > 0:
                    back.append(Return(at - left_at, tokens, left & live))
            rest = _without(entry, live)
            if rest is None:
                del gone[key]
            else:
                gone[key] = rest
            key = entry[3]
            entry = gone.get(key)
        return back

    def split(self, lower_key: int, upper_key: int, position: int) -> None:
        """Note that a node was cut at a position that may lack its data: both parts do."""
        entry = self._gone.get(lower_key)
        if entry is not None and entry[1] < position < entry[2]:
            at, start, end, above, namespace, live, before = entry
            self._gone[lower_key] = (at, position, end, upper_key, namespace, live, _cut(before, position, upper_key))
            self._gone[upper_key] = (at, start, position, above, namespace, live, _cut(before, position, None))

    def clear(self) -> None:
        """Forget what left."""
        self._gone.clear()

    def undecided_tokens(self, now: int, component: int) -> Counter[int]:
        """Return, by namespace, how many tokens of a component left so late that they may come back in time."""
        tokens: Counter[int] = Counter()
        for entry in self._gone.values():
            for at, start, end, _, namespace, live, _ in _parts(entry):
                if live >> component & 1 and now - at < self._within_ns:
                    tokens[namespace] += end - start
        return tokens

    def _expire(self, at: int) -> None:
        """Drop what left too long ago, which need not be done each time, and the oldest of too many."""
        gone = self._gone
        self._due_at = at + self._within_ns // 16
        while gone:
            key = next(iter(gone))
            entry = gone[key]
            crowded = len(gone) > self._most
            if at - entry[0] <= self._within_ns and not crowded:
                return
            if crowded:
                self.unfollowed_tokens += sum(
                    (end - start) * len(components_of(live)) for _, start, end, _, _, live, _ in _parts(entry)
                )
            del gone[key]


def _tokens(entry: Gone) -> int:
    """Return the tokens that left, of all components."""
    return (entry[2] - entry[1]) * len(components_of(entry[5]))


def _parts(entry: Gone | None) -> Iterator[Gone]:
    """Yield what left at once, the newest first."""
    while entry is not None:
        yield entry
        entry = entry[6]


def _without(entry: Gone | None, live: int) -> Gone | None:
    """Return an entry without some components, None when nothing is left of it."""
    if entry is None:
        return None
    rest = None if entry[6] is None else _without(entry[6], live)
    left = entry[5] & ~live
    return (*entry[:5], left, rest) if left else rest


def _cut(entry: Gone | None, position: int, upper_key: int | None) -> Gone | None:
    """Return the lower part of an entry, which is below `upper_key`; the upper part when that is None."""
    if entry is None:
        return None
    at, start, end, above, namespace, live, before = entry
    rest = _cut(before, position, upper_key)
    if upper_key is None:
        return (at, start, min(end, position), above, namespace, live, rest)
    return (at, max(start, position), end, upper_key, namespace, live, rest)
