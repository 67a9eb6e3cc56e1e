"""Hits: counted once per request, over windows and in total."""

from __future__ import annotations

from cache_core.events import Match, RequestAdmitted, RequestFinished, RequestRetracted
from probes.builtin.hit_rate import HitRate, HitRateSample, HitTotals
from tests.support.observing import S, history, probe_of
from tests.support.records import record


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
        last_10s=HitTotals(2, 300, 215, 245),
        last_minute=HitTotals(3, 400, 265, 305),
        total=HitTotals(4, 500, 265, 305),
        history=history(0.5, None, None, None, None, None, None, None, None, 0.75, 0.65),
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
