"""The log-linear histogram: error bound, exact small values, merge."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from probes.histogram import Histogram, Quantiles

VALUES = st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=200)


def of(values: list[int]) -> Histogram:
    histogram = Histogram()
    for value in values:
        histogram.add(value)
    return histogram


@given(VALUES, st.floats(0, 1))
def test_a_quantile_is_within_a_64th_of_the_exact_one(values: list[int], share: float) -> None:
    exact = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    found = of(values).quantile(share)
    assert found is not None
    assert abs(found - exact) <= exact / 64


@given(st.integers(0, 63))
def test_values_below_64_are_exact(value: int) -> None:
    assert of([value]).quantiles() == Quantiles(1, value, value, value)


def test_nothing_counted_has_no_quantiles() -> None:
    assert Histogram().quantiles() == Quantiles(0, None, None, None)


def test_a_negative_value_counts_as_zero() -> None:
    assert of([-5]).quantiles() == Quantiles(1, 0.0, 0.0, 0.0)


@given(VALUES)
def test_the_mean_is_exact(values: list[int]) -> None:
    assert of(values).quantiles().mean == sum(values) / len(values)


@given(VALUES, st.integers(0, 64))
def test_counts_at_powers_of_two_and_the_sum_are_exact(values: list[int], digits: int) -> None:
    spread = of(values).quantiles()
    assert spread.at_most(digits) == sum(value < 2**digits for value in values)
    assert (spread.total, sum(spread.octaves)) == (sum(values), len(values))
