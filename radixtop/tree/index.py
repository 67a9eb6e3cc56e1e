"""The visible rows of a mirror as flat lists, rebuilt when they may be and read by window.

The index lives on the thread that ticks, like the mirror it reads. Laying rows out visits every visible node, so
on a large tree it is done only so often that it takes at most a twentieth of that thread's time; in between,
windows are cut from the last layout with the figures of now. A change of the request is laid out at once.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from probes.mirror import Mirror
from probes.mirror_node import MirrorNode
from radixtop.render.lines import clean
from radixtop.tree.order import SortKey, sibling_key
from radixtop.tree.pattern import matching, with_ways
from radixtop.tree.rows import TreePage, TreeRequest, TreeRow

Kept = set[int] | frozenset[int] | None
"""The nodes that may be rows; None for all."""

_NOTHING: frozenset[int] = frozenset()

_REST = 19
"""A layout is followed by a rest of so many times its own duration."""


class TreeIndex:
    """Which nodes are rows, in which order, and how deep. `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._ids: list[int] = []
        self._levels: list[int] = []
        self._guides: list[int] = []
        self._matches: set[int] = set()
        self._version = -1
        self._shape: tuple[object, ...] | None = None
        self._built_at = 0
        self._cost_ns = 0

    def page(self, mirror: Mirror, request: TreeRequest) -> TreePage:
        """Return the window of rows that the request asks for."""
        if self._must_lay_out(mirror, request):
            self._lay_out(mirror, request)
        first = max(0, min(request.first, len(self._ids) - request.count))
        stop = min(len(self._ids), first + request.count)
        return TreePage(
            first=first,
            total=len(self._ids),
            rows=tuple(self._row(mirror, i) for i in range(first, stop)),
            cursor=request.cursor,
            cursor_row=self._row_of(request.cursor),
            nodes=len(mirror.nodes) - 1,
            tokens=mirror.root.subtree_tokens,
            shape=request.shape(),
            behind_ns=0 if mirror.version == self._version else self._clock() - self._built_at,
        )

    def _must_lay_out(self, mirror: Mirror, request: TreeRequest) -> bool:
        if request.shape() != self._shape:
            return True
        if request.order == "tokens" and mirror.version == self._version:
            return False
        return self._clock() - self._built_at >= _REST * self._cost_ns

    def _lay_out(self, mirror: Mirror, request: TreeRequest) -> None:
        started = self._clock()
        kept: Kept = None
        self._matches = set()
        if request.pattern:
            self._matches = {node.id for node in matching(mirror, request.pattern)}
            kept = with_ways(self._matches, mirror)
        self._flatten(mirror.root, request, kept)
        self._version = mirror.version
        self._shape = request.shape()
        self._built_at = self._clock()
        self._cost_ns = self._built_at - started

    def _flatten(self, root: MirrorNode, request: TreeRequest, kept: Kept) -> None:
        ids: list[int] = []
        levels: list[int] = []
        guides: list[int] = []
        key = sibling_key(request.order)
        waiting = _children(root, 0, 0, key, kept)
        while waiting:
            node, level, guide = waiting.pop()
            ids.append(node.id)
            levels.append(level)
            guides.append(guide)
            if node.children:
                below = self._below(node, level, request, kept)
                if below is not _NOTHING:
                    waiting += _children(node, level + 1, guide, key, below)
        self._ids, self._levels, self._guides = ids, levels, guides

    def _below(self, node: MirrorNode, level: int, request: TreeRequest, kept: Kept) -> Kept:
        """Return which children of an open node are rows (None: all), or _NOTHING when the node is closed."""
        if kept is None:
            is_open = node.id in request.opened or (level + 1 < request.depth and node.id not in request.closed)
            return None if is_open else _NOTHING
        if node.id in request.closed:
            return _NOTHING
        # Below a match everything may be opened; above one, only the way to it is shown.
        return None if node.id in request.opened else kept

    def _row_of(self, number: int) -> int:
        if number >= 0:
            with suppress(ValueError):
                return self._ids.index(number)
        return -1

    def _row(self, mirror: Mirror, i: int) -> TreeRow:
        is_open = i + 1 < len(self._ids) and self._levels[i + 1] > self._levels[i]
        node = mirror.nodes.get(self._ids[i])
        if node is None:
            return _gone(self._ids[i], self._levels[i], self._guides[i])
        return TreeRow(
            node=node.id,
            level=self._levels[i],
            guides=self._guides[i],
            is_open=is_open,
            children=len(node.children),
            label=clean(mirror.describe(node)),
            tokens=node.length,
            subtree_tokens=node.subtree_tokens,
            hits=node.hits,
            hit_tokens=node.hit_tokens,
            recomputed_tokens=node.recomputed_tokens,
            locks=node.locks,
            live=node.live,
            copied=node.copied,
            created_at=node.created_at,
            touched_at=node.touched_at,
            is_match=node.id in self._matches,
        )


def _children(
    node: MirrorNode, level: int, guide: int, key: SortKey, kept: Kept
) -> list[tuple[MirrorNode, int, int]]:
    """Return the children that are rows, the one to show first at the end, each with its level and guides."""
    children = [child for child in node.children.values() if kept is None or child.id in kept]
    children.sort(key=key)
    goes_on = guide | 1 << level
    return [(child, level, goes_on if i else guide) for i, child in enumerate(children)]


def _gone(number: int, level: int, guides: int) -> TreeRow:
    """Return the row of a node that was removed since the layout: its place is kept, its figures are not."""
    return TreeRow(
        node=number,
        level=level,
        guides=guides,
        is_open=False,
        children=0,
        label="removed",
        tokens=0,
        subtree_tokens=0,
        hits=0,
        hit_tokens=0,
        recomputed_tokens=0,
        locks=0,
        live=0,
        copied=0,
        created_at=0,
        touched_at=0,
        is_gone=True,
    )
