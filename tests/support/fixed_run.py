"""Makes the recording that screens are shown from: a seeded run of the engine whose times are made up.

python -m tests.support.fixed_run [FILE]

The workload `mixed` on pools that are too small for it; after a minute all of its texts change, and the hit rate
falls. The clock stands still but for what the run is said to cost, so that every machine writes the same records.
Without a file the one of the tests is made anew (`tests/data/recordings`). Needs the extra `live`.
"""

from __future__ import annotations

import lzma
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest.mock import patch

from cache_core import CacheConfig, PrefixCache
from cache_core.engine import Engine, EngineConfig
from cache_core.engine.ranges import MATCH, SETTLE, STEP
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.driving.drive import Surroundings, drive
from profiles.driving.pace import Pace
from profiles.workload import WORKLOADS, WorkloadConfig
from radixtop.serving.embedded import to_request
from tests.support.fixed_recording import PACKED

SECOND = 1_000_000_000
STARTED = 1_700_000_000 * SECOND
"""When the run began, on the calendar."""

PHASES = ((0, 330), (7, 100))
"""Seeds of the workload, and how many requests each serves."""

CONFIG = CacheConfig(components=("full", "swa"), window=128, full_slots=9_000, swa_slots=3_000)
ENGINE = EngineConfig(model="tiny", device="cpu", chunk_size=512, concurrency=6)
RATE_PER_S = 5.2


class MadeUpTime:
    """A clock that moves by what things are said to cost: a little for each look at it, much for a forward pass."""

    def __init__(self) -> None:
        self._rng = Random(0)
        self._now = 1_000 * SECOND
        self._computed_tokens = 0
        self.engine: Engine | None = None

    def __call__(self) -> int:
        """Return the time; a look costs some microseconds, now and then many more."""
        self._now += 800 + int(self._rng.expovariate(1 / 5_000))
        return self._now

    def idle(self, seconds: float) -> None:
        """Let time pass in which nothing is done."""
        self._now += round(seconds * SECOND)

    @contextmanager
    def range(self, name: str) -> Iterator[None]:
        """Let a forward pass take its time: by the prompt tokens in it, and some for those that decode."""
        yield
        if name not in (STEP, MATCH, SETTLE) and self.engine is not None:
            tokens = self.engine.prefilled_tokens - self._computed_tokens
            self._computed_tokens = self.engine.prefilled_tokens
            self._now += int((24_000_000 + 180_000 * tokens) * self._rng.uniform(0.85, 1.3))


def write_run(path: Path, folder: Path) -> None:
    """Serve all phases and record them; `folder` takes what a flight recorder needs beside its file."""
    clock = MadeUpTime()
    config = {"target": "embedded", "workload": "mixed", "model": "tiny", "device": "cpu", "seed": 0}
    with (
        patch("probes.recorder.time.time_ns", lambda: STARTED),
        patch("probes.recorder.os.getpid", lambda: 4_711),
        patch("probes.rings.governor.calibrate", lambda: 400.0),
    ):
        options = RecorderOptions(folder=folder, recording=path, budget=1.0, pools_every_ns=100_000_000)
        recorder = FlightRecorder({**config, **CONFIG.describe()}, options, clock)
    cache = PrefixCache(CONFIG, sink=recorder, clock=clock)
    recorder.follow(cache)
    engine = clock.engine = Engine(cache, ENGINE, clock=clock, ranges=clock.range)
    for seed, requests in PHASES:
        workload = WORKLOADS.load("mixed")(WorkloadConfig(seed=seed, vocabulary=engine.vocabulary))
        pace = Pace(rate_per_s=RATE_PER_S, requests=requests, seed=seed)
        drive(workload, engine, to_request, pace, Surroundings(clock, clock.idle))
    recorder.close("the workload was stopped")


def main() -> None:
    """Make the recording of the tests, or the file that was named."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "run.rtrec"
        write_run(path, folder / "ring")
        if len(sys.argv) == 1:
            PACKED.parent.mkdir(parents=True, exist_ok=True)
            PACKED.write_bytes(lzma.compress(path.read_bytes(), preset=9))


if __name__ == "__main__":
    main()
