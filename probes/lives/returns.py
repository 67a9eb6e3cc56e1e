"""What was evicted and came back soon, found again by its content key.

    evicted        [----- b -----)[--- c ---)         entries b and c, c knows that b is above it
    comes back  [-- a --)[------ c' --------)         one node with the key of c: c, and b above it, are back

A node that comes back may end where no evicted node ended. Then the deepest key inside it that was inside an evicted
node says how far it goes the same way; what lies between that and the next key counts as not come back. So does
whatever ends within no key, where the cache tells none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple, Protocol

from cache_core.events import NodeMarked
from probes.lives.lives import components_of
from probes.mirroring.node import MirrorNode

MOST_FOLLOWED = 1 << 18
"""How many evicted nodes are followed at once unless told, at about 250 bytes each; the oldest are given up."""

MARKS_A_NODE = 4
"""How many content keys inside nodes are remembered for each node that may be followed."""

_SPARE = 8
"""When there are too many, an eighth more is given up."""

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

    __slots__ = (
        "_due_at",
        "_gone",
        "_inside",
        "_inside_before",
        "_most",
        "_most_inside",
        "_turned_at",
        "_within_ns",
        "unfollowed_tokens",
    )

    def __init__(self, within_ns: int, most: int | None = None) -> None:
        self._within_ns = within_ns
        self._most = MOST_FOLLOWED if most is None else most
        self._gone: dict[int, Gone] = {}
        self._inside: dict[int, int] = {}  # by a key inside what left, the key of its end
        self._inside_before: dict[int, int] = {}  # what was noted before the last turn
        self._most_inside = MARKS_A_NODE * self._most // 2
        self._turned_at = 0
        self._due_at = 0
        self.unfollowed_tokens = 0
        """Of what had to be given up before its time was over, of each component."""

    def __len__(self) -> int:
        """Return how many nodes are followed."""
        return len(self._gone)

    @property
    def inner_keys(self) -> int:
        """How many keys inside what left are remembered."""
        return len(self._inside) + len(self._inside_before)

    def left(self, node: MirrorNode, live: int, at: int, inside: Sequence[int] = ()) -> None:
        """Note that the data of the components with a bit in `live` left a node with some content keys inside it."""
        gone, key, start = self._gone, node.content_key, node.start
        before = gone.pop(key, None)  # so that entries stand in the order of their times
        if before is not None:
            before = _without(before, live)
        gone[key] = (at, start, start + node.length, node.parent_key, node.namespace, live, before)
        if inside:
            self._inside.update(zip(inside, repeat(key)))
        if at >= self._due_at or len(gone) > self._most or len(self._inside) > self._most_inside:
            self._expire(at)

    def came(self, stretch: Stretch, live: int, at: int, marks: NodeMarked | None = None) -> Sequence[Return]:
        """Note that data is there, and return what of it had left a short time ago, the end of the stretch first."""
        gone, start, key = self._gone, stretch.start, stretch.content_key
        if key in gone:
            return self._back((key, start, start + stretch.length), live, at, key)
        keys = () if marks is None or not gone else marks.content_keys
        known = (gone, self._inside, self._inside_before)
        if not keys or all(each.keys().isdisjoint(keys) for each in known):
            return ()  # as of most, which costs less to find than a look at each
        for place in range(len(keys) - 1, -1, -1):
            inner = keys[place]
            key = inner if inner in gone else self._end_behind(inner)
            if key in gone:
                assert marks is not None
                end = min(start + stretch.length, marks.first + place * marks.step)
                return self._back((key, start, end), live, at, inner)
        return ()

    def _end_behind(self, inner: int) -> int:
        """Return the key of the end of what had a key inside, 0 when nothing had."""
        key = self._inside.get(inner)
        return self._inside_before.get(inner, 0) if key is None else key

    def _back(self, found: tuple[int, int, int], live: int, at: int, end_key: int) -> list[Return]:
        """Return what of positions [start, end) is back, given the key of the entry that they end in or behind."""
        gone, (key, start, end) = self._gone, found
        back: list[Return] = []
        entry = gone.get(key)
        while entry is not None and start < entry[2] and entry[1] < entry[2]:
            if entry[1] < end:
                back += self._of_entry(entry, (start, end), live, at)
                rest = _without(entry, live) if entry[2] <= end else _behind(entry, live, end, end_key)
                if rest is None:
                    del gone[key]
                else:
                    gone[key] = rest
            above = gone.get(entry[3])
            if above is None or above[2] > entry[1]:
                break
            key, entry = entry[3], above
        return back

    def _of_entry(self, entry: Gone, span: tuple[int, int], live: int, at: int) -> Iterator[Return]:
        start, end = span
        for left_at, gone_start, gone_end, _, _, left, _ in _parts(entry):
            tokens = min(gone_end, end) - max(gone_start, start)
            if left & live and 0 <= at - left_at <= self._within_ns and tokens > 0:
                yield Return(at - left_at, tokens, left & live)

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
        self._inside.clear()
        self._inside_before.clear()

    def give_up(self) -> None:
        """Follow nothing of what left any more: whether it came back is not known."""
        self.unfollowed_tokens += sum(_tokens(part) for entry in self._gone.values() for part in _parts(entry))
        self.clear()

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
        if at - self._turned_at > self._within_ns or len(self._inside) > self._most_inside:
            self._turned_at = at
            self._inside_before, self._inside = self._inside, {}
        self._due_at = at + self._within_ns // 16
        excess = len(gone) - self._most
        if excess > 0:
            excess += self._most // _SPARE  # so that it is not the same again at once
        dropped: list[int] = []
        for key, entry in gone.items():
            is_over = at - entry[0] > self._within_ns
            if not is_over and len(dropped) >= excess:
                break
            if not is_over:
                self.unfollowed_tokens += sum(map(_tokens, _parts(entry)))
            dropped.append(key)
        for key in dropped:
            del gone[key]


def _tokens(entry: Gone) -> int:
    """Return the tokens that left, counted once for each component."""
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


def _behind(entry: Gone | None, live: int, position: int, key: int) -> Gone | None:
    """Return an entry of which some components are back up to a position with a key."""
    if entry is None:
        return None
    at, start, end, above, namespace, left, before = entry
    rest = _behind(before, live, position, key)
    if left & live:
        rest = (at, max(start, position), end, key, namespace, left & live, rest)
    return (at, start, end, above, namespace, left & ~live, rest) if left & ~live else rest


def _cut(entry: Gone | None, position: int, upper_key: int | None) -> Gone | None:
    """Return the lower part of an entry, which is below `upper_key`; the upper part when that is None."""
    if entry is None:
        return None
    at, start, end, above, namespace, live, before = entry
    rest = _cut(before, position, upper_key)
    if upper_key is None:
        return (at, start, min(end, position), above, namespace, live, rest)
    return (at, max(start, position), end, upper_key, namespace, live, rest)
