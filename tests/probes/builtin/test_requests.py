"""Requests: who waits, who runs, and how long the first token took."""

from __future__ import annotations

from cache_core.events import (
    EngineStep,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    SchedulePass,
)
from probes.builtin.requests import Requests, RequestsSample
from probes.histogram import Quantiles
from tests.support.observing import S, feed, history, probe_of
from tests.support.records import record


def at(second: int, cls: type, request: int, reason: int = 0) -> Record:
    made: Record = record(cls, at=second * S, request=request, reason=reason)
    return made


LIFE = (
    at(1, RequestQueued, 1),
    at(1, RequestQueued, 2),
    at(1, RequestQueued, 3),
    at(1, RequestQueued, 4),
    at(1, RequestRefused, 4, reason=3),
    at(2, RequestAdmitted, 1),
    at(2, RequestAdmitted, 2),
    at(3, RequestFirstToken, 1),
    at(5, RequestFirstToken, 2),
    at(5, RequestRetracted, 2, reason=2),
    at(5, RequestQueued, 2),
    at(6, RequestFinished, 1),
)


def test_the_sample_of_a_few_lives() -> None:
    sample = probe_of(Requests, LIFE).sample(6 * S)
    assert sample == RequestsSample(
        waiting=2,
        running=0,
        admitted=2,
        finished=1,
        retracted=1,
        refused=1,
        ttft=Quantiles(2, 3e9, sample.ttft.p50, sample.ttft.p99),
        ttft_history=history(2e9, None, 4e9, None),
        queued=Quantiles(2, 1e9, sample.queued.p50, sample.queued.p99),
    )
    assert sample.ttft.p50 is not None
    assert abs(sample.ttft.p50 - 2e9) <= 2e9 / 64


def test_an_aborted_request_neither_waits_nor_runs() -> None:
    lives = [at(1, RequestQueued, 1), at(2, RequestAdmitted, 1), at(3, RequestRetracted, 1, reason=2)]
    sample = probe_of(Requests, lives).sample(3 * S)
    assert (sample.waiting, sample.running) == (0, 0)


def test_a_request_retracted_before_its_first_token_has_waited_since_it_came() -> None:
    lives = [at(1, RequestQueued, 1), at(2, RequestAdmitted, 1), at(3, RequestRetracted, 1), at(3, RequestQueued, 1)]
    sample = probe_of(Requests, [*lives, at(4, RequestAdmitted, 1), at(6, RequestFirstToken, 1)]).sample(6 * S)
    assert (sample.ttft.mean, sample.waiting, sample.running) == (5e9, 0, 1)


def test_a_first_token_counts_from_the_first_queueing_and_once() -> None:
    probe = probe_of(
        Requests,
        [at(1, RequestQueued, 1), at(4, RequestQueued, 1), at(5, RequestFirstToken, 1), at(9, RequestFirstToken, 1)],
    )
    assert (probe.sample(9 * S).ttft.count, probe.sample(9 * S).ttft.mean) == (1, 4e9)


def test_each_stay_in_the_queue_has_a_time_of_its_own() -> None:
    lives = [at(1, RequestQueued, 1), at(3, RequestAdmitted, 1), at(4, RequestRetracted, 1), at(4, RequestQueued, 1)]
    sample = probe_of(Requests, [*lives, at(9, RequestAdmitted, 1), at(9, RequestAdmitted, 2)]).sample(9 * S)
    assert (sample.queued.count, sample.queued.total) == (2, 7 * S)


def test_a_cache_without_a_queue_has_no_waiting_count() -> None:
    sample = probe_of(Requests, [at(1, RequestAdmitted, 1), at(1, RequestRetracted, 1)]).sample(S)
    assert (sample.waiting, sample.running) == (None, 0)


def test_after_a_loss_the_engines_own_counts_are_taken() -> None:
    probe = probe_of(Requests, LIFE)
    probe.lost()
    assert (probe.sample(S).waiting, probe.sample(S).running) == (None, None)
    feed(probe, [record(EngineStep, at=7 * S, running=5, waiting=9)])
    assert (probe.sample(S).waiting, probe.sample(S).running) == (9, 5)


def test_after_a_loss_the_engines_own_counts_follow_who_comes_and_goes() -> None:
    probe = probe_of(Requests, [])
    probe.lost()
    feed(probe, [record(EngineStep, at=7 * S, running=4, waiting=2), at(8, RequestQueued, 9)])
    feed(probe, [at(8, RequestAdmitted, 8), at(8, RequestFinished, 1), at(8, RequestRefused, 7, reason=3)])
    assert (probe.sample(8 * S).waiting, probe.sample(8 * S).running) == (1, 4)
    feed(probe, [at(9, RequestRetracted, request, reason=2) for request in (2, 3, 4, 8)])
    assert probe.sample(9 * S).running == 0


def test_a_first_token_of_a_request_queued_before_the_watch_has_no_time() -> None:
    assert probe_of(Requests, [at(5, RequestFirstToken, 1)]).sample(5 * S).ttft == Quantiles()


def test_passes_over_the_queue_are_unknown_until_one_is_told_and_are_added_up() -> None:
    probe = probe_of(Requests, LIFE)
    before = probe.sample(S)
    assert (before.schedule_passes, before.deferrals, before.fallbacks) == (None, None, None)
    feed(probe, [record(SchedulePass, at=S, waiting=9, deprioritised=n, fell_back=n == 0) for n in (3, 0, 2, 0)])
    sample = probe.sample(S)
    assert (sample.schedule_passes, sample.deferrals, sample.fallbacks) == (4, 5, 2)
