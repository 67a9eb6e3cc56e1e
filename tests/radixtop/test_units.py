"""Numbers are short, of bounded width, and unknown is never 0."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixtop.render import units


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, "-"), (0, "0"), (7, "7"), (9_999, "9,999"), (10_000, "10.0k"), (99_949, "99.9k"), (99_950, "100k"),
        (999_499, "999k"), (999_500, "1.00M"), (1_234_567, "1.23M"), (5.4e9, "5.40G"), (7e12, "7.00T"),
        (-1_500, "-1,500"),
    ],
)  # fmt: skip
def test_a_count_is_short(number: float | None, text: str) -> None:
    assert units.count(number) == text


@given(st.integers(0, 10**14))
def test_a_count_takes_at_most_five_cells(number: int) -> None:
    assert len(units.count(number)) <= 5


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"), (0, "0ns"), (870, "870ns"), (999.7, "1.00µs"), (12_345, "12.3µs"), (4_560_000, "4.56ms"),
        (999_600_000, "1.00s"), (83e9, "83.0s"), (200e9, "3m20s"), (7_500e9, "2h05m"), (300_000e9, "3d11h"),
    ],
)  # fmt: skip
def test_a_duration_has_three_digits_and_a_unit(ns: float | None, text: str) -> None:
    assert units.duration(ns) == text


@given(st.floats(0, 8e15))
def test_a_duration_takes_at_most_six_cells(ns: float) -> None:
    assert len(units.duration(ns)) <= 6


@pytest.mark.parametrize(
    ("fraction", "text"),
    [(None, "-"), (0.0, "0.0%"), (0.8734, "87.3%"), (0.9994, "99.9%"), (0.9999, "99.9%"), (1.0, "100%")],
)
def test_a_share_is_a_percentage(fraction: float | None, text: str) -> None:
    assert units.share(fraction) == text


@pytest.mark.parametrize(
    ("per_second", "text"), [(None, "-"), (0.0, "0/s"), (3.42, "3.4/s"), (812.3, "812/s"), (12_345.0, "12.3k/s")]
)
def test_a_rate_is_per_second(per_second: float | None, text: str) -> None:
    assert units.rate(per_second) == text


@pytest.mark.parametrize(
    ("per_second", "text"),
    [(None, "-"), (0.0, "0/s"), (3.4, "3.4/s"), (0.5, "30.0/min"), (0.0064, "23.0/h"), (2e-5, "1.7/d")],
)
def test_a_slow_pace_is_told_by_larger_units(per_second: float | None, text: str) -> None:
    assert units.pace(per_second) == text


def test_a_moment_that_nobody_saw_has_no_age() -> None:
    assert units.since(10**12, -1) == "-"
    assert units.since(10**12, 10**12 - 12 * 10**9) == "12s"


def test_a_place_in_a_run_has_as_many_digits_as_are_asked_for() -> None:
    assert [units.clock(ns) for ns in (-1, 66_050_000_000, 3_723_400_000_000)] == ["00:00.0", "01:06.0", "1:02:03.4"]
    assert units.clock(66_050_000_000, 3) == "01:06.050"


def test_a_running_time_counts_hours() -> None:
    assert units.elapsed(3_723 * 10**9) == "01:02:03"


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (85_800, "85.8 kB"),
        (12_345_678, "12.3 MB"),
        (250 * 10**9, "250 GB"),
    ],
)
def test_a_size_is_told_with_three_digits(size_bytes: int, text: str) -> None:
    assert units.size(size_bytes) == text
