"""The engine without a model does what the cache sees of the real one, on a clock that its steps alone move."""

from __future__ import annotations

from array import array

import pytest

from cache_core import CacheConfig, PrefixCache, check_integrity
from cache_core.engine import EngineConfig, Finished, GenerateRequest
from cache_core.events import EngineStep, RequestFirstToken, RequestQueued
from cache_core.key import MAX_TOKEN
from profiles.driving.drive import Surroundings, drive
from profiles.driving.pace import Pace
from profiles.step_costs import StepCosts
from profiles.workload import WORKLOADS, WorkloadConfig
from radixtop.replay.made_up_outputs import drawn, own_token
from radixtop.replay.virtual_clock import START_NS, VirtualClock
from radixtop.replay.virtual_engine import VirtualEngine
from radixtop.serving.embedded import to_request
from tests.support.sinks import Sink

MS = 1_000_000
COSTS = StepCosts("made up", 1_000.0, 10 * MS, 2 * MS, 1 * MS)
"""A prefilled token takes 1 ms, a step that decodes 10 ms and 2 ms for each request, every step 1 ms more."""


def engine_of(config: CacheConfig, sink: Sink | None = None, **settings: object) -> VirtualEngine:
    clock = VirtualClock()
    cache = PrefixCache(config, sink=sink, clock=clock)
    return VirtualEngine(cache, EngineConfig(**settings), COSTS, clock=clock)  # type: ignore[arg-type]


def drained(engine: VirtualEngine) -> list[Finished]:
    ends: list[Finished] = []
    while engine.has_work:
        ends += engine.step()
    check_integrity(engine.cache)
    return sorted(ends, key=lambda end: end.request_id)


def asked(first: int, tokens: int, outputs: int) -> GenerateRequest:
    return GenerateRequest(array("i", range(first, first + tokens)), outputs)


FULL = CacheConfig(components=("full",), full_slots=1_000)


def test_two_requests_take_what_can_be_computed_by_hand() -> None:
    engine = engine_of(FULL, chunk_size=100, concurrency=2)
    engine.submit(asked(0, 100, 3))
    engine.submit(asked(500, 60, 2))
    first, second = drained(engine)
    # 1: 100 tokens; 2: 60 tokens, the first decodes; 3: both decode, and both are done
    steps = [1 + 100, 1 + 60 + 10 + 2, 1 + 10 + 4]
    assert first.ttft_ns == steps[0] * MS
    assert second.ttft_ns == (steps[0] + steps[1]) * MS
    assert first.duration_ns == second.duration_ns == sum(steps) * MS
    assert engine.clock.now == START_NS + sum(steps) * MS


def test_what_hits_is_not_paid_for() -> None:
    engine = engine_of(FULL, chunk_size=100, concurrency=1)
    engine.submit(asked(0, 100, 1))
    engine.submit(asked(0, 100, 1))
    cold, warm = drained(engine)
    assert (cold.hit_tokens, warm.hit_tokens) == (0, 99)
    assert warm.ttft_ns is not None and cold.ttft_ns is not None
    assert warm.ttft_ns - cold.ttft_ns == (1 + 1) * MS


def test_what_arrives_in_a_step_waits_from_that_moment() -> None:
    sink = Sink()
    engine = engine_of(FULL, sink, chunk_size=100, concurrency=2)
    arrivals = [START_NS + 30 * MS]

    def arrive(until: int) -> None:
        while arrivals and arrivals[0] <= until:
            engine.clock.advance_to(arrivals.pop(0))
            engine.submit(asked(500, 50, 1))

    engine._passing = arrive
    engine.submit(asked(0, 100, 1))
    first, second = drained(engine)
    assert first.ttft_ns == 101 * MS
    assert second.ttft_ns == (101 - 30 + 51) * MS
    queued = [record.at for record in sink.flushed if isinstance(record, RequestQueued)]
    assert queued == [START_NS, START_NS + 30 * MS]


def test_tight_pools_retract_and_everybody_ends() -> None:
    engine = engine_of(
        CacheConfig(components=("full",), full_slots=64), chunk_size=32, concurrency=4, reserve_tokens=0
    )
    for number in range(4):
        engine.submit(asked(100 * number, 12, 20))
    ends = drained(engine)
    assert sum(end.retractions for end in ends) > 0
    assert all(len(end.output) == 20 and not end.refused for end in ends)


def test_what_no_pool_holds_is_refused() -> None:
    engine = engine_of(CacheConfig(components=("full",), full_slots=64))
    engine.submit(asked(0, 100, 1))
    (end,) = drained(engine)
    assert "100 tokens" in end.refused


def test_records_tell_the_virtual_time() -> None:
    sink = Sink()
    engine = engine_of(FULL, sink, chunk_size=100)
    engine.submit(asked(0, 100, 2))
    drained(engine)
    engine.close()
    steps = [record for record in sink.flushed if isinstance(record, EngineStep)]
    assert [(step.duration_ns, step.prefill_tokens, step.decode_tokens) for step in steps] == [
        (101 * MS, 100, 0),
        (13 * MS, 0, 1),
    ]
    (spoke,) = (record for record in sink.flushed if isinstance(record, RequestFirstToken))
    assert spoke.at == START_NS + 101 * MS


@pytest.mark.parametrize("components", [("full", "swa"), ("full", "mamba"), ("full", "swa", "mamba")])
def test_every_kind_of_cache_serves_a_workload(components: tuple[str, ...]) -> None:
    config = CacheConfig(
        page_size=4,
        components=components,
        window=128 if "swa" in components else None,
        full_slots=8_000,
        host_slots=4_000,
    )
    engine = engine_of(config)
    workload = WORKLOADS.load("mixed")(WorkloadConfig(seed=1))
    around = Surroundings(clock=engine.clock, idle=engine.clock.idle)
    driven = drive(workload, engine, to_request, Pace(requests=60, rate_per_s=2.0), around)
    check_integrity(engine.cache)
    assert (driven.finished, driven.ended_by) == (60, "requests")


def test_a_run_is_the_same_again() -> None:
    def outputs() -> list[Finished]:
        engine = engine_of(CacheConfig(components=("full",), full_slots=600))
        for number in range(20):
            engine.submit(asked(number % 3, 50, 6))
        return drained(engine)

    assert outputs() == outputs()


def test_voices_depend_on_the_request_alone() -> None:
    say = drawn(3, 100)
    assert [say(1, index) for index in range(50)] == [drawn(3, 100)(1, index) for index in range(50)]
    assert len({say(1, index) for index in range(50)}) > 20
    assert {own_token(7, index) for index in range(5)} == {MAX_TOKEN - 7}


@pytest.mark.needs("torch")
@pytest.mark.parametrize("components", [("full",), ("full", "swa")])
def test_the_cache_sees_what_it_sees_of_a_model(components: tuple[str, ...]) -> None:
    from cache_core.engine import Engine

    window = 16 if "swa" in components else None
    config = CacheConfig(page_size=4, components=components, window=window, full_slots=320, swa_slots=window and 160)
    settings = EngineConfig(chunk_size=32, concurrency=4, reserve_tokens=0)
    prompts = [asked(10 * (number % 4), 40 + 3 * number, 1 + number) for number in range(24)]
    clock = VirtualClock()
    virtual = VirtualEngine(PrefixCache(config, clock=clock), settings, COSTS, clock=clock)
    real = Engine(PrefixCache(config), settings)
    seen = []
    for engine in (virtual, real):
        for prompt in prompts:
            engine.submit(prompt)
        ends = []
        while engine.has_work:
            ends += engine.step()
        seen.append([(end.request_id, end.hit_tokens, end.retractions, bool(end.refused)) for end in ends])
        engine.close()
    assert seen[0] == seen[1]
    assert any(retractions for _, _, retractions, _ in seen[0])
    assert any(hit for _, hit, _, _ in seen[0])
