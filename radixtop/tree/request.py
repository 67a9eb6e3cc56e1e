"""Which rows a screen wants of the tree: the question that travels to the thread that owns the mirror."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

Order = Literal["subtree", "tokens", "hits", "hit_tokens", "recomputed", "locks", "idle", "age"]
ORDERS: tuple[Order, ...] = ("subtree", "hits", "idle", "age", "recomputed", "hit_tokens", "tokens", "locks")
"""What rows are sorted by; the most, the longest idle and the oldest come first."""

ORDERS_OF_USE: frozenset[Order] = frozenset({"hits", "hit_tokens", "recomputed", "locks", "idle"})
"""Those that only a source that tells of use can tell."""

Mode = Literal["tree", "big", "hot", "cold", "dead"]
MODES: tuple[Mode, ...] = ("tree", "big", "hot", "cold", "dead")
"""The tree itself, or a flat list of its biggest nodes, of those most reused, of those not used for `QUIET_NS`, or of
branches that nobody ever reused."""
OF_USE: frozenset[Mode] = frozenset({"hot", "cold", "dead"})
"""The lists that go by who uses what."""

ORDER_OF: Mapping[Mode, Order] = {
    "tree": "subtree",
    "big": "tokens",
    "hot": "hit_tokens",
    "cold": "tokens",
    "dead": "subtree",
}
"""What a mode is sorted by until somebody asks for something else."""

QUIET_NS = 60_000_000_000
"""From so long without use on a node is cold, and a branch that was never reused is dead."""

DEEPEST = 64
"""The most levels that are open without being opened one by one."""


@dataclass(frozen=True, slots=True)
class TreeRequest:
    """Which rows a screen wants.

    A node is open when its id is in `opened`, or when it lies above the level `depth` and its id is not in `closed`:
    at 3, the first two levels are open. With `joins`, an open node with one child shares its row. With a `pattern`,
    only nodes that match it (with a "!" before it: that do not) and the ways to them are rows, all open.

    `cursor` is the node whose row is wanted, -1 for none; with `seek` 1 or -1 that of the next match after it, or of
    the one before.
    """

    answerer: ClassVar[str] = "radixtop.tree.answerer:TreeRows"

    first: int = 0
    count: int = 0
    depth: int = 3
    opened: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()
    joins: bool = True
    pattern: str = ""
    mode: Mode = "tree"
    order: Order = "subtree"
    is_reversed: bool = False
    cursor: int = -1
    seek: int = 0

    def shape(self) -> tuple[object, ...]:
        """Return what decides which nodes are rows and in which order; the rest only picks a window of them."""
        how = (self.mode, self.order, self.is_reversed)
        return (self.depth, self.opened, self.closed, self.joins, self.pattern, *how)

    def with_open(self, node: int) -> TreeRequest:
        """Return the request with one node open, whatever its depth."""
        return replace(self, opened=self.opened | {node}, closed=self.closed - {node})

    def with_closed(self, node: int) -> TreeRequest:
        """Return the request with one node closed, whatever its depth."""
        return replace(self, opened=self.opened - {node}, closed=self.closed | {node})

    def deeper(self, levels: int) -> TreeRequest:
        """Return the request with so many levels more open; what was opened and closed by hand is forgotten."""
        depth = min(DEEPEST, max(1, self.depth + levels))
        return replace(self, depth=depth, opened=frozenset(), closed=frozenset())

    def filtered(self, pattern: str) -> TreeRequest:
        """Return the request for the nodes that match; "" for all."""
        return replace(self, pattern=pattern, opened=frozenset(), closed=frozenset())

    def sorted_by(self, order: Order) -> TreeRequest:
        """Return the request in that order; in the reverse of it when rows have it already."""
        return replace(self, order=order, is_reversed=order == self.order and not self.is_reversed)

    def next_order(self, tells_use: bool = True) -> TreeRequest:
        """Return the request sorted by the next figure, one that is told."""
        place = ORDERS.index(self.order) + 1
        later = (*ORDERS[place:], *ORDERS[:place])
        order = next(each for each in later if tells_use or each not in ORDERS_OF_USE)
        return replace(self, order=order, is_reversed=False)

    def in_mode(self, mode: Mode) -> TreeRequest:
        """Return the request for another list, in the order that suits it."""
        return replace(self, mode=mode, order=ORDER_OF[mode], is_reversed=False)

    def next_mode(self) -> TreeRequest:
        """Return the request for the next list."""
        return self.in_mode(MODES[(MODES.index(self.mode) + 1) % len(MODES)])
