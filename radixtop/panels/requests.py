"""Requests by state, the time to their first token, and what their schedule did."""

from __future__ import annotations

from typing import ClassVar

from probes.builtin.requests import RequestsSample
from probes.histogram import Quantiles
from radixtop.panel import Canvas, Panel
from radixtop.render.figures import Figure, alarm, figures
from radixtop.render.graph import topped
from radixtop.render.layout import Room, with_history
from radixtop.render.lines import Line, Role
from radixtop.render.units import count, duration, grouped

_FIGURES_WIDTH = 16
_RAMP: tuple[Role, ...] = ("flow0", "flow1")


class RequestsPanel(Panel[RequestsSample]):
    """Who waits, who runs, who is done, how long the first token took, and whether the schedule was followed.

    A schedule that gave way to first come, first served is said in a panel of any size.
    """

    sample: ClassVar[type] = RequestsSample

    def paint(self, sample: RequestsSample | None, canvas: Canvas) -> list[Line]:
        """Return the states at the left, the time to first token at the right, and its history."""
        room = Room(canvas.width, canvas.height, _FIGURES_WIDTH)
        history = sample.ttft_history if sample else ()
        return with_history(_states(sample), _ttft(sample, room), room, history, _RAMP)

    def note(self, sample: RequestsSample | None) -> str:
        """Say what the graph shows, and the value at its top."""
        return topped("ttft over 60 s", sample.ttft_history if sample else (), duration)


def _states(sample: RequestsSample | None) -> list[Line]:
    retracted = sample.retracted if sample else None
    refused = sample.refused if sample else None
    return figures(
        [
            ("running", grouped(sample.running if sample else None), "accent"),
            ("waiting", grouped(sample.waiting if sample else None)),
            ("finished", count(sample.finished if sample else None)),
            ("retracted", count(retracted), alarm(retracted)),
            ("refused", count(refused), alarm(refused, "bad")),
        ],
        _FIGURES_WIDTH,
    )


def _ttft(sample: RequestsSample | None, room: Room) -> list[Line]:
    ttft = sample.ttft if sample else Quantiles()
    fallbacks = sample.fallbacks if sample else None
    rows: list[Figure] = [("ttft p50", duration(ttft.p50)), ("p99", duration(ttft.p99))]
    if room.height >= 8:
        rows += [("mean", duration(ttft.mean))]
    if room.height >= 10:
        rows += [("first tokens", count(ttft.count if sample else None))]
    if room.height >= 8:
        rows += [("deferrals", count(sample.deferrals if sample else None))]
    if room.height >= 8 or fallbacks:
        rows += [("fallbacks", count(fallbacks), alarm(fallbacks))]
    return figures(rows, min(24, room.second_width))
