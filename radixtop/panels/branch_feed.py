"""The newest branching events, one a line."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.branching import BranchEvent, BranchingSample
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Role, Span, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import age, count, grouped

_COLUMNS = (
    Column("ago", 6, "dim"),
    Column("what", 9, at_left=True),
    Column("request", 8, "text"),
    Column("position", 9, "text"),
    Column("gap", 6, "value"),
    Column("node", 8, "dim", drop_below=70),
    Column("where", 0, "text", at_left=True),
)
_KINDS: dict[str, Span] = {
    "opened": ("◇ opened", "full"),
    "filled": ("◆ filled", "good"),
    "lost": ("× lost", "bad"),
}


class BranchFeedPanel(Panel[BranchingSample]):
    """A feed: a gap was met (opened), what it lacked is kept now (filled), that went away again (lost)."""

    sample: ClassVar[type] = BranchingSample
    pinned: ClassVar[int] = 1

    def paint(self, sample: BranchingSample | None, canvas: Canvas) -> list[Line]:
        """Return the head line and one line per event, newest first."""
        columns = arrange(_COLUMNS, canvas.width)
        events = sample.recent if sample else ()
        if not events:
            return [head(columns), (("no branching point met yet", "dim"),)]
        return [head(columns), *(row(columns, _cells(event, canvas.now)) for event in events)]

    def note(self, sample: BranchingSample | None) -> str:
        """Say how many events are kept."""
        return f"newest {len(sample.recent)} events" if sample else ""

    def node_at(self, sample: BranchingSample | None, row: int) -> int | None:
        """Return the node of an event."""
        events = sample.recent if sample else ()
        return events[row].node if 0 <= row < len(events) and events[row].node >= 0 else None


def _cells(event: BranchEvent, now: int) -> list[str | Span]:
    role: Role = "text" if event.label else "dim"
    return [
        age(now - event.at),
        _KINDS[event.kind],
        f"#{event.request}",
        grouped(event.position),
        count(event.gap_tokens),
        str(event.node),
        (clean(event.label or "-"), role),
    ]
