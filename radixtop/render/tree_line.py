"""Rows of the tree as lines: guides, a sign for open or closed, the label, and aligned figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from radixtop.render.bars import gauge
from radixtop.render.lines import Line, Role, Span, fit
from radixtop.render.marks import ASCENDING, CLOSED, DESCENDING, LEAF, OPEN, live_marks
from radixtop.render.table import GAP, Column, arrange, head, row
from radixtop.render.units import count, since
from radixtop.tree.request import Order
from radixtop.tree.rows import TreeRow

_COLUMNS = (
    Column("prefix", 0, "text", at_left=True),
    Column("tokens", 7, "text"),
    Column("subtree", 8, "value"),
    Column("share", 8, "flow1", at_left=True, drop_below=120),
    Column("hits", 6, "device", drop_below=58),
    Column("hit tok", 8, "text", drop_below=98),
    Column("recomp", 7, "full", drop_below=140),
    Column("lock", 5, "protected", drop_below=74),
    Column("idle", 6, "dim", drop_below=66),
    Column("age", 6, "dim", drop_below=106),
    Column("live", 4, "text", at_left=True),
)
_ORDERS: dict[int, Order] = {
    1: "tokens", 2: "subtree", 3: "subtree", 4: "hits", 5: "hit_tokens", 6: "recomputed", 7: "locks", 8: "idle",
    9: "age",
}  # fmt: skip
"""What rows are sorted by when a column is chosen."""

_UNMARKED = 3
_OF_USE = frozenset({4, 5, 6, 7, 8})
"""Hits, what they gave, what was computed again, locks, idle times."""
_NEVER = 1 << 30
_LIVE = len(_COLUMNS) - 1
_SHARE = 3


@dataclass(frozen=True, slots=True)
class TreeTable:
    """How the tree's rows are drawn at one width, for one cache of `tokens` tokens, at one time, in one order."""

    width: int
    now: int
    tokens: int
    components: tuple[str, ...]
    order: Order = "subtree"
    is_reversed: bool = False
    is_flat: bool = False
    """Rows are a list: none is opened or closed."""
    tells_use: bool = True
    """Whether anybody says who matches and locks: else the columns of that are left out."""

    def head(self) -> Line:
        """Return the line of titles; the one that rows are sorted by is marked."""
        mark = ASCENDING if self.is_reversed else DESCENDING
        return head(
            [
                (place, replace(column, title=column.title + mark, title_role="accent"))
                if _ORDERS.get(place) == self.order and place != _UNMARKED
                else (place, column)
                for place, column in self._columns()
            ]
        )

    def order_at(self, x: int) -> Order | None:
        """Return what a click on the titles, `x` cells from the left, sorts by."""
        at = 0
        for place, column in self._columns():
            at += column.width + len(GAP)
            if x < at:
                return _ORDERS.get(place)
        return None

    def _columns(self) -> list[tuple[int, Column]]:
        """Return the columns that there is room for; the one that rows are sorted by is always among them."""
        columns = [
            replace(column, drop_below=0) if _ORDERS.get(place) == self.order and place != _UNMARKED else column
            for place, column in enumerate(_COLUMNS)
        ]
        if not self.tells_use:
            columns = [replace(each, drop_below=_NEVER) if i in _OF_USE else each for i, each in enumerate(columns)]
        return arrange(columns, self.width)

    def line(self, node: TreeRow) -> Line:
        """Return one row, exactly as wide as the table."""
        columns = self._columns()
        label = fit(_label(node, columns[0][1].width, self.is_flat), columns[0][1].width)
        cells: list[str | Span] = ["", *_figures(node, self.now), ""]
        spans: list[Span] = [*label]
        for place, column in columns[1:]:
            if place == _LIVE:
                spans += [(GAP, "text"), *fit(live_marks(node.live, node.copied, self.components), column.width)]
            elif place == _SHARE:
                spans += [(GAP, "text"), *self._share(node, column.width)]
            else:
                spans += [(GAP, "text"), *row([(place, column)], cells)]
        return fit(tuple(spans), self.width)

    def _share(self, node: TreeRow, width: int) -> Line:
        """Return a bar of the subtree's share of all tokens; one too small to see is left blank."""
        share = node.subtree_tokens / self.tokens if self.tokens else 0.0
        return gauge(share if share * width * 8 >= 1 else 0.0, width, "flow1", " ")


def _figures(node: TreeRow, now: int) -> Sequence[str | Span]:
    return [
        count(node.tokens),
        count(node.subtree_tokens),
        "",
        _quiet(node.hits, "device"),
        _quiet(node.hit_tokens, "text"),
        _quiet(node.recomputed_tokens, "full"),
        _quiet(node.locks, "protected"),
        since(now, node.touched_at),
        since(now, node.created_at),
    ]


def _quiet(number: int | None, role: Role) -> Span:
    """Return a count; a zero is dimmed so that the eye finds the others."""
    return (count(number), role if number else "dim")


def _label(node: TreeRow, width: int, is_flat: bool) -> Line:
    guides = _guides(node, width // 2)
    sign = LEAF if is_flat or not node.children else OPEN if node.is_open else CLOSED
    role: Role = "key" if node.is_match else "text"
    spans: list[Span] = [(guides, "rule"), (sign + " ", "accent" if node.children else "dim"), (node.label, role)]
    if node.joined:
        spans.append((f" {node.joined + 1:,} nodes", "dim"))
    if node.children and not node.is_open:
        spans.append((f" +{node.children:,}", "dim"))
    return tuple(spans)


def _guides(node: TreeRow, room: int) -> str:
    """Return the lines that lead to a row; of a very deep one only the last part, after its level."""
    if not node.level:
        return ""
    parts = ["│ " if node.guides >> level & 1 else "  " for level in range(1, node.level)]
    parts.append("├╴" if node.guides >> node.level & 1 else "└╴")
    guides = "".join(parts)
    if len(guides) <= room:
        return guides
    mark = f"{node.level}‥"
    return mark + guides[-max(2, room - len(mark)) :]
