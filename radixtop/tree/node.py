"""What passes between whoever shows one node and the thread that owns the mirror: a question, and everything."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple


@dataclass(frozen=True, slots=True)
class NodeQuestion:
    """Everything about one node is wanted."""

    answerer: ClassVar[str] = "radixtop.tree.answerer:Nodes"
    node: int


class WayStep(NamedTuple):
    """One node on the way from the root to another."""

    node: int
    start: int
    tokens: int
    live: int
    copied: int
    locks: int
    label: str


class Run(NamedTuple):
    """Positions [start, end) of a path whose data is at the same places, held by as many locks."""

    start: int
    end: int
    live: int
    copied: int
    locks: int


class Child(NamedTuple):
    """One child of a node, as its detail lists it."""

    node: int
    tokens: int
    subtree_tokens: int
    hits: int | None
    live: int
    copied: int
    label: str


class NodeDetail(NamedTuple):
    """Everything about one node.

    `way` ends at the node itself and begins at the root unless that is too far; `way_count` nodes are on the whole of
    it, or that many at least. `runs` are the positions of these nodes. `children` are the heaviest of `child_count`.
    `holders` are requests that run and whose path ends at or below the node, oldest first, None when nobody knows.
    `text` is what it says or begins with, as it was written; None where nobody wants that, "" while it is not known.
    """

    node: int
    label: str
    start: int
    tokens: int
    subtree_tokens: int
    content_key: int
    namespace: str
    live: int
    copied: int
    hits: int | None
    hit_tokens: int | None
    recomputed_tokens: int | None
    hit_count: int | None
    priority: int
    locks: int | None
    anchored: int | None
    created_at: int
    touched_at: int
    segments: tuple[tuple[int, str], ...]
    way: tuple[WayStep, ...]
    way_count: int
    runs: tuple[Run, ...]
    children: tuple[Child, ...]
    child_count: int
    page_tokens: int
    holders: tuple[int, ...] | None = None
    text: str | None = None


class NodeAnswer(NamedTuple):
    """Everything about a node; `detail` is None when the tree does not have it.

    `hits_per_second` reaches back to when it was first asked about; a second in which nobody looked is None.
    """

    node: int
    detail: NodeDetail | None
    hits_per_second: tuple[int | None, ...] = ()


def node_answer(answers: Iterable[object], number: int) -> NodeAnswer | None:
    """Return the answer about one node; several may have been asked about at a time."""
    return next((answer for answer in answers if isinstance(answer, NodeAnswer) and answer.node == number), None)
