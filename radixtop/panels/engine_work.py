"""What a server does now, as its metrics tell: who runs and waits, how many tokens a second."""

from __future__ import annotations

from radixtop.fleet.engine_panel import EnginePanel
from radixtop.fleet.shown import ShownEngine
from radixtop.panel import Canvas
from radixtop.render.figures import Figure, figures
from radixtop.render.graph import topped
from radixtop.render.layout import Room, with_history
from radixtop.render.lines import Line, Role
from radixtop.render.units import count, rate

_FIGURES_WIDTH = 16
_RAMP: tuple[Role, ...] = ("ramp1", "ramp3")
_ALARMS = (
    ("no room", "waiting_for_capacity_requests"),
    ("deferred", "deferred_requests"),
    ("retracted", "retracted_now_requests"),
    ("paused", "paused_requests"),
)


class EngineWorkPanel(EnginePanel):
    """The queue at the left, throughput at the right, and a minute of generated tokens."""

    def paint(self, sample: ShownEngine | None, canvas: Canvas) -> list[Line]:
        """Return the figures and the history of generated tokens a second."""
        room = Room(canvas.width, canvas.height, _FIGURES_WIDTH)
        history = sample.rank.generation_history if sample else ()
        return with_history(_queue(sample), _rates(sample, room), room, history, _RAMP)

    def more(self, sample: ShownEngine) -> str:
        """Say what the graph shows, and the value at its top."""
        return topped("generated/s over 60 s", sample.rank.generation_history, count)


def _queue(sample: ShownEngine | None) -> list[Line]:
    """Return who runs and who waits, and why where that is told."""
    rows: list[Figure] = [
        ("running", count(sample.gauge("running_requests") if sample else None), "accent"),
        ("waiting", count(sample.gauge("waiting_requests") if sample else None)),
    ]
    for name, role in _ALARMS:
        value = sample.gauge(role) if sample else None
        if value is not None:
            rows.append((name, count(value), "warn" if value else "dim"))
    return figures(rows, _FIGURES_WIDTH)


def _rates(sample: ShownEngine | None, room: Room) -> list[Line]:
    """Return tokens and requests a second, of the last 10 s."""

    def per_s(role: str) -> str:
        return rate(sample.per_s(role, sample.rank.rates_10s) if sample else None)

    rows: list[Figure] = [
        ("generated", rate(sample.rank.generated_per_s if sample else None), "device"),
        ("prompts", per_s("prompt_tokens")),
        ("computed", per_s("prefill_computed_tokens")),
        ("done", per_s("finished_requests")),
    ]
    retracted = sample.per_s("retracted_requests", sample.rank.rates_minute) if sample else None
    if retracted is not None:
        rows.append(("put back", rate(retracted), "warn" if retracted else "dim"))
    return figures(rows, min(24, room.second_width))
