"""Kinds of workload segments: what of them missed, and why."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.miss_kinds import MissKindsSample
from probes.lives.misses import PromptTokens
from probes.lives.named_sums import NamedTokens
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Span, clean
from radixtop.render.miss_chart import row_with_bar
from radixtop.render.miss_words import name_of, text_role
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, count

_BAR = 3
_COLUMNS = (
    Column("segment", 14, "label", at_left=True),
    Column("1 min", 5, "value"),
    Column("all", 5, "value"),
    Column("why", 0, at_left=True, drop_below=32),
    Column("most", 15, at_left=True, drop_below=54),
)


class MissKindsPanel(Panel[MissKindsSample]):
    """A row for each kind: missed tokens, and the classes that they are of."""

    sample: ClassVar[type] = MissKindsSample

    def paint(self, sample: MissKindsSample | None, canvas: Canvas) -> list[Line]:
        """Return a table, those that missed most first."""
        columns = arrange(_COLUMNS, canvas.width)
        lines = [head(columns)]
        if sample is None:
            lines.append(row(columns, [UNKNOWN] * len(_COLUMNS)))
        elif not sample.kinds:
            lines.append((("nothing has missed yet", "dim"),))
        else:
            lines += (
                row_with_bar(columns, _cells(each, sample.lacking), _BAR, _newest(each)) for each in sample.kinds
            )
        return lines[: canvas.height]

    def note(self, sample: MissKindsSample | None) -> str:
        """Say what the figures are, and how many are left out."""
        more = f", {sample.left_out} more" if sample is not None and sample.left_out else ""
        return f"missed tokens by what the text is{more}"


def _newest(each: NamedTokens) -> PromptTokens:
    """Return what missed in the last minute, or in all where nothing did."""
    return each.last_minute if each.last_minute.missed else each.total


def _cells(each: NamedTokens, lacking: str) -> list[str | Span]:
    name: Span = ("(others)", "dim") if each.is_rest else (clean(str(each.name or "(no label)")), "label")
    worst = _newest(each).worst
    most: Span = ("", "text") if worst is None else (name_of(worst, True, lacking), text_role(worst))
    return [name, count(each.last_minute.prompt), count(each.total.prompt), "", most]
