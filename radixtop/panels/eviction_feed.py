"""The newest evict calls, one a line."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.evictions import EvictionEvent, EvictionSample
from radixtop.panel import Canvas, Panel
from radixtop.render.lines import Line, Span, clean
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import age, count, duration, grouped

_COLUMNS = (
    Column("ago", 6, "dim"),
    Column("component", 9, "evictable", at_left=True),
    Column("asked", 7, "text"),
    Column("victims", 8, "value"),
    Column("cascades", 9, "text"),
    Column("leaves", 8, "dim"),
    Column("cost", 7, "value"),
    Column("  freed", 0, "text", at_left=True),
)


class EvictionFeedPanel(Panel[EvictionSample]):
    """A feed of evict calls: what was asked for, what it took, what it cost."""

    sample: ClassVar[type] = EvictionSample
    pinned: ClassVar[int] = 1

    def paint(self, sample: EvictionSample | None, canvas: Canvas) -> list[Line]:
        """Return the head line and one line per call, newest first."""
        columns = arrange(_COLUMNS, canvas.width)
        events = sample.recent if sample else ()
        if not events:
            return [head(columns), (("nothing evicted yet", "dim"),)]
        return [head(columns), *(row(columns, _cells(event, canvas.now)) for event in events)]

    def note(self, sample: EvictionSample | None) -> str:
        """Say how many calls are kept."""
        return f"newest {len(sample.recent)} calls" if sample else ""


def _cells(event: EvictionEvent, now: int) -> list[str | Span]:
    freed = "  ".join(f"{clean(name)} {count(tokens)}" for name, tokens in event.freed_tokens.items() if tokens)
    return [
        age(now - event.at),
        clean(event.component),
        count(event.asked_tokens),
        grouped(event.victims),
        grouped(event.cascades),
        grouped(event.leaves_considered),
        duration(event.duration_ns or None),
        "  " + freed,
    ]
