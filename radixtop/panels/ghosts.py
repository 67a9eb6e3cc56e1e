"""The newest ghost hits: what was evicted and is there again."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.ghosts import GhostHit, GhostSample
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Span, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, age, count, duration

_COLUMNS = (
    Column("ago", 6, "dim"),
    Column("component", 9, "evictable", at_left=True, drop_below=48),
    Column("tokens", 6, "value"),
    Column("gone for", 8, "warn"),
    Column(" what came back", 0, "text", at_left=True),
)


class GhostsPanel(Panel[GhostSample]):
    """One line per hit, newest first: how long it was gone, and what it was."""

    sample: ClassVar[type] = GhostSample
    is_told_outside: ClassVar[bool] = True
    pinned: ClassVar[int] = 1

    def paint(self, sample: GhostSample | None, canvas: Canvas) -> list[Line]:
        """Return the head line and a line per hit."""
        columns = arrange(_COLUMNS, canvas.width)
        if sample is None:
            return [head(columns), row(columns, [UNKNOWN] * len(_COLUMNS))]
        if not sample.recent:
            return [head(columns), (("nothing came back yet", "dim"),)]
        return [head(columns), *(row(columns, _cells(hit, canvas.now)) for hit in sample.recent)]

    def note(self, sample: GhostSample | None) -> str:
        """Say how many hits are kept."""
        return f"newest {len(sample.recent)}" if sample and sample.recent else ""

    def node_at(self, sample: GhostSample | None, row: int) -> int | None:
        """Return the node that is there again."""
        return sample.recent[row].node if sample and 0 <= row < len(sample.recent) else None


def _cells(hit: GhostHit, now: int) -> list[str | Span]:
    label: Span = (" " + clean(hit.label), "text") if hit.label is not None else (" gone again", "dim")
    return [age(now - hit.at), clean(hit.component), count(hit.tokens), duration(hit.gap_ns), label]
