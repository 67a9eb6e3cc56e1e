"""Rates over windows: first scrapes, restarts, gaps, and the recorded pairs by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.scrapes.counter_windows import MOST_MARKS, CounterWindows, Increase
from tests.support.metrics_pages import S, recorded_pair


def counted(*scrapes: tuple[float, dict[str, float]]) -> CounterWindows:
    """Return windows that have seen counters at so many seconds."""
    windows = CounterWindows()
    for at, counters in scrapes:
        windows.add(int(at * S), counters)
    return windows


def grown(windows: CounterWindows, now: float, seconds: int | None, role: str = "a") -> Increase | None:
    """Return how much one counter grew, which is what is told of it when all are asked for."""
    increases = windows.increases(int(now * S), seconds, (role,))
    one = None if increases is None else increases[role]
    assert windows.each(int(now * S), seconds).get(role) == one
    return one


def test_the_first_scrape_gives_no_rate() -> None:
    windows = counted((1, {"a": 500}))
    assert (grown(windows, 2, 10), grown(windows, 2, None), windows.newest(("a",))) == (None, None, None)


def test_a_window_begins_with_the_scrape_before_it() -> None:
    windows = counted(*((at, {"a": at * 10.0}) for at in range(0, 80, 4)))
    assert grown(windows, 77, 10) == Increase(120, 12 * S)
    assert grown(windows, 77, 60) == Increase(600, 60 * S)
    assert grown(windows, 77, None) == Increase(760, 76 * S)


def test_until_a_window_is_full_it_begins_with_the_first_scrape() -> None:
    assert grown(counted((1, {"a": 5}), (3, {"a": 9})), 3, 60) == Increase(4, 2 * S)


def test_a_rate_is_a_second() -> None:
    assert Increase(120, 12 * S).per_s == 10


def test_a_counter_that_fell_started_anew() -> None:
    windows = counted(
        (1, {"a": 100, "b": 1}), (2, {"a": 130, "b": 1}), (3, {"a": 20, "b": 2}), (4, {"a": 25, "b": 2})
    )
    assert grown(windows, 4, None) == Increase(30 + 20 + 5, 3 * S)
    assert windows.resets == 1


def test_a_window_with_no_scrape_in_it_tells_nothing() -> None:
    windows = counted((1, {"a": 1}), (2, {"a": 2}))
    assert grown(windows, 12, 10) is None
    assert grown(windows, 12, 60) == Increase(1, 1 * S)


def test_a_gap_is_part_of_the_window_and_of_its_time() -> None:
    windows = counted((1, {"a": 1}), (41, {"a": 401}))
    assert grown(windows, 42, 10) == Increase(400, 40 * S)


def test_counters_that_came_at_different_times_are_compared_since_both_are_there() -> None:
    windows = counted((1, {"a": 0}), (2, {"a": 100}), (3, {"a": 200, "b": 7}), (4, {"a": 300, "b": 9}))
    assert windows.increases(4 * S, 60, ("a", "b")) == {"a": Increase(100, S), "b": Increase(2, S)}
    assert windows.increases(4 * S, None, ("a", "b")) == {"a": Increase(100, S), "b": Increase(2, S)}
    assert windows.each(4 * S, 60) == {"a": Increase(300, 3 * S), "b": Increase(2, S)}


def test_a_counter_that_is_missing_tells_nothing_until_it_is_back() -> None:
    windows = counted((1, {"a": 1}), (2, {"b": 1}))
    assert grown(windows, 2, None) is None
    windows.add(3 * S, {"a": 5})
    assert grown(windows, 3, None) == Increase(4, 2 * S)
    assert windows.newest(("a",)) is None


def test_a_scrape_that_comes_late_is_left_out() -> None:
    windows = counted((2, {"a": 10}), (1, {"a": 90}), (2, {"a": 90}), (3, {"a": 11}))
    assert grown(windows, 3, None) == Increase(1, S)
    assert windows.resets == 0


def test_what_is_kept_is_bounded_however_often_a_server_is_asked() -> None:
    windows = counted(*((at / 1_000, {"a": float(at)}) for at in range(3 * MOST_MARKS)))
    assert len(windows._marks) == MOST_MARKS
    windows = counted(*((at, {"a": float(at)}) for at in range(500)))
    assert len(windows._marks) < 70


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 1_000)), min_size=1, max_size=40))
def test_since_the_first_scrape_a_counter_grew_by_what_was_counted(steps: list[tuple[int, int]]) -> None:
    """The naive model: a server that counts, and starts anew now and then with what it counts at once."""
    windows, at, value, counted_in_all = CounterWindows(), 0, 0.0, 0.0
    windows.add(0, {"a": 0.0})
    for seconds, amount in steps:
        at += seconds
        restarts = amount < value and amount % 3 == 0
        value = float(amount) if restarts else value + amount
        counted_in_all += amount
        windows.add(at * S, {"a": value})
    assert grown(windows, at, None) == Increase(counted_in_all, at * S)


def test_the_recorded_sglang_by_hand() -> None:
    before, after = recorded_pair("sglang_0.5.23", apart_s=10)
    windows = CounterWindows()
    windows.add(before.at, before.counters)
    windows.add(after.at, after.counters)
    assert grown(windows, 11, 10, "evicted_tokens") == Increase(99591 - 45842, 10 * S)
    assert grown(windows, 11, 10, "generation_tokens") == Increase(24849, 10 * S)
    assert grown(windows, 11, 10, "dropped_tokens") == Increase(1152, 10 * S)
    rate = grown(windows, 11, 60, "decoded_tokens")
    assert rate is not None
    assert rate.per_s == pytest.approx((145640 - 71800) / 10)
