"""Histograms of scrapes: quantiles by hand, what buckets cannot tell, what comes between two of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.scrapes.buckets import Buckets, Estimate, Spread, cumulative, quantile, spread_of
from tests.support.metrics_pages import recorded_pair

INF = float("inf")
TEN = Buckets((1.0, 2.0, 4.0), (0.0, 5.0, 10.0, 10.0), 25.0)


def test_a_quantile_lies_evenly_between_two_bounds() -> None:
    assert quantile(TEN, 0.25) == Estimate(1.5)
    assert quantile(TEN, 0.5) == Estimate(2.0)
    assert quantile(TEN, 0.75) == Estimate(3.0)


def test_what_is_in_the_first_bucket_is_at_most_its_bound() -> None:
    assert quantile(Buckets((0.1, 1.0), (9.0, 10.0, 10.0)), 0.5) == Estimate(0.1, "at most")


def test_what_is_in_the_last_bucket_is_more_than_the_greatest_bound() -> None:
    assert quantile(Buckets((0.1, 1.0), (1.0, 2.0, 10.0)), 0.5) == Estimate(1.0, "more than")


def test_no_values_have_no_quantile() -> None:
    assert quantile(Buckets((0.1,), (0.0, 0.0)), 0.5) is None
    assert quantile(Buckets((), (3.0,)), 0.5) is None
    assert spread_of(Buckets((0.1,), (0.0, 0.0), 0.0)) == Spread()


def test_a_spread_has_the_exact_mean() -> None:
    assert spread_of(TEN) == Spread(10.0, 2.5, Estimate(2.0), Estimate(3.8), Estimate(3.96))
    assert spread_of(Buckets((1.0,), (1.0, 1.0))).mean is None


def test_the_first_token_of_the_recorded_sglang() -> None:
    before, after = (each.histograms["ttft_seconds"] for each in recorded_pair("sglang_0.5.23"))
    came = after.grown_from(before)
    assert came is not None
    # In 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 2.0 s and less: 22, 44, 77, 96, 109, 115, 120.
    assert came.counts[:8] == (22, 44, 77, 96, 109, 115, 120, 120)
    assert came.total == pytest.approx(95.11488195340411 - 50.34001578769701)
    spread = spread_of(came)
    assert spread.p50 == Estimate(pytest.approx(0.2 + 0.2 * (60 - 44) / 33))
    assert spread.p95 == Estimate(pytest.approx(0.8 + 0.2 * (114 - 109) / 6))
    assert spread.p99 == Estimate(pytest.approx(1.0 + 1.0 * (118.8 - 115) / 5))
    assert quantile(came, 0.1) == Estimate(0.1, "at most")


def test_the_tokens_between_of_the_recorded_vllm() -> None:
    before, after = (each.histograms["inter_token_seconds"] for each in recorded_pair("vllm_0.33.0"))
    came = after.grown_from(before)
    assert came is not None
    # In 0.01, 0.025, 0.05 s and less: 199, 1571, 2040.
    assert (came.bounds[:3], came.counts[:3]) == ((0.01, 0.025, 0.05), (199, 1571, 2040))
    assert quantile(came, 0.5) == Estimate(pytest.approx(0.01 + 0.015 * (1020 - 199) / 1372))
    assert quantile(came, 0.05) == Estimate(0.01, "at most")


def test_a_histogram_of_which_a_count_fell_did_not_grow() -> None:
    assert Buckets((1.0,), (2.0, 2.0)).grown_from(Buckets((1.0,), (3.0, 4.0))) is None


def test_a_sum_that_is_not_told_stays_unknown() -> None:
    grown = Buckets((1.0,), (2.0, 2.0), 5.0).grown_from(Buckets((1.0,), (1.0, 1.0)))
    assert grown == Buckets((1.0,), (1.0, 1.0))


def test_without_a_bound_or_a_count_there_is_no_histogram() -> None:
    assert cumulative({}, 3.0, 1.0) is None
    assert cumulative({INF: 3.0}, None, 1.0) is None
    assert cumulative({1.0: 3.0}, None, 1.0) is None


BUCKETS = st.builds(
    cumulative,
    st.dictionaries(
        st.integers(0, 10**9).map(lambda n: n / 1000), st.integers(0, 100).map(float), min_size=1, max_size=8
    ),
    st.integers(0, 1000).map(float),
    st.none(),
)


@given(BUCKETS, st.floats(0.01, 1))
def test_a_quantile_lies_where_its_share_of_the_values_does(buckets: Buckets | None, share: float) -> None:
    assert buckets is not None
    estimate = quantile(buckets, share)
    if estimate is None:
        assert buckets.count == 0
        return
    pairs = [*zip(buckets.bounds, buckets.counts, strict=False)]  # without the bucket that has no bound
    below = max((count for bound, count in pairs if bound < estimate.value), default=0)
    upto = min((count for bound, count in pairs if bound >= estimate.value), default=0)
    rank = share * buckets.count
    assert below <= rank
    assert rank <= upto or estimate.side == "more than" or rank == pytest.approx(upto)
