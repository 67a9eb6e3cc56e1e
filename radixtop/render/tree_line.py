"""Rows of the tree as lines: guides, a sign for open or closed, the label, and aligned figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radixtop.render.bars import gauge
from radixtop.render.lines import Line, Role, Span, fit
from radixtop.render.marks import CLOSED, LEAF, OPEN, live_marks
from radixtop.render.table import GAP, Column, arrange, head, row
from radixtop.render.units import count, since
from radixtop.tree.rows import TreeRow

_COLUMNS = (
    Column("prefix", 0, "text", at_left=True),
    Column("tokens", 6, "text"),
    Column("subtree", 7, "value"),
    Column("share", 8, "flow1", at_left=True, drop_below=116),
    Column("hits", 6, "device", drop_below=56),
    Column("hit tok", 7, "text", drop_below=96),
    Column("recomp", 6, "full", drop_below=140),
    Column("lock", 4, "protected", drop_below=48),
    Column("idle", 6, "dim", drop_below=64),
    Column("age", 6, "dim", drop_below=104),
    Column("live", 4, "text", at_left=True),
)
_LIVE = len(_COLUMNS) - 1
_SHARE = 3


@dataclass(frozen=True, slots=True)
class TreeTable:
    """How the tree's rows are drawn at one width, for one cache of `tokens` tokens, at one time."""

    width: int
    now: int
    tokens: int
    components: tuple[str, ...]

    def head(self) -> Line:
        """Return the line of titles."""
        return head(arrange(_COLUMNS, self.width))

    def line(self, node: TreeRow) -> Line:
        """Return one row, exactly as wide as the table."""
        columns = arrange(_COLUMNS, self.width)
        label = fit(_label(node, columns[0][1].width), columns[0][1].width)
        cells: list[str | Span] = ["", *_figures(node, self.now), ""]
        spans: list[Span] = [*label]
        for place, column in columns[1:]:
            if place == _LIVE:
                marks = () if node.is_gone else live_marks(node.live, node.copied, self.components)
                spans += [(GAP, "text"), *fit(marks, column.width)]
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
    if node.is_gone:
        return [("-", "dim")] * (_LIVE - 1)
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


def _quiet(number: int, role: Role) -> Span:
    """Return a count; a zero is dimmed so that the eye finds the others."""
    return (count(number), role if number else "dim")


def _label(node: TreeRow, width: int) -> Line:
    guides = _guides(node, width // 2)
    if node.is_gone:
        return ((guides, "rule"), ("✕ ", "dim"), (node.label, "dim"))
    sign = LEAF if not node.children else OPEN if node.is_open else CLOSED
    role: Role = "key" if node.is_match else "text"
    spans: list[Span] = [(guides, "rule"), (sign + " ", "accent" if node.children else "dim"), (node.label, role)]
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
