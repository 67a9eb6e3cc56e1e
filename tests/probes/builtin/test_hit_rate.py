"""Hits: counted once per request, over windows and in total."""

from __future__ import annotations

import pytest

from cache_core.events import (
    LOAD_FAILED,
    Match,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
)
from probes.builtin.hit_rate import HitRate, HitRateSample, HitTotals
from tests.support.observing import S, feed, history, probe_of
from tests.support.records import R, record


def admitted(at: int, request: int, prompt: int, hit: int, gap: int = 0, host: int = 0) -> RequestAdmitted:
    return record(
        RequestAdmitted, at=at, request=request, prompt_tokens=prompt, device_hit_tokens=hit, host_hit_tokens=host,
        recomputed_tokens=gap, new_tokens=prompt - hit - host - gap,
    )  # fmt: skip


def test_the_sample_of_a_few_requests() -> None:
    probe = probe_of(
        HitRate,
        [
            admitted(5 * S, 1, prompt=100, hit=0),
            admitted(70 * S, 2, prompt=100, hit=50, gap=10),
            admitted(79 * S, 3, prompt=200, hit=150),
            admitted(80 * S, 4, prompt=100, hit=60, gap=30, host=5),
        ],
    )
    assert probe.sample(80 * S + 1) == HitRateSample(
        last_10s=HitTotals(2, 300, 210, 245, 5),
        last_minute=HitTotals(3, 400, 260, 305, 5),
        total=HitTotals(4, 500, 260, 305, 5),
        history=history(0.5, None, None, None, None, None, None, None, None, 0.75, 0.6),
        full_history=history(0.6, None, None, None, None, None, None, None, None, 0.75, 0.95),
    )


def test_a_bare_match_is_no_query() -> None:
    probe = probe_of(HitRate, [record(Match, at=S, queried_tokens=50, device_hit_tokens=50)])
    assert probe.sample(S).total == HitTotals()


def test_a_retracted_request_is_not_counted_again_on_its_return() -> None:
    probe = probe_of(
        HitRate,
        [
            admitted(S, 1, prompt=100, hit=20),
            record(RequestRetracted, at=S, request=1),
            admitted(2 * S, 1, prompt=110, hit=90),
            record(RequestFinished, at=3 * S, request=1),
        ],
    )
    assert probe.sample(3 * S).total == HitTotals(1, 100, 20, 20)
    assert probe.sample(3 * S).resumed == HitTotals(1, 110, 90, 90)


def test_an_id_used_again_after_its_end_is_another_request() -> None:
    probe = probe_of(
        HitRate,
        [
            admitted(S, 1, prompt=100, hit=20),
            record(RequestRetracted, at=S, request=1),
            record(RequestFinished, at=S, request=1),
            admitted(2 * S, 1, prompt=100, hit=40),
        ],
    )
    assert probe.sample(3 * S).total == HitTotals(2, 200, 60, 60)


def test_the_rates_of_no_queries_are_unknown() -> None:
    assert (HitTotals().hit_rate, HitTotals().full_hit_rate) == (None, None)


def test_the_rates_and_the_gap_of_some_queries() -> None:
    totals = HitTotals(3, 200, 50, 80)
    assert (totals.hit_rate, totals.full_hit_rate, totals.gap_tokens) == (0.25, 0.4, 30)


def loaded(cls: type[R], at: int, request: int, tokens: int, **fields: int) -> R:
    return record(cls, at=at, request=request, host_hit_tokens=tokens, **fields)


def test_a_host_hit_counts_once_it_is_loaded_and_in_the_second_of_its_admission() -> None:
    probe = probe_of(HitRate, [admitted(S, 1, prompt=100, hit=20, host=50, gap=10)])
    assert probe.sample(S).total == HitTotals(1, 100, 20, 80, 50, 0)
    feed(probe, [loaded(RequestPrefilled, 2 * S, 1, 50), loaded(RequestPrefilled, 3 * S, 1, 50)])
    total = probe.sample(3 * S).total
    assert total == HitTotals(1, 100, 70, 80, 50, 50)
    assert (total.device_hit_tokens, total.hit_rate, total.host_share, total.unloaded_tokens) == (20, 0.7, 0.5, 0)
    assert probe.sample(3 * S).history == history(0.7, None, None)


def test_a_load_that_was_refused_is_missed() -> None:
    probe = probe_of(HitRate, [admitted(S, 1, prompt=100, hit=20, host=50), loaded(RequestPrefilled, S, 1, 0)])
    total = probe.sample(S).total
    assert (total.hit_rate, total.full_hit_rate, total.gap_tokens, total.unloaded_tokens) == (0.2, 0.7, 50, 50)


def test_a_request_that_ends_before_its_first_prefill_tells_what_it_loaded() -> None:
    probe = probe_of(HitRate, [admitted(S, 1, prompt=100, hit=20, host=50), loaded(RequestRetracted, S, 1, 50)])
    assert probe.sample(S).total == HitTotals(1, 100, 70, 70, 50, 50)


@pytest.mark.parametrize("told", [[], [loaded(RequestPrefilled, S, 1, 50)]], ids=["at once", "after a prefill"])
def test_a_load_that_failed_is_missed(told: list[Record]) -> None:
    failed = loaded(RequestRetracted, 2 * S, 1, 50, reason=LOAD_FAILED)
    probe = probe_of(HitRate, [admitted(S, 1, prompt=100, hit=20, host=50), *told, failed])
    assert probe.sample(S).total == HitTotals(1, 100, 20, 70, 50, 0)


def test_what_a_resumed_request_loads_is_counted_with_the_resumed() -> None:
    probe = probe_of(
        HitRate,
        [
            admitted(S, 1, prompt=100, hit=20),
            record(RequestRetracted, at=S, request=1),
            admitted(2 * S, 1, prompt=110, hit=30, host=60),
            loaded(RequestFinished, 3 * S, 1, 60),
        ],
    )
    sample = probe.sample(3 * S)
    assert (sample.total, sample.resumed) == (HitTotals(1, 100, 20, 20), HitTotals(1, 110, 90, 90, 60, 60))


def test_after_a_loss_of_records_what_was_loaded_is_not_guessed() -> None:
    probe = probe_of(HitRate, [admitted(S, 1, prompt=100, hit=20, host=50)])
    probe.lost()
    feed(probe, [loaded(RequestPrefilled, S, 1, 50)])
    assert probe.sample(S).total.hit_tokens == 20
