"""Distributions on a logarithmic axis: bins, quantiles, what two of them have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.histogram import Histogram
from probes.log_shape import PER_DECADE, LogShape, bin_of, edge, overlap, shape_of, shape_of_bins


def histogram(*values: int) -> Histogram:
    counted = Histogram()
    for value in values:
        counted.add(value)
    return counted


def test_nothing_has_no_shape() -> None:
    assert shape_of(Histogram()) == LogShape() == shape_of_bins([0, 0], 0.0)


def test_bins_run_from_the_first_value_to_the_last() -> None:
    shape = shape_of(histogram(10, 10, 2_000))
    assert (shape.first, shape.bins[0], shape.bins[-1]) == (PER_DECADE, 2, 1)
    assert len(shape.bins) == 2 * PER_DECADE + 3
    assert (shape.count, shape.mean, shape.p50) == (3, 2_020 / 3, 10.0)


@pytest.mark.parametrize("value", [0, 1, 2, 9, 10, 999, 1_000, 10**12])
def test_a_value_lies_between_the_edges_of_its_bin(value: int) -> None:
    place = bin_of(value)
    assert edge(place) <= max(1, value) * (1 + 1e-9) and value < edge(place + 1)


def test_what_two_distributions_have_in_common() -> None:
    one = shape_of(histogram(10, 10, 10_000, 10_000))
    assert overlap(one, one) == pytest.approx(1.0)
    assert overlap(one, shape_of(histogram(10))) == pytest.approx(0.5)
    assert overlap(one, shape_of(histogram(500))) == 0.0
    assert overlap(one, LogShape()) is None


@given(st.lists(st.integers(0, 10**13), min_size=1, max_size=60))
def test_quantiles_are_those_of_the_histogram_and_bins_lose_nothing(values: list[int]) -> None:
    counted = histogram(*values)
    shape = shape_of(counted)
    assert (shape.p10, shape.p50, shape.p90, shape.p99) == tuple(map(counted.quantile, (0.1, 0.5, 0.9, 0.99)))
    assert sum(shape.bins) == shape.count == len(values)
    assert shape.bins[0] and shape.bins[-1]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40).filter(any))
def test_a_shape_made_of_bins_has_these_bins(held: list[int]) -> None:
    shape = shape_of_bins(held, 5.0)
    counts = {place: count for place, count in enumerate(held) if count}
    assert {shape.first + i: count for i, count in enumerate(shape.bins) if count} == counts
    assert shape.p50 is not None and edge(min(counts)) <= shape.p50 <= edge(max(counts) + 1)
