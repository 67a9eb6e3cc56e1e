"""What the engine tells the sink of its cache."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from cache_core import events
from cache_core.engine import GenerateRequest, records
from tests.support.requests import forks, random_tokens
from tests.support.sinks import Sink

if TYPE_CHECKING:
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")


@pytest.fixture
def watched(checked: Callable[..., CheckedEngine]) -> tuple[CheckedEngine, Sink]:
    """An engine with tight pools whose cache has a sink."""
    engine = checked(page_size=1, window=16, full_slots=260, swa_slots=200, concurrency=5)
    sink = Sink()
    engine.cache.attach_sink(sink)
    return engine, sink


def test_every_step_is_told(watched: tuple[CheckedEngine, Sink], monkeypatch: pytest.MonkeyPatch) -> None:
    engine, sink = watched
    monkeypatch.setattr(records, "FLUSH_EVERY_NS", 0)
    engine.submit(GenerateRequest(random_tokens(random.Random(1), 20), 4))
    engine.step()
    (step,) = sink.of(events.EngineStep)
    assert (step.prefill_tokens, step.decode_tokens, step.running, step.waiting) == (20, 0, 1, 0)
    engine.step()
    step = sink.of(events.EngineStep)[-1]
    assert (step.prefill_tokens, step.decode_tokens) == (0, 1)
    assert step.duration_ns > 0
    assert not sink.records


def test_steps_in_a_row_are_flushed_now_and_then_and_the_last_one_at_once(
    watched: tuple[CheckedEngine, Sink], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, sink = watched
    monkeypatch.setattr(records, "FLUSH_EVERY_NS", 10**15)
    engine.submit(GenerateRequest(random_tokens(random.Random(1), 20), 4))
    while engine.running + engine.waiting:
        assert not sink.of(events.EngineStep) or sink.records
        engine.step()
    assert len(sink.of(events.EngineStep)) == 4
    assert not sink.records


def test_step_records_add_up_to_what_was_computed(watched: tuple[CheckedEngine, Sink]) -> None:
    engine, sink = watched
    engine.drain(forks(seed=1, output=12))
    steps = sink.of(events.EngineStep)
    assert sum(step.prefill_tokens + step.decode_tokens for step in steps) == engine.computed_tokens


def test_waiting_and_running_can_be_counted_from_the_records(watched: tuple[CheckedEngine, Sink]) -> None:
    engine, sink = watched
    source = random.Random(3)
    ends = engine.drain([GenerateRequest(random_tokens(source, 50), 60) for _ in range(5)])
    assert sum(end.retractions for end in ends) > 0
    waiting = running = 0
    for record in sink.flushed:
        waiting += isinstance(record, events.RequestQueued) - isinstance(record, events.RequestAdmitted)
        running += isinstance(record, events.RequestAdmitted)
        running -= isinstance(record, events.RequestFinished | events.RequestRetracted)
        if isinstance(record, events.EngineStep):
            assert (running, waiting) == (record.running, record.waiting)
    assert (running, waiting) == (0, 0)


def test_the_first_token_is_told_once_per_request(watched: tuple[CheckedEngine, Sink]) -> None:
    engine, sink = watched
    source = random.Random(3)
    engine.drain([GenerateRequest(random_tokens(source, 50), 60) for _ in range(5)])
    assert [record.request for record in sink.of(events.RequestFirstToken)] == [1, 2, 3, 4, 5]


def test_a_refusal_says_why(watched: tuple[CheckedEngine, Sink]) -> None:
    engine, sink = watched
    engine.drain([GenerateRequest(random_tokens(random.Random(1), 300), 4)])
    (refused,) = sink.of(events.RequestRefused)
    assert events.REASONS[refused.reason] == "too long for the pools"
    assert refused.prompt_tokens == 300


def test_every_pass_over_the_queue_is_told(watched: tuple[CheckedEngine, Sink]) -> None:
    engine, sink = watched
    engine.submit(GenerateRequest(random_tokens(random.Random(1), 9), 4))
    engine.submit(GenerateRequest(random_tokens(random.Random(2), 9), 4))
    engine.step()
    (only,) = sink.of(events.SchedulePass)
    assert (only.waiting, only.deprioritised, only.fell_back, only.limit) == (2, 0, 0, -1)
    assert only.duration_ns > 0
    engine.step()
    assert len(sink.of(events.SchedulePass)) == 1, "nobody waits, so nobody is put in order"
