"""What a server's metrics tell of hits: by tier, over 10 s, 1 min and all, with a minute of history."""

from __future__ import annotations

from collections.abc import Sequence

from probes.scrapes.hits import HitWindow
from radixtop.fleet.engine_panel import EnginePanel
from radixtop.fleet.shown import ShownEngine
from radixtop.panel import Canvas
from radixtop.render.bars import Part, stacked
from radixtop.render.graph import Plot, area_graph
from radixtop.render.lines import BLANK, Line, Role, beside
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, count, share

_COLUMNS = (
    Column("", 9, "label", at_left=True),
    Column("10 s", 6, "value"),
    Column("1 min", 6, "value"),
    Column("all", 6, "value"),
)
_FIGURES_WIDTH = 30
_GRAPH_FROM = 52
_TIERS: dict[str, tuple[str, Role]] = {
    "device": ("█", "device"),
    "host": ("▓", "host"),
    "storage": ("▒", "full"),
    "remote": ("░", "accent"),
    "untold": ("░", "dim"),
}
_RAMP: tuple[Role, ...] = ("ramp0", "ramp1", "ramp2", "ramp3")
_COUNTED = {
    "scheduler": "as scheduled",
    "frontend": "as requests end",
    "prefill": "as prefilled",
}

Windows = Sequence[HitWindow | None]


class EngineHitsPanel(EnginePanel):
    """How many of the prompt tokens were found, and in which memory."""

    def paint(self, sample: ShownEngine | None, canvas: Canvas) -> list[Line]:
        """Return figures at the left, bars below them, and the history where there is room."""
        windows = _windows(sample)
        block = _figures(windows)
        if canvas.height >= len(block) + 4:
            block += [BLANK, *_bars(windows)]
        if canvas.width < _GRAPH_FROM:
            spare = canvas.height - len(block) - 1
            return block[: canvas.height] if spare < 2 else [*block, BLANK, *_history(sample, canvas.width, spare)]
        return beside(
            block[: canvas.height], _history(sample, canvas.width - _FIGURES_WIDTH - 2, canvas.height), _FIGURES_WIDTH
        )

    def more(self, sample: ShownEngine) -> str:
        """Say how hits are counted, and what the graph shows."""
        view = next((window.view for window in _windows(sample) if window is not None), "")
        return "   ".join(filter(None, (_COUNTED.get(view, ""), "last 60 s")))


def _windows(sample: ShownEngine | None) -> Windows:
    if sample is None:
        return (None, None, None)
    return (sample.rank.hits_10s, sample.rank.hits_minute, sample.rank.hits_total)


def _tiers(windows: Windows) -> list[str]:
    """Return the tiers in which anything was found; the device always."""
    found = {tier for window in windows if window is not None for tier, tokens in window.hit_tokens.items() if tokens}
    return [tier for tier in _TIERS if tier == "device" or tier in found]


def _figures(windows: Windows) -> list[Line]:
    columns = arrange(_COLUMNS, _FIGURES_WIDTH)
    lines = [head(columns), row(columns, [("hit", "label"), *(share(_rate(window)) for window in windows)])]
    for tier in _tiers(windows):
        sign, role = _TIERS[tier]
        cells = [UNKNOWN if window is None else share(window.rate_of(tier)) for window in windows]
        lines.append(row(columns, [(f"{sign} {tier}", role), *((cell, role) for cell in cells)]))
    queried = [UNKNOWN if window is None else count(window.queried_tokens) for window in windows]
    hit = [UNKNOWN if window is None else count(sum(window.hit_tokens.values())) for window in windows]
    return [*lines, row(columns, ["tokens", *queried]), row(columns, ["hits", *hit])]


def _rate(window: HitWindow | None) -> float | None:
    return None if window is None else window.rate


def _bars(windows: Windows) -> list[Line]:
    lines: list[Line] = []
    for name, window in zip(("10 s", "1 min", "all"), windows, strict=True):
        parts: list[Part] = []
        if window is not None and window.queried_tokens:
            parts = [Part(window.hit_tokens.get(tier, 0), *signs) for tier, signs in _TIERS.items()]
            parts.append(Part(window.queried_tokens - sum(window.hit_tokens.values()), "·", "miss"))
        lines.append(((f"{name:<6}", "label"), *stacked(parts, _FIGURES_WIDTH - 6)))
    return lines


def _history(sample: ShownEngine | None, width: int, height: int) -> list[Line]:
    graph = area_graph(sample.rank.hit_rate_history if sample else (), Plot(width - 5, height, 1.0), _RAMP)
    labels = {0: "100%", height - 1: "  0%"}
    if height >= 7:
        labels[height // 2] = " 50%"
    return [((labels.get(y, "    ") + "▕", "dim"), *graph[y]) for y in range(height)]
