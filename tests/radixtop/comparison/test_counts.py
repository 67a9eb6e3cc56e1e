"""What lies between two moments: sums, and times to the first token by powers of two."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.histogram import Histogram
from probes.snapshot import Snapshot, SourceState
from radixtop.comparison.counts import NOTHING, Counts, between, counts_of
from tests.support.watched import NOW, SECOND, samples


def moment(seconds: float, **sums: int) -> Counts:
    return Counts(round(seconds * SECOND), 0, sums)


def test_a_snapshot_is_counted_and_what_it_lacks_is_not_there() -> None:
    state = SourceState("fake", "live")
    counts = counts_of(Snapshot(1, NOW, NOW, state, samples(), 7))
    assert (counts.at, counts.since) == (NOW, 7)
    assert counts.sums["queried"] == 2_654_334 and counts.sums["recomputed"] == 2_441_987 - 1_990_750
    assert counts.sums["evicted"] == 91_200 + 14_400
    assert counts.levels["pool full"] == pytest.approx(0.688)
    assert dict(counts_of(Snapshot(1, NOW, NOW, state, {})).sums) == {}


def test_rates_are_of_the_stretch() -> None:
    stretch = between(moment(10, queried=100, hit=50), moment(14, queried=300, hit=100))
    assert stretch.per_s("queried") == 50 and stretch.ratio("hit", "queried") == 0.25
    assert stretch.per_s("evicted") is None and stretch.ratio("hit", "evicted") is None


def test_a_sum_that_only_one_moment_knows_is_not_known() -> None:
    assert dict(between(moment(1, hit=5), moment(2, hit=9, queried=3)).sums) == {"hit": 4}


def test_nothing_is_known_across_a_new_beginning() -> None:
    late = moment(9, hit=9)
    assert between(moment(1, hit=5), replace(late, since=5)) == NOTHING
    assert between(moment(1, hit=50), late) == NOTHING
    assert between(late, late) == NOTHING


def test_tokens_that_were_loaded_after_all_are_not_recomputed() -> None:
    assert dict(between(moment(1, recomputed=9, hit=1), moment(2, recomputed=4, hit=6)).sums) == {
        "recomputed": 0,
        "hit": 5,
    }


@given(st.lists(st.integers(0, 10**12), max_size=40), st.lists(st.integers(0, 10**12), min_size=1, max_size=40))
def test_times_since_the_mark_are_told_within_a_power_of_two(old: list[int], new: list[int]) -> None:
    histogram = Histogram()
    for value in old:
        histogram.add(value)
    first = Counts(1, 0, ttft=histogram.quantiles())
    for value in new:
        histogram.add(value)
    found = between(first, Counts(2, 0, ttft=histogram.quantiles())).ttft
    assert found is not None and (found.count, found.total) == (len(new), sum(new))
    exact = Histogram()
    for value in new:
        exact.add(value)
    for quantile in ("p50", "p99"):
        told, meant = getattr(found, quantile), getattr(exact.quantiles(), quantile)
        assert meant / 2.1 - 1 <= told <= meant * 2.1 + 1


def test_without_a_new_value_no_time_is_known() -> None:
    histogram = Histogram()
    histogram.add(5)
    counts = Counts(1, 0, ttft=histogram.quantiles())
    assert between(counts, replace(counts, at=2)).ttft is None
