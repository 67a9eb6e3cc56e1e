"""What evictions freed and what a call costs."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.evictions import EvictionSample
from probes.histogram import Quantiles
from radixtop.panel import Canvas, Panel
from radixtop.render.figures import figures
from radixtop.render.graph import topped
from radixtop.render.layout import Room, with_history
from radixtop.render.lines import Line, Role, clean
from radixtop.render.units import count, duration

_FIGURES_WIDTH = 16
_RAMP: tuple[Role, ...] = ("cost0", "cost1")


class EvictionsPanel(Panel[EvictionSample]):
    """Calls, victims, cascades, freed tokens per component, and the cost of a call over a minute."""

    sample: ClassVar[type] = EvictionSample

    def paint(self, sample: EvictionSample | None, canvas: Canvas) -> list[Line]:
        """Return what was freed at the left, what it cost at the right, and the history of the cost."""
        room = Room(canvas.width, canvas.height, _FIGURES_WIDTH)
        history = sample.history if sample else ()
        return with_history(_work(sample), _cost(sample, room), room, history, _RAMP)

    def note(self, sample: EvictionSample | None) -> str:
        """Say what the graph shows, and the value at its top."""
        return topped("call cost over 60 s", sample.history if sample else (), duration)


def _work(sample: EvictionSample | None) -> list[Line]:
    freed = sample.freed_tokens if sample else {}
    return figures(
        [
            ("calls", count(sample.calls if sample else None)),
            ("victims", count(sample.victims if sample else None)),
            ("cascades", count(sample.cascades if sample else None)),
            *((f"freed {clean(name)}", count(tokens)) for name, tokens in freed.items()),
        ],
        _FIGURES_WIDTH,
    )


def _cost(sample: EvictionSample | None, room: Room) -> list[Line]:
    """Return the cost of a call, and where there is room what the victim queue did for it."""
    cost = sample.cost if sample else Quantiles()
    rows = [("cost p50", duration(cost.p50)), ("p99", duration(cost.p99))]
    if room.height >= 8:
        rows += [
            ("per victim", _per_victim(sample)),
            ("leaves seen", count(sample.leaves_considered if sample else None)),
            ("queue build", duration(sample.queue_build_ns if sample else None)),
        ]
    if room.height >= 14:
        rows += [
            ("pops", count(sample.pops if sample else None)),
            ("stale pops", count(sample.stale_pops if sample else None)),
        ]
    return figures(rows, min(24, room.second_width))


def _per_victim(sample: EvictionSample | None) -> str:
    if sample is None or sample.cost.mean is None or not sample.victims:
        return "-"
    return duration(sample.cost.mean * sample.calls / sample.victims)
