"""Who evicted whose: a matrix where there is room for it, else the largest pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from probes.builtin.tenants import TenantsSample
from probes.lives.tenants import NOBODY, OTHERS, Evicted
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Role, Span, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, count

_NAME, _CELL, _MOST_CELL = 20, 11, 20
_PAIRS = (
    Column("for", 0, "label", at_left=True),
    Column("tokens of", 14, "text", at_left=True),
    Column("evicted", 7, "value"),
    Column("again", 6, "warn"),
)


class EvictorsPanel(Panel[TenantsSample]):
    """Tokens that made room, and those that their owners computed again because of it."""

    sample: ClassVar[type] = TenantsSample

    def paint(self, sample: TenantsSample | None, canvas: Canvas) -> list[Line]:
        """Return the matrix, for whom downwards and whose across, or a list."""
        if sample is None or not sample.matrix:
            columns = arrange(_PAIRS, canvas.width)
            none = row(columns, [UNKNOWN] * len(_PAIRS)) if sample is None else (("nothing was evicted yet", "dim"),)
            return [head(columns), none][: canvas.height]
        lines = _matrix(sample, canvas.width) or _pairs(sample, canvas.width)
        return lines[: canvas.height]

    def note(self, sample: TenantsSample | None) -> str:
        """Say what two figures in a cell are."""
        return "tokens evicted, and those computed again for it"


def _pairs(sample: TenantsSample, width: int) -> list[Line]:
    columns = arrange(_PAIRS, width)
    cells = (
        [clean(each.evictor), clean(each.victim), count(each.evicted_tokens), count(each.computed_again_tokens)]
        for each in sample.matrix
    )
    return [head(columns), *(row(columns, each) for each in cells)]


def _matrix(sample: TenantsSample, width: int) -> list[Line]:
    """Return the lines of the matrix, none where it is too wide."""
    cells = {(each.evictor, each.victim): each for each in sample.matrix}
    victims = _ordered(sample, {victim for _, victim in cells})
    evictors = _ordered(sample, {evictor for evictor, _ in cells})
    if width < _NAME + (_CELL + 1) * len(victims):
        return []
    cell = min(_MOST_CELL, (width - _NAME) // len(victims) - 1)
    columns = [Column("for \\ of", _NAME, "label", at_left=True), *(Column(clean(each), cell) for each in victims)]
    arranged = arrange(columns, width)
    return [head(arranged), *(row(arranged, _row(evictor, victims, cells)) for evictor in evictors)]


def _ordered(sample: TenantsSample, names: set[str]) -> list[str]:
    """Return names as tenants are ordered, who is none of them last."""
    order = [each.namespace for each in sample.tenants if each.namespace != OTHERS]
    return [*(name for name in order if name in names), *(name for name in (OTHERS, NOBODY) if name in names)]


def _row(evictor: str, victims: list[str], cells: Mapping[tuple[str, str], Evicted]) -> list[str | Span]:
    row: list[str | Span] = [clean(evictor)]
    for victim in victims:
        cell = cells.get((evictor, victim))
        role: Role = "text" if evictor in (victim, NOBODY) else "warn"
        text = "·" if cell is None else f"{count(cell.evicted_tokens)} {count(cell.computed_again_tokens)}"
        row.append((text, "dim" if cell is None else role))
    return row
