"""Serves a plant on the project's own engine and records it."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

from cache_core import PrefixCache, RadixKey, check_integrity
from cache_core.engine import GenerateRequest
from cache_core.engine.loop import EngineLoop
from cache_core.events import RequestAdmitted
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.driving.drive import Surroundings, drive
from profiles.recording import Recording
from profiles.step_costs import StepCosts
from profiles.workload import Prompt
from radixtop.replay.virtual_clock import VirtualClock
from radixtop.replay.virtual_engine import VirtualEngine
from radixtop.serving import embedded
from tests.support.faults.plant import LEAF_TOKENS, Names, Plant

COSTS = StepCosts("a small model on a small machine", 22_000.0, 4_000_000, 100_000, 1_000_000)


OLD_TOKEN = 1_000_000
"""No workload has such tokens."""


class WorkingClock(VirtualClock):
    """A virtual clock that goes on, too, while the cache works: by the time that the thread was on a processor."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        super().__init__()
        self._seen = time.thread_time_ns()

    def __call__(self) -> int:
        seen = time.thread_time_ns()
        self.now += seen - self._seen
        self._seen = seen
        return self.now


def write(plant: Plant, path: Path, *, real: bool = False) -> Path:
    """Serve a plant, on the engine with a model if `real`, and record it to a file."""
    run = plant.run
    clock = WorkingClock() if plant.leaves else VirtualClock()
    tick = time.perf_counter_ns if real else clock
    config = embedded.cache_config(run)
    options = RecorderOptions(folder=path.parent / "ring", recording=path, budget=1.0)
    with patch("probes.rings.governor.calibrate", lambda: 400.0):
        recorder = FlightRecorder(embedded.describe(run, config), options, tick)
    cache = PrefixCache(config, sink=recorder, clock=tick)
    recorder.follow(cache)
    _fill(cache, plant.leaves)
    engine: EngineLoop
    if real:
        from cache_core.engine import Engine

        engine, around = Engine(cache, embedded.engine_config(run)), Surroundings()
    else:
        engine = VirtualEngine(cache, embedded.engine_config(run), COSTS, clock=clock)
        around = Surroundings(clock, clock.idle)
    translate = partial(_request_of, names=plant.names)
    drive(plant.workload(), engine, translate, embedded.pace(run), around)
    check_integrity(cache)
    engine.close()
    recorder.close("the workload is done")
    return path


def hit_rate_of(path: Path) -> float:
    """Return the share (0..1) of its prompt tokens that a recording hit, each request at its first admission."""
    with Recording(path) as recording:
        first: dict[int, RequestAdmitted] = {}
        for record in recording.records({RequestAdmitted}):
            assert isinstance(record, RequestAdmitted)
            first.setdefault(record.request, record)
    return sum(each.device_hit_tokens for each in first.values()) / sum(each.prompt_tokens for each in first.values())


def _request_of(prompt: Prompt, names: Names) -> GenerateRequest:
    """Return the request of a prompt as an engine gets it from those who name texts, roles, or nothing."""
    request = embedded.to_request(prompt)
    if names == "texts":
        return request
    begin, end = prompt.segments[-2][0], prompt.segments[-1][0]
    roles = ((0, "system"), (begin, "user"), (end, "assistant"))
    return replace(request, segments=roles if names == "roles" and begin else ())


def _fill(cache: PrefixCache, leaves: int) -> None:
    """Put so many entries of LEAF_TOKENS into a cache: what short prompts of an hour ago left there."""
    for number in range(leaves):
        key = RadixKey([OLD_TOKEN + number] * LEAF_TOKENS)
        cache.insert(key, cache.allocate(LEAF_TOKENS))
