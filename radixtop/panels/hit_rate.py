"""Hit rate over 10 s, 1 min and the whole run, at both hit boundaries, with a minute of history."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from probes.builtin.hit_rate import HitRateSample, HitTotals
from radixtop.panel import Canvas, Panel
from radixtop.render.bars import Part, stacked
from radixtop.render.graph import Plot, area_and_line
from radixtop.render.lines import BLANK, Line, Role, beside
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, share

_COLUMNS = (
    Column("", 7, "label", at_left=True),
    Column("10 s", 6, "value"),
    Column("1 min", 6, "value"),
    Column("all", 6, "value"),
)
_FIGURES_WIDTH = 28
_GRAPH_FROM = 50
"""Below this width there is no room for the history."""

Figure = Callable[[HitTotals], str]
_ROWS: tuple[tuple[str, Role, Figure], ...] = (
    ("device", "device", lambda totals: share(totals.hit_rate)),
    ("full", "full", lambda totals: share(totals.full_hit_rate)),
    ("gap", "value", lambda totals: count(totals.gap_tokens)),
    ("hit", "value", lambda totals: count(totals.hit_tokens)),
    ("queried", "value", lambda totals: count(totals.queried_tokens)),
    ("queries", "value", lambda totals: count(totals.queries)),
)
_ROWS_OF_TWO_TIERS: tuple[tuple[str, Role, Figure], ...] = (
    ("hit", "device", lambda totals: share(totals.hit_rate)),
    ("· host", "host", lambda totals: share(totals.host_share)),
    ("full", "full", lambda totals: share(totals.full_hit_rate)),
    ("gap", "value", lambda totals: count(totals.gap_tokens)),
    ("unused", "value", lambda totals: count(totals.unloaded_tokens)),
    ("queried", "value", lambda totals: count(totals.queried_tokens)),
)
_RAMP: tuple[Role, ...] = ("ramp0", "ramp1", "ramp2", "ramp3")


class HitRatePanel(Panel[HitRateSample]):
    """How much of what was asked for was there: usable on the device, and present at all."""

    sample: ClassVar[type] = HitRateSample

    def paint(self, sample: HitRateSample | None, canvas: Canvas) -> list[Line]:
        """Return figures at the left and, where there is room, bars below and the history at the right."""
        block = _figures(sample)
        if canvas.height >= len(block) + 3:
            block += [BLANK] * (canvas.height > len(block) + 3) + _bars(sample)
        if canvas.height >= len(block) + 1 + len(_legend(sample)):
            block += [BLANK, *_legend(sample)]
        block = block[: canvas.height]
        if canvas.width < _GRAPH_FROM:
            return block
        graph = _history(sample, canvas.width - _FIGURES_WIDTH - 2, canvas.height)
        return beside(block, graph, _FIGURES_WIDTH)

    def note(self, sample: HitRateSample | None) -> str:
        """Say how the two boundaries are drawn."""
        hit = "hit on either tier" if _has_host(sample) else "device hit"
        return f"area: {hit}   dots: full hit   last 60 s"


def _has_host(sample: HitRateSample | None) -> bool:
    return sample is not None and sample.has_host_tier


def _windows(sample: HitRateSample | None) -> tuple[HitTotals | None, HitTotals | None, HitTotals | None]:
    return (None, None, None) if sample is None else (sample.last_10s, sample.last_minute, sample.total)


def _figures(sample: HitRateSample | None) -> list[Line]:
    columns = arrange(_COLUMNS, _FIGURES_WIDTH)
    windows = _windows(sample)
    lines = [head(columns)]
    for name, role, figure in _ROWS_OF_TWO_TIERS if _has_host(sample) else _ROWS:
        cells = ["-" if totals is None or not totals.queries else figure(totals) for totals in windows]
        lines.append(row(columns, [(name, role if role != "value" else "label"), *((cell, role) for cell in cells)]))
    return lines


def _bars(sample: HitRateSample | None) -> list[Line]:
    return [
        ((f"{name:<8}", "label"), *_bar(totals, _FIGURES_WIDTH - 8))
        for name, totals in zip(("10 s", "1 min", "all"), _windows(sample), strict=True)
    ]


def _bar(totals: HitTotals | None, width: int) -> Line:
    if totals is None:
        return stacked((), width)
    gap_tokens = totals.gap_tokens or 0  # where it is not told, it is part of the misses
    parts = (
        Part(totals.device_hit_tokens, "█", "device"),
        Part(totals.loaded_tokens, "▓", "host"),
        Part(gap_tokens, "▒", "full"),
        Part(totals.queried_tokens - totals.hit_tokens - gap_tokens, "·", "miss"),
    )
    return stacked(parts, width)


def _legend(sample: HitRateSample | None) -> list[Line]:
    host: Line = (("▓ ", "host"), ("host hit: loaded back", "label"))
    return [
        (("█ ", "device"), ("device hit: used as it is", "label")),
        *([host] if _has_host(sample) else []),
        (("▒ ", "full"), ("gap: full hit, not usable", "label")),
        (("· ", "miss"), ("miss: new, or evicted", "label")),
    ]


def _history(sample: HitRateSample | None, width: int, height: int) -> list[Line]:
    area, line = (sample.history, sample.full_history) if sample else ((), ())
    graph = area_and_line(area, line, Plot(width - 5, height, 1.0), _RAMP, "full")
    labels = {0: "100%", height - 1: "  0%"}
    if height >= 7:
        labels[height // 2] = " 50%"
    return [((labels.get(y, "    ") + "▕", "dim"), *graph[y]) for y in range(height)]
