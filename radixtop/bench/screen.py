"""How soon the dashboard is on the screen, against an empty Textual app, and what it costs when nothing happens."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass
from statistics import median

from radixtop.bench import empty_app
from radixtop.bench.figures import narrate
from radixtop.bench.terminal import Terminal, cpu_s

SIZE = (120, 40)
MARKER = "radixtop"
_RADIXTOP = (sys.executable, "-m", "radixtop")
_IDLE = (*_RADIXTOP, "live", "--requests", "8", "--hz", "1")
_EMPTY = (sys.executable, "-m", "radixtop.bench.empty_app")
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class FirstFrame:
    """Medians of alternating starts, from the start of the process to the marker on the screen."""

    runs: int
    radixtop_ms: float
    empty_textual_ms: float

    @property
    def ratio(self) -> float:
        """How many times as long as the empty app."""
        return self.radixtop_ms / self.empty_textual_ms

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return {**asdict(self), "ratio": self.ratio}


@dataclass(frozen=True, slots=True)
class IdleCost:
    """What the screen's process uses at 1 Hz while the cache that it shows is idle; the engine is not counted."""

    watched_s: float
    core_share: float

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return asdict(self)


def first_frame(runs: int = 7) -> FirstFrame:
    """Start the dashboard and the empty app in turns and return their medians."""
    frame_ms: dict[tuple[str, ...], list[float]] = {_RADIXTOP: [], _EMPTY: []}
    _start(_RADIXTOP, MARKER)  # both once for the file cache
    _start(_EMPTY, empty_app.MARKER)
    for number in range(runs):
        narrate(f"run {number + 1} of {runs}: first frame of the dashboard and of an empty app")
        frame_ms[_RADIXTOP].append(_start(_RADIXTOP, MARKER))
        frame_ms[_EMPTY].append(_start(_EMPTY, empty_app.MARKER))
    return FirstFrame(runs, median(frame_ms[_RADIXTOP]), median(frame_ms[_EMPTY]))


def idle_cost(watch_s: float = 10.0, served: str = "workload is served") -> IdleCost:
    """Watch the dashboard once its workload is served and return what its process uses."""
    narrate(f"an idle dashboard, for {watch_s:.0f} s")
    with Terminal(_IDLE, SIZE) as terminal:
        terminal.read_until(served, _TIMEOUT_S)
        terminal.read_for(2.0)  # the last samples settle
        used_s, began = cpu_s(terminal.process.pid), time.perf_counter()
        terminal.read_for(watch_s)
        watched_s = time.perf_counter() - began
        return IdleCost(watched_s, (cpu_s(terminal.process.pid) - used_s) / watched_s)


def _start(command: tuple[str, ...], marker: str) -> float:
    with Terminal(command, SIZE) as terminal:
        return 1e3 * terminal.read_until(marker, _TIMEOUT_S)
