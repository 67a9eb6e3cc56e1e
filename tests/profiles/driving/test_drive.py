"""The driver: limits, pacing, follow-ups, and that a run depends on the seed alone."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cache_core.errors import ConfigError
from profiles.driving.drive import Driven, Surroundings, drive
from profiles.driving.pace import Pace
from profiles.workload import WORKLOADS, Prompt, WorkloadConfig
from tests.support.fake_engine import FakeEngine


def run(engine: FakeEngine, pace: Pace, name: str = "mixed", requests: int | None = None, **around: object) -> Driven:
    workload = WORKLOADS.load(name)(WorkloadConfig(requests=requests))
    surroundings = Surroundings(clock=engine.clock, idle=engine.clock.idle, **around)  # type: ignore[arg-type]
    return drive(workload, engine, lambda prompt: prompt, pace, surroundings)


def is_reply(prompt: Prompt) -> bool:
    return any(name == "user turn 2" for _, name in prompt.segments)


def test_a_bound_on_requests_counts_follow_ups_and_waits_for_every_answer() -> None:
    engine = FakeEngine()
    assert run(engine, Pace(requests=60)) == Driven(60, 60, engine.clock.now, "requests")
    assert len(engine.sent) == 60
    assert any(map(is_reply, engine.sent))
    assert not engine.has_work


def test_a_workload_that_ends_ends_the_run_after_its_follow_ups() -> None:
    engine = FakeEngine()
    driven = run(engine, Pace(), name="chat", requests=5)
    assert driven.ended_by == "workload"
    assert driven.finished == driven.submitted == len(engine.sent) > 5


def test_no_more_than_concurrency_are_outstanding() -> None:
    engine = FakeEngine()
    run(engine, Pace(concurrency=3, requests=20))
    assert engine.most_outstanding == 3


def test_the_duration_ends_a_run_with_requests_still_running() -> None:
    engine = FakeEngine(step_ns=10_000_000)
    driven = run(engine, Pace(duration_ns=95_000_000))
    assert (driven.ended_by, driven.duration_ns) == ("duration", 100_000_000)
    assert driven.finished < driven.submitted


def test_stop_ends_a_run_before_the_next_step() -> None:
    engine = FakeEngine()
    asked = iter([False] * 4 + [True])
    assert run(engine, Pace(), stop=lambda: next(asked)).ended_by == "stop"
    assert engine.clock.now == 4 * engine.step_ns


def test_arrivals_come_at_the_rate() -> None:
    engine = FakeEngine(step_ns=1_000_000)
    driven = run(engine, Pace(rate_per_s=20.0, requests=400))
    assert driven.duration_ns == pytest.approx(20e9, rel=0.15)
    gaps = [later - earlier for earlier, later in pairwise(engine.sent_at)]
    assert sum(gap > 100_000_000 for gap in gaps) == pytest.approx(400 * 0.135, rel=0.35)  # exp(-2) of them


def test_arrivals_do_not_wait_for_answers() -> None:
    engine = FakeEngine(steps_per_request=200, step_ns=10_000_000)
    run(engine, Pace(concurrency=1, rate_per_s=50.0, requests=60))
    assert engine.most_outstanding == 60


def test_the_same_seed_arrives_at_the_same_times() -> None:
    engines = [FakeEngine() for _ in range(3)]
    for engine, seed in zip(engines, (1, 1, 2), strict=True):
        run(engine, Pace(rate_per_s=20.0, requests=30, seed=seed))
    assert engines[0].sent_at == engines[1].sent_at != engines[2].sent_at


def test_nothing_running_waits_without_spinning() -> None:
    engine, waits = FakeEngine(steps_per_request=1), []

    def idle(seconds: float) -> None:
        waits.append(seconds)
        engine.clock.idle(seconds)

    surroundings = Surroundings(clock=engine.clock, idle=idle)
    workload = WORKLOADS.load("chat")(WorkloadConfig())
    drive(workload, engine, lambda prompt: prompt, Pace(rate_per_s=2.0, duration_ns=10_000_000_000), surroundings)
    assert max(waits) <= 0.05
    assert sum(waits) > 9
    assert len(waits) < 10 / 0.05 + 2 * len(engine.sent)


def test_a_follow_up_waits_until_enough_others_wait() -> None:
    engine = FakeEngine()
    run(engine, Pace(concurrency=1, pondering=3, requests=12), name="chat")
    assert [is_reply(prompt) for prompt in engine.sent[:5]] == [False, False, False, False, True]
    assert engine.sent[4].tokens[: len(engine.sent[0].tokens)] == engine.sent[0].tokens


def test_without_a_pause_a_conversation_goes_on_at_once() -> None:
    engine = FakeEngine()
    run(engine, Pace(concurrency=1, pondering=0, requests=2), name="chat")
    assert engine.sent[1].tokens[: len(engine.sent[0].tokens)] == engine.sent[0].tokens


def test_a_refused_turn_ends_its_conversation_only() -> None:
    engine = FakeEngine(refuse=frozenset({101}))
    driven = run(engine, Pace(), name="chat", requests=2)
    assert driven.finished == driven.submitted
    assert not any(prompt.tokens[: len(engine.sent[0].tokens)] == engine.sent[0].tokens for prompt in engine.sent[1:])
    assert any(map(is_reply, engine.sent))


@pytest.mark.parametrize(("pace", "why"), [({"concurrency": 0}, "at least 1"), ({"rate_per_s": 0.0}, "above 0")])
def test_a_pace_that_sends_nothing_is_refused(pace: dict[str, float], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        Pace(**pace)  # type: ignore[arg-type]
