"""The middle and the most of each second."""

from __future__ import annotations

from statistics import median_low

from hypothesis import given
from hypothesis import strategies as st

from probes.second_costs import MOST_KEPT, SecondCosts
from tests.support.observing import S, history


def test_each_second_has_its_middle_and_its_most() -> None:
    costs = SecondCosts()
    for at, value in ((0, 5), (1, 9), (1, 7), (3 * S, 4), (3 * S + 1, 100), (3 * S + 2, 6)):
        costs.add(at, value)
    assert costs.history(4 * S) == (history(7.0, None, None, 6.0, None), history(9.0, None, None, 100.0, None))


def test_seconds_that_are_over_for_a_minute_are_forgotten() -> None:
    costs = SecondCosts()
    costs.add(0, 5)
    for second in range(70, 200):
        costs.add(second * S, 1)
    assert costs.history(60 * S) == (history(), history())


def test_of_very_many_values_the_middle_is_about_right_and_the_most_exact() -> None:
    costs = SecondCosts()
    for value in range(20 * MOST_KEPT):
        costs.add(0, value)
    (middle,), (most,) = (points[-1:] for points in costs.history(0))
    assert most == 20 * MOST_KEPT - 1
    assert middle is not None and abs(middle / (10 * MOST_KEPT) - 1) < 0.02


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99)), max_size=40))
def test_middles_are_those_of_all_values_of_a_second(calls: list[tuple[int, int]]) -> None:
    costs = SecondCosts()
    by_second: dict[int, list[int]] = {}
    for second, value in sorted(calls, key=lambda call: call[0]):
        costs.add(second * S, value)
        by_second.setdefault(second, []).append(value)
    middles, mosts = costs.history(5 * S)
    assert middles[-6:] == tuple(median_low(by_second[s]) if s in by_second else None for s in range(6))
    assert mosts[-6:] == tuple(max(by_second[s]) if s in by_second else None for s in range(6))
