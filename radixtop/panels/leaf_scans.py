"""How many leaves are considered for a victim, second by second, and what else the victim queue does."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.evictions import EvictionSample
from radixtop.panel import Canvas, Panel
from radixtop.render.figures import figures
from radixtop.render.lines import Line, Role, beside
from radixtop.render.log_graph import LogPlot, log_graph
from radixtop.render.units import count, duration, share

_RAMP: tuple[Role, ...] = ("flow0", "flow1")
_FIGURES_WIDTH = 22
_GRAPH_FROM = 46
"""Below this width there is no room for the graph."""


class LeafScansPanel(Panel[EvictionSample]):
    """What it takes to find a victim: one leaf where a queue knows its order, all where it is made for each call."""

    sample: ClassVar[type] = EvictionSample

    def paint(self, sample: EvictionSample | None, canvas: Canvas) -> list[Line]:
        """Return figures of the last minute at the left, the graph of leaves for each victim at the right."""
        block = figures(_figures(sample), min(canvas.width, _FIGURES_WIDTH))[: canvas.height]
        if canvas.width < _GRAPH_FROM or sample is None or not any(sample.leaves_history):
            return block
        room = canvas.width - _FIGURES_WIDTH - 2
        graph = log_graph(sample.leaves_history, (), LogPlot(room, canvas.height, count, _RAMP, "flow1"))
        return beside(block, graph, _FIGURES_WIDTH)

    def note(self, sample: EvictionSample | None) -> str:
        """Say what the graph shows."""
        return "for each victim, last 60 s"


def _figures(sample: EvictionSample | None) -> list[tuple[str, str]]:
    minute = sample.last_minute if sample else None
    if minute is None or not minute.calls:
        names = ("a victim", "a call", "stale pops", "queue build", "victims", "calls")
        return [(name, "-") for name in names]
    return [
        ("a victim", _mean(minute.leaves_considered, minute.victims)),
        ("a call", _mean(minute.leaves_considered, minute.calls)),
        ("stale pops", share(_part(minute.stale_pops, minute.pops))),
        ("queue build", _build(minute.queue_build_ns, minute.timed_calls)),
        ("victims", count(minute.victims)),
        ("calls", count(minute.calls)),
    ]


def _part(some: int | None, of_all: int | None) -> float | None:
    return None if some is None or not of_all else some / of_all


def _mean(leaves: int | None, number: int | None) -> str:
    """Return leaves for each, with a digit behind the point where they are few."""
    if leaves is None or not number:
        return "-"
    mean = leaves / number
    return f"{mean:.1f}" if mean < 99.95 else count(mean)


def _build(build_ns: int | None, timed_calls: int) -> str:
    """Return what a call takes to build its queue: none, or unknown where no call was timed."""
    if build_ns is None or not timed_calls:
        return "-"
    return duration(build_ns / timed_calls) if build_ns else "none"
