"""A storm over the dashboard: more than 100,000 events a second, sizes that change, every view, fast refreshes.

What counts is how long the screen's thread is away at a stretch: so long nobody's key is heard.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict, dataclass
from random import Random

from radixtop.app import RadixtopApp
from radixtop.bench.published import published
from radixtop.garbage import set_aside
from radixtop.session import attach
from radixtop.settings.setting import Settings
from radixtop.view import VIEW_KEYS, VIEWS

REQUESTS_PER_S = 6_000.0
"""Some 20 events each: more than 100,000 events a second."""

_BEAT_S = 0.002
_SIZES = ((80, 24), (120, 40), (200, 60), (40, 12), (160, 48), (20, 5))


@dataclass(frozen=True, slots=True)
class Storm:
    """What came through a storm: events, how many of them were lost, and the longest time that no key was heard."""

    views: int
    resizes: int
    seconds: float
    events: int
    lost_events: int
    longest_gap_ms: float
    longest_gap_cpu_ms: float

    @property
    def events_per_s(self) -> float:
        """Events a second, those counted that were lost."""
        return (self.events + self.lost_events) / self.seconds

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        return {**asdict(self), "events_per_s": self.events_per_s}


class Heartbeat:
    """Measures how long the loop that it runs in is away: in wall time, and in processor time of its thread."""

    def __init__(self) -> None:
        self.longest_s = self.longest_cpu_s = 0.0

    async def beat(self) -> None:
        """Measure until cancelled."""
        wall, cpu = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(_BEAT_S)
            wall, before = time.perf_counter(), wall
            cpu, used = time.thread_time(), cpu
            self.longest_s = max(self.longest_s, wall - before - _BEAT_S)
            self.longest_cpu_s = max(self.longest_cpu_s, cpu - used)


def storm(
    nodes: int = 10_000,
    resizes_of_each: int = 6,
    hz: float = 30.0,
    seed: int = 0,
    requests_per_s: float = REQUESTS_PER_S,
) -> Storm:
    """Attach to a busy cache of so many nodes, and resize the screen in every view."""
    with published(nodes, requests_per_s) as pid:
        session = attach(f"shm:{pid}", 64_000_000)
        try:
            app = RadixtopApp(session, title="storm", settings=Settings(interval=1 / hz), at_rest=set_aside)
            return asyncio.run(_weathered(app, resizes_of_each, seed))
        finally:
            session.close()


async def _weathered(app: RadixtopApp, resizes_of_each: int, seed: int) -> Storm:
    rng, heartbeat, resizes = Random(seed), Heartbeat(), 0
    async with app.run_test(size=_SIZES[0]) as pilot:
        beating = asyncio.create_task(heartbeat.beat())
        began = time.perf_counter()
        for view_key in VIEW_KEYS.values():
            await pilot.press(view_key)
            for size in rng.choices(_SIZES, k=resizes_of_each):
                await pilot.resize_terminal(*size)
                await pilot.press(
                    *rng.choices(("down", "up", "pagedown", "tab", "enter", "escape", "plus", "minus"), k=2)
                )
                resizes += 1
        seconds = time.perf_counter() - began
        beating.cancel()
        snapshot = app._scene.frame.snapshot
        events, lost = (snapshot.seq + 1, snapshot.source.dropped_records) if snapshot else (0, 0)
    return Storm(len(VIEWS), resizes, seconds, events, lost, 1e3 * heartbeat.longest_s, 1e3 * heartbeat.longest_cpu_s)
