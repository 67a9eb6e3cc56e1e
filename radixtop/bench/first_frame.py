"""How soon the dashboard is on the screen, against an empty Textual app, and `--help` against a bare Python."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from statistics import median

from radixtop.bench import empty_app
from radixtop.bench.figures import narrate
from radixtop.bench.published import published
from radixtop.bench.terminal import Terminal

SIZE = (120, 40)
MARKER = "hit rate"
"""The title of a panel: it stands in the first frame, together with header and footer; figures come later."""

RADIXTOP = (sys.executable, "-m", "radixtop")
PATIENCE_S = 60.0
_EMPTY = (sys.executable, "-m", "radixtop.bench.empty_app")
_NODES = 1_000


@dataclass(frozen=True, slots=True)
class FirstFrame:
    """Medians of starts in turns, from the start of the process to the marker on the screen.

    Ratios are to the empty app, of the fastest start of each: what else the machine does only ever adds to one.
    """

    runs: int
    radixtop_ms: float
    attached_ms: float
    empty_textual_ms: float
    ratio: float
    attached_ratio: float

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Help:
    """Medians of starts in turns: `radixtop --help`, and an interpreter that does nothing."""

    runs: int
    help_ms: float
    python_ms: float

    @property
    def ratio(self) -> float:
        """How many times as long as doing nothing."""
        return self.help_ms / self.python_ms

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return {**asdict(self), "ratio": self.ratio}


def first_frame(runs: int = 7) -> FirstFrame:
    """Start the dashboard on a workload, on a published cache, and the empty app in turns, and compare them."""
    with published(_NODES) as pid:
        starts: tuple[tuple[tuple[str, ...], str], ...] = (
            (RADIXTOP, MARKER),
            ((*RADIXTOP, "attach", f"shm:{pid}"), MARKER),
            (_EMPTY, empty_app.MARKER),
        )
        for start in starts:
            _start(*start)  # once for the file cache
        took_ms: list[list[float]] = [[] for _ in starts]
        for number in range(runs):
            narrate(f"run {number + 1} of {runs}: first frame, live and attached, and of an empty app")
            for start, times in zip(starts, took_ms, strict=True):
                times.append(_start(*start))
    *ours, empty = map(min, took_ms)
    return FirstFrame(runs, *map(median, took_ms), *(least / empty for least in ours))


def help_time(runs: int = 21) -> Help:
    """Run `--help` and an empty program in turns and return their medians."""
    narrate(f"--help and an empty program, {runs} times each")
    commands = ((*RADIXTOP, "--help"), (sys.executable, "-c", "pass"))
    took_ms: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for command, times in zip(commands, took_ms, strict=True):
            began = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            times.append(1e3 * (time.perf_counter() - began))
    return Help(runs, *map(median, took_ms))


def _start(command: tuple[str, ...], marker: str) -> float:
    with Terminal(command, SIZE) as terminal:
        return 1e3 * terminal.read_until(marker, PATIENCE_S)
