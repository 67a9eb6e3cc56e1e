"""Rolling counters and gauges: what falls into which second, and what is not known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from probes.window import HISTORY_SECONDS, SECOND_NS, Counters, Gauge, ratios

S = SECOND_NS
TIMES = st.lists(st.integers(0, 200 * S), max_size=60)


def filled(times: list[int]) -> Counters:
    counters = Counters(1)
    for at in times:
        counters.row(at)[0] += 1
    return counters


@given(TIMES, st.integers(0, 230), st.integers(1, HISTORY_SECONDS))
def test_sums_equal_a_recount_of_the_kept_seconds(times: list[int], now_s: int, seconds: int) -> None:
    now = now_s * S + S // 2
    newest, expected = -1, 0
    for at in times:
        newest = max(newest, at // S)
    # what is still kept at the end, and was kept when it came
    running = -1
    for at in times:
        late = at // S <= running - HISTORY_SECONDS - 1
        running = max(running, at // S)
        kept = at // S > newest - HISTORY_SECONDS - 1
        expected += not late and kept and now_s - seconds < at // S <= now_s
    assert filled(times).sums(now, seconds) == [expected]


def test_a_late_record_counts_in_its_own_second() -> None:
    counters = filled([5 * S, 7 * S, 6 * S + 1])
    assert [row[0] for row in counters.history(7 * S)][-3:] == [1, 1, 1]


def test_a_second_that_is_no_longer_kept_takes_nothing() -> None:
    counters = filled([100 * S, 1 * S])
    assert counters.sums(100 * S, HISTORY_SECONDS) == [1]


def test_history_ends_with_the_running_second_and_is_a_minute_long() -> None:
    history = filled([9 * S, 9 * S]).history(9 * S + 1)
    assert len(history) == HISTORY_SECONDS
    assert history[-1] == [2]


def test_rates_are_whole_seconds_and_unknown_before_the_first_record() -> None:
    rates = filled([3 * S, 3 * S + 5, 5 * S]).rates(6 * S + 1, 0)
    assert rates[-4:] == (None, 2.0, 0.0, 1.0)


def test_a_rate_needs_a_second_of_records() -> None:
    counters = filled([3 * S, 3 * S + 10])
    assert counters.rate_per_s(4 * S - 1, 0, 10) is None
    assert counters.rate_per_s(5 * S, 0, 10) == 1.0


def test_a_rate_of_no_records_is_unknown() -> None:
    assert Counters(1).rate_per_s(100 * S, 0, 10) is None


def test_a_rate_falls_to_zero_when_records_stop() -> None:
    assert filled([3 * S]).rate_per_s(60 * S, 0, 10) == 0.0


@given(st.integers(0, 1000 * S), st.integers(0, 200 * S), st.integers(0, 10_000))
def test_spreading_keeps_the_amount(since: int, duration: int, amount: int) -> None:
    counters = Counters(1)
    counters.spread(since, since + duration, 0, amount)
    kept = sum(row[0] for row in counters.history(since + duration))
    seconds = (since + duration) // S - since // S + 1
    assert abs(kept - amount * min(seconds, HISTORY_SECONDS) / seconds) <= 1
    if seconds <= HISTORY_SECONDS:
        assert kept == amount


def test_a_gauge_keeps_its_value_over_quiet_seconds() -> None:
    gauge = Gauge()
    gauge.set(2 * S, 7)
    gauge.set(4 * S, 9)
    assert gauge.history(6 * S)[-6:] == (None, 7, 7, 9, 9, 9)


def test_a_gauge_has_the_last_value_of_a_second() -> None:
    gauge = Gauge()
    gauge.set(2 * S, 1)
    gauge.set(2 * S + 5, 2)
    assert gauge.history(2 * S + 9)[-2:] == (None, 2)


def test_a_gauge_carries_its_value_over_more_than_it_keeps() -> None:
    gauge = Gauge()
    gauge.set(2 * S, 1)
    gauge.set(500 * S, 2)
    assert gauge.history(500 * S) == (*[1] * (HISTORY_SECONDS - 1), 2)


def test_a_ratio_over_nothing_is_unknown() -> None:
    assert ratios([[1, 0], [1, 4]], 0, 1) == (None, 0.25)
