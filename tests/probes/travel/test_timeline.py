"""A whole run in few buckets: nothing is lost, whatever its length, and the moments that matter are found."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cache_core.events import Evict, RequestAdmitted, RequestPrefilled, RequestRetracted
from probes.builtin.hit_rate import HitRateSample
from probes.travel.file_footage import FileFootage
from probes.travel.notable import Notable, largest_fall, notables
from probes.travel.timeline import FIRST_BUCKET_NS, MOST_BUCKETS, Timeline, TimelineFold
from probes.travel.timeline_scan import TimelineScan
from tests.support.travelled import STARTED, fresh, write_run

S = 1_000_000_000


def admitted(at: int, request: int, prompt: int = 100, hit: int = 60, host: int = 0) -> RequestAdmitted:
    return RequestAdmitted(at, request, prompt, hit, host, 0, prompt - hit - host, 0, 0)


def folded(*records: object, start: int | None = None) -> Timeline:
    fold = TimelineFold(start)
    for record in records:
        fold.folds()[type(record)](record)
    timeline = fold.timeline()
    assert timeline is not None
    return timeline


def test_nothing_is_known_of_a_run_without_records() -> None:
    assert TimelineFold().timeline() is None


def test_tokens_lie_in_the_bucket_of_their_time() -> None:
    timeline = folded(admitted(5 * S, 1), admitted(5 * S + FIRST_BUCKET_NS, 2), admitted(5 * S, 3))
    assert (timeline.start, timeline.queried_tokens, timeline.hit_tokens) == (5 * S, (200, 100), (120, 60))


def test_a_return_after_a_retraction_is_not_counted_again() -> None:
    gone = RequestRetracted(2, 1, 0, 0, 0, 0, 0, 0, 0)
    assert folded(admitted(1, 1), gone, admitted(3, 1)).queried_tokens == (100,)


def test_what_is_loaded_counts_where_the_request_was_admitted() -> None:
    told = RequestPrefilled(10 * S, 1, 100, 60, 30, 0, 10, 0, 0)
    assert folded(admitted(0, 1, host=30), told).hit_tokens[0] == 90


def test_a_long_run_takes_no_more_buckets_and_loses_no_token() -> None:
    times = [number * 7 * S for number in range(3_000)]
    timeline = folded(*(admitted(at, number) for number, at in enumerate(times)), start=0)
    assert len(timeline.queried_tokens) <= MOST_BUCKETS
    assert sum(timeline.queried_tokens) == 300_000
    assert timeline.begin_of(len(timeline.queried_tokens)) > times[-1]


@pytest.mark.parametrize("at", [-(2**62), 2**62])
def test_times_that_cannot_be_are_put_at_an_edge(at: int) -> None:
    timeline = folded(admitted(S, 1), admitted(at, 2))
    assert len(timeline.queried_tokens) <= MOST_BUCKETS and sum(timeline.queried_tokens) == 200


def test_evictions_of_all_components_are_added_up() -> None:
    evict = Evict(S, 5, 0, 10, 0, 1, 0, 1, 0, 2, (30, 12))
    assert folded(admitted(S, 1), evict).evicted_tokens == (42,)


def test_a_file_is_scanned_in_slices_and_agrees_with_the_hit_rate(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.rtrec", steps=200)
    footage = FileFootage(path)
    scan = TimelineScan(footage.reader(), footage.start)
    known = []
    while not scan.is_over:
        turns = iter([True] * 20)
        scan.go_on(lambda turns=turns: next(turns, False))
        known.append(scan.fold.counted_until)
    timeline = scan.fold.timeline()
    total = fresh(path, footage.end)[1].get(HitRateSample)
    assert timeline is not None and total is not None
    assert len(known) > 5 and known == sorted(known)
    assert sum(timeline.queried_tokens) == total.total.queried_tokens
    assert sum(timeline.hit_tokens) == total.total.hit_tokens
    footage.close()


def run_of(rates: list[float], evicted: list[int] | None = None) -> Timeline:
    """A run that asks for 1,000 tokens a second."""
    buckets = len(rates)
    hits = tuple(round(1_000 * rate) for rate in rates)
    return Timeline(STARTED, S, STARTED + buckets * S, (1_000,) * buckets, hits, tuple(evicted or [0] * buckets))


def test_the_fall_of_the_hit_rate_is_found_where_it_began() -> None:
    found = largest_fall(notables(run_of([0.2] * 30 + [0.8] * 60 + [0.3] * 60)))
    assert found == Notable(STARTED + 90 * S, "fall", pytest.approx(0.5))


def test_of_two_falls_both_are_moments_and_the_larger_one_is_marked() -> None:
    found = notables(run_of([0.9] * 50 + [0.7] * 50 + [0.8] * 30 + [0.2] * 50))
    assert [one.at for one in found] == [STARTED + 50 * S, STARTED + 130 * S]
    assert largest_fall(found) == found[1]


def test_a_rate_that_wavers_or_rises_never_fell() -> None:
    wavering = [0.5 + 0.04 * (-1) ** second for second in range(100)]
    assert notables(run_of(wavering)) == notables(run_of([0.1 * (second // 10) for second in range(100)])) == ()


@pytest.mark.parametrize("minutes", [1, 2, 5, 15])
def test_a_fall_of_some_seconds_is_found_however_long_the_run_went_on(minutes: int) -> None:
    rates = [0.9] * 40 + [0.3] * 10 + [0.9] * (60 * minutes - 50)
    assert Notable(STARTED + 40 * S, "fall", pytest.approx(0.6, abs=0.05)) in notables(run_of(rates))


def test_what_chance_makes_of_a_steady_rate_is_seldom_a_fall() -> None:
    def steady(seed: int) -> Timeline:
        rng = Random(seed)
        return run_of([float(rng.random() < 0.7) for _ in range(1000)])

    assert sum(bool(notables(steady(seed))) for seed in range(40)) <= 4


def test_few_requests_prove_no_fall() -> None:
    timeline = run_of([0.9] * 100)
    quiet = Timeline(
        STARTED, S, timeline.counted_until, (1_000,) * 90 + (2,) * 10, (900,) * 90 + (0,) * 10, (0,) * 100
    )
    assert notables(quiet) == ()


def test_a_burst_of_evictions_begins_where_it_begins() -> None:
    evicted = [10] * 100
    evicted[40:43] = [500, 900, 600]
    (burst,) = notables(run_of([0.5] * 100, evicted))
    assert burst == Notable(STARTED + 40 * S, "burst", 2_000)
