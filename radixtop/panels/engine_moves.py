"""What a server moves between its memories, as its metrics tell: evicted, backed up, loaded back, and how long."""

from __future__ import annotations

from probes.builtin.engine import EngineRank
from radixtop.fleet.engine_panel import EnginePanel
from radixtop.fleet.shown import OF_ALL, ShownEngine
from radixtop.panel import Canvas
from radixtop.render.lines import Line, Role
from radixtop.render.rank_lines import seconds
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, count, rate

_COLUMNS = (
    Column("", 11, "label", at_left=True),
    Column("10 s", 7, "value"),
    Column("1 min", 7, "value", drop_below=44),
    Column("all", 6, "value"),
    Column("p50", 6, "dim"),
    Column("p99", 6, "dim", drop_below=50),
)
_ROWS: tuple[tuple[str, str, str, Role], ...] = (
    ("evicted", "evicted_tokens", "eviction_seconds", "evictable"),
    ("lost", "dropped_tokens", "", "bad"),
    ("to host", "backup_tokens", "backup_seconds", "host"),
    ("back", "load_back_tokens", "load_back_seconds", "host"),
    ("put back", "retracted_requests", "", "warn"),
    ("recomputed", "recomputed_tokens", "", "warn"),
    ("to storage", "storage_backup_tokens", "", "full"),
    ("from there", "storage_prefetched_tokens", "", "full"),
)
_ALWAYS = 1


class EngineMovesPanel(EnginePanel):
    """A line for each kind of move that is told: tokens a second, tokens in all, and how long one takes."""

    def paint(self, sample: ShownEngine | None, canvas: Canvas) -> list[Line]:
        """Return the lines of what is told; evictions always."""
        columns = arrange(_COLUMNS, canvas.width)
        lines = [head(columns)]
        for place, (name, counter, histogram, role) in enumerate(_ROWS):
            who = sample.who_counts(counter) if sample is not None else None
            if who is None and place >= _ALWAYS:
                continue
            took = sample.spread(histogram) if sample is not None and histogram else None
            quantiles = [seconds(one) for one in ((took.spread.p50, took.spread.p99) if took else (None, None))]
            said = f"{OF_ALL} {name}" if sample is not None and who is sample.together else name
            lines.append(row(columns, [(said if who else name, role), *_told(who, counter), *quantiles]))
        return lines[: canvas.height]

    def more(self, sample: ShownEngine) -> str:
        """Say the unit."""
        return "tokens/s, tokens since we look"


def _told(who: EngineRank | None, counter: str) -> list[str]:
    """Return how fast a counter grows over 10 s and a minute, and by how much it grew in all."""
    if who is None:
        return [UNKNOWN] * 3
    grown = (who.rates_10s.get(counter), who.rates_minute.get(counter))
    return [*(rate(each.per_s if each else None) for each in grown), count(who.rates_total[counter].amount)]
