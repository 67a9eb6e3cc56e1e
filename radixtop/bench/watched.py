"""What the dashboard uses while it is watched: processor time, bytes to the terminal, memory."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from radixtop.bench.figures import narrate
from radixtop.bench.first_frame import MARKER, PATIENCE_S, RADIXTOP
from radixtop.bench.published import published
from radixtop.bench.terminal import Terminal, cpu_s
from radixtop.view import VIEW_KEYS, VIEWS

SIZE = (120, 40)
NODES = 10_000
_SETTLE_S = 2.0
_HISTORY_S = 10.0
"""Graphs that are empty yet cost nothing."""


@dataclass(frozen=True, slots=True)
class IdleCost:
    """What the screen's process uses at 1 Hz while the cache that it shows is idle; the engine is not counted."""

    watched_s: float
    core_share: float

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ViewCost:
    """What a view costs at 1 Hz under a live load."""

    bytes_per_s: float
    core_share: float


@dataclass(frozen=True, slots=True)
class LiveCost:
    """The costs of every view on a workload of so many requests a second."""

    columns: int
    rows: int
    requests_per_s: float
    watched_s: float
    views: Mapping[str, ViewCost]

    def most(self, figure: str) -> float:
        """Return the largest of a figure over all views."""
        return max(float(getattr(cost, figure)) for cost in self.views.values())

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory of the screen's process, with a tree of so many nodes: at its first view, and after all."""

    nodes: int
    first_view_bytes: int
    all_views_bytes: int

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return asdict(self)


def idle_cost(watch_s: float = 10.0, served: str = "workload is served") -> IdleCost:
    """Watch the dashboard once its workload is served and return what its process uses."""
    narrate(f"an idle dashboard, for {watch_s:.0f} s")
    with Terminal((*RADIXTOP, "live", "--requests", "8", "--interval", "1"), SIZE) as terminal:
        terminal.read_until(served, PATIENCE_S)
        terminal.read_for(_SETTLE_S)  # the last samples settle
        watched_s, cost = _cost(terminal, watch_s)
        return IdleCost(watched_s, cost.core_share)


def live_cost(watch_s: float = 6.0, requests_per_s: float = 8.0, size: tuple[int, int] = SIZE) -> LiveCost:
    """Watch every view of a live workload for so long and return what each costs."""
    narrate(f"{len(VIEWS)} views of a live load at {size[0]}x{size[1]}, {watch_s:.0f} s each")
    command = (*RADIXTOP, "live", "--rate", str(requests_per_s), "--interval", "1")
    with Terminal(command, size, {"COLORTERM": "truecolor"}) as terminal:
        terminal.read_until(MARKER, PATIENCE_S)
        terminal.read_for(_HISTORY_S)
        views = {}
        for name, key in VIEW_KEYS.items():
            terminal.type(key)
            terminal.read_for(_SETTLE_S)
            views[name] = _cost(terminal, watch_s)[1]
        return LiveCost(*size, requests_per_s, watch_s, views)


def memory(nodes: int = NODES) -> Memory:
    """Attach to a published cache of so many nodes, look at every view, and return what the process holds."""
    narrate(f"memory of a dashboard on {nodes:,} nodes")
    with published(nodes, 8.0) as pid, Terminal((*RADIXTOP, "attach", f"shm:{pid}"), SIZE) as terminal:
        terminal.read_until(MARKER, PATIENCE_S)
        terminal.read_for(_HISTORY_S)  # the tree has come by then
        first = _resident_bytes(terminal.process.pid)
        for key in VIEW_KEYS.values():
            terminal.type(key)
            terminal.read_for(_SETTLE_S)
        return Memory(nodes, first, _resident_bytes(terminal.process.pid))


def _cost(terminal: Terminal, watch_s: float) -> tuple[float, ViewCost]:
    pid, written = terminal.process.pid, len(terminal.raw)
    used_s, began = cpu_s(pid), time.perf_counter()
    terminal.read_for(watch_s)
    watched_s = time.perf_counter() - began
    return watched_s, ViewCost((len(terminal.raw) - written) / watched_s, (cpu_s(pid) - used_s) / watched_s)


def _resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == "VmRSS":
            return int(value.split()[0]) * 1024
    raise RuntimeError(f"process {pid} has ended")
