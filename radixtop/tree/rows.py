"""What passes between the tree on screen and the thread that owns the mirror: a request, and rows.

The mirror belongs to the thread that ticks; a screen asks for a window of rows and gets frozen ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

Order = Literal["tokens", "hits", "recent"]
ORDERS: tuple[Order, ...] = ("tokens", "hits", "recent")
"""Siblings by the tokens at and below them, by their own hits, or by when they were last used; most first."""


DEEPEST = 64
"""The most levels that are open without being opened one by one."""


@dataclass(frozen=True, slots=True)
class TreeRequest:
    """Which rows a screen wants.

    A node is open when its id is in `opened`, or when it lies above the level `depth` and its id is not in `closed`:
    at 3, the first two levels are open. With a `pattern`, only nodes that match it and the ways to them are rows, all
    open. `cursor` is the node whose row is wanted, -1 for none.
    """

    answerer: ClassVar[str] = "radixtop.tree.answers:TreeRows"

    first: int = 0
    count: int = 0
    depth: int = 3
    opened: frozenset[int] = frozenset()
    closed: frozenset[int] = frozenset()
    pattern: str = ""
    order: Order = "tokens"
    cursor: int = -1

    def shape(self) -> tuple[object, ...]:
        """Return what decides which nodes are rows and in which order; the rest only picks a window of them."""
        return (self.depth, self.opened, self.closed, self.pattern, self.order)

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

    def next_order(self) -> TreeRequest:
        """Return the request with siblings ordered by the next figure."""
        return replace(self, order=ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)])


class TreeRow(NamedTuple):
    """One node as a row.

    `guides` has a bit per level down to the row's own, set where a later sibling follows on that level. A row that
    `is_gone` stands for a node that was removed since the rows were laid out.
    """

    node: int
    level: int
    guides: int
    is_open: bool
    children: int
    label: str
    tokens: int
    subtree_tokens: int
    hits: int
    hit_tokens: int
    recomputed_tokens: int
    locks: int
    live: int
    copied: int
    created_at: int
    touched_at: int
    is_gone: bool = False
    is_match: bool = False


class TreePage(NamedTuple):
    """A window of rows: `rows[0]` is row `first` of `total`; `cursor_row` is -1 when node `cursor` is no row.

    `nodes` and `tokens` count the whole mirror. `shape` repeats the request's, so that a late page can be told from
    a current one. `behind_ns` is how long ago the rows were laid out, 0 while the tree is still the same.
    """

    first: int
    total: int
    rows: tuple[TreeRow, ...]
    cursor: int
    cursor_row: int
    nodes: int
    tokens: int
    shape: tuple[object, ...]
    behind_ns: int = 0


@dataclass(frozen=True, slots=True)
class NodeQuestion:
    """Everything about one node is wanted."""

    answerer: ClassVar[str] = "radixtop.tree.answers:Nodes"
    node: int


class WayStep(NamedTuple):
    """One node on the way from the root to another."""

    node: int
    start: int
    tokens: int
    live: int
    copied: int
    label: str


class Child(NamedTuple):
    """One child of a node, as its detail lists it."""

    node: int
    tokens: int
    subtree_tokens: int
    hits: int
    live: int
    copied: int
    label: str


class NodeDetail(NamedTuple):
    """Everything about one node; `way` ends at the node itself, `children` are the heaviest of `child_count`."""

    node: int
    label: str
    start: int
    tokens: int
    subtree_tokens: int
    content_key: int
    namespace: str
    live: int
    copied: int
    hits: int
    hit_tokens: int
    recomputed_tokens: int
    hit_count: int
    priority: int
    locks: int
    anchored: int
    created_at: int
    touched_at: int
    segments: tuple[tuple[int, str], ...]
    way: tuple[WayStep, ...]
    children: tuple[Child, ...]
    child_count: int


class NodeAnswer(NamedTuple):
    """Everything about a node; `detail` is None when the tree does not have it."""

    node: int
    detail: NodeDetail | None
