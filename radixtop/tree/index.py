"""The rows of a mirror, cut by window, kept up with the tree and put in order again when they may be.

The index lives on the thread that ticks, like the mirror it reads. What it does for every page is bounded by the
window and by what changed; what grows with the tree is followed by a rest, and in between pages are cut in the order
of then, with the figures of now. A change of the request is answered at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from probes.mirror import Mirror
from radixtop.budget import Rest
from radixtop.tree.biggest import standing_of_all
from radixtop.tree.follower import Follower
from radixtop.tree.layout import Layout, Place
from radixtop.tree.openness import Mask, Openness
from radixtop.tree.order import Whole
from radixtop.tree.pattern import Pattern
from radixtop.tree.reading import look_through
from radixtop.tree.request import OF_USE, TreeRequest
from radixtop.tree.row_maker import RowMaker
from radixtop.tree.rows import Standing, TreePage, TreeRow
from radixtop.tree.seeking import found
from radixtop.tree.top_list import TopList
from radixtop.tree.tops import members, standing, top


class TreeIndex:
    """Which nodes are rows, in which order, and how deep. `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._mirror: Mirror | None = None
        self._follower: Follower
        self._rows: Layout | TopList
        self._standing: Standing
        self._named_by: object = None
        self._pattern: Pattern | None = None
        self._asked: TreeRequest | None = None
        self._ordered_at = 0
        self._rest = Rest()

    def page(self, mirror: Mirror, request: TreeRequest, now: int = 0) -> TreePage:
        """Return the window of rows that the request asks for, of a tree as of `now`, on the clock of its records."""
        started = self._clock()
        is_ordered = self._bring_up(mirror, request, now)
        page = self._cut(mirror, request)
        if is_ordered:
            self._ordered_at = self._clock()
            self._rest.begin(self._ordered_at, self._ordered_at - started)
        return page

    def _bring_up(self, mirror: Mirror, request: TreeRequest, now: int) -> bool:
        """Have rows for the request, of the tree as it is; say whether they were put in order for that."""
        asked, self._asked = self._asked, request
        if mirror is not self._mirror or asked is None:
            self._mirror, self._follower = mirror, Follower(mirror)
            asked = None
        elif not self._follower.brings_up(self._rows):
            asked = None
        if asked is None or _kind(asked) != _kind(request):
            self._arrange(mirror, request, now)
            return True
        if isinstance(self._rows, Layout):
            self._open_by_hand(self._rows, asked, request)
        if asked.shape() == request.shape() and not self._rest.is_over(self._clock()):
            return False
        if isinstance(self._rows, Layout) and not request.pattern:
            self._rows.sort(request.order, request.is_reversed)
            self._stand(mirror)
        else:
            self._arrange(mirror, request, now)
        return True

    def _open_by_hand(self, rows: Layout, asked: TreeRequest, request: TreeRequest) -> None:
        """Open and close what the request names, and let levels decide on what it names no longer."""
        for number in (asked.opened ^ request.opened) | (asked.closed ^ request.closed):
            slot = rows.columns.slot_of(number)
            if slot >= 0:
                by_hand = number in request.opened or number in request.closed
                rows.set_open(slot, number in request.opened if by_hand else None)

    def _arrange(self, mirror: Mirror, request: TreeRequest, now: int) -> None:
        """Make the rows anew."""
        columns = mirror.columns
        if request.pattern:
            look_through(mirror)
        self._pattern = Pattern(request.pattern, mirror) if request.pattern else None
        if request.mode == "tree":
            self._rows = Layout(columns, self._openness(request))
            self._rows.sort(request.order, request.is_reversed)
            self._stand(mirror)
            return
        is_told = mirror.tells_use or request.mode not in OF_USE
        slots = np.flatnonzero(members(columns, request.mode, now)) if is_told else np.zeros(0, np.int64)
        nodes, tokens = len(mirror.nodes) - 1, mirror.root.subtree_tokens
        self._standing = standing(columns, slots, request.mode, nodes, tokens)._replace(tells_use=mirror.tells_use)
        if self._pattern is not None:
            slots = slots[self._matches(slots)]
        self._rows = TopList(columns, top(columns, slots, request.order, request.is_reversed))

    def _stand(self, mirror: Mirror) -> None:
        """Say anew what the tree amounts to, and what its biggest branch is called."""
        self._standing, self._named_by = standing_of_all(mirror), mirror.texts

    def _openness(self, request: TreeRequest) -> Openness:
        assert self._mirror is not None
        slot_of = self._mirror.columns.slot_of
        return Openness(
            depth=request.depth,
            opened=frozenset(slot for slot in map(slot_of, request.opened) if slot >= 0),
            closed=frozenset(slot for slot in map(slot_of, request.closed) if slot >= 0),
            joins=request.joins,
            is_match=self._matches if self._pattern is not None else None,
        )

    def _matches(self, slots: Whole) -> Mask:
        if self._pattern is None or self._mirror is None:
            return np.zeros(len(slots), np.bool_)
        return self._pattern.matches(self._mirror.columns, slots)

    # ---- pages

    def _cut(self, mirror: Mirror, request: TreeRequest) -> TreePage:
        rows, columns = self._rows, mirror.columns
        if request.mode == "tree" and self._named_by is not mirror.texts:
            self._stand(mirror)  # nodes may go by hashes now, for a picture
        first = max(0, min(request.first, rows.total - request.count))
        cursor = columns.slot_of(request.cursor) if request.cursor >= 0 else -1
        if request.seek:
            cursor = found(rows, cursor, request.seek, self._matches)
        return TreePage(
            first=first,
            total=rows.total,
            rows=tuple(self._made(mirror, rows.window(first, request.count))),
            cursor=columns.id[cursor] if cursor >= 0 else -1,
            cursor_row=rows.row_of(cursor) if cursor >= 0 else -1,
            standing=self._standing._replace(
                nodes=len(mirror.nodes) - 1, tokens=mirror.root.subtree_tokens, tells_use=mirror.tells_use
            ),
            shape=request.shape(),
            seek=request.seek,
            behind_ns=self._clock() - self._ordered_at,
        )

    def _made(self, mirror: Mirror, places: list[Place]) -> list[TreeRow]:
        matches = self._matches(np.array([place.slot for place in places], np.int64)).tolist()
        maker = RowMaker(mirror)
        return [maker.row(place, is_match) for place, is_match in zip(places, matches, strict=True)]


def _kind(request: TreeRequest) -> tuple[object, ...]:
    """Return what rows are made anew for; nodes opened and closed by hand are not, unless a filter hides others."""
    by_hand = (request.opened, request.closed) if request.pattern else ()
    return (request.mode, request.depth, request.joins, request.pattern, by_hand)
