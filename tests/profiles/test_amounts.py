"""Figures have as many digits as one reads, and change their unit where they would have more."""

from __future__ import annotations

import pytest

from profiles.amounts import amount, duration, exact, share, signed, times


@pytest.mark.parametrize(
    ("value", "weight", "text"),
    [
        (0, "tokens", "0"),
        (999_999, "tokens", "999,999"),
        (1_234_567, "tokens", "1.23M"),
        (999_600_000, "tokens", "1.00G"),
        (-12_345, "tokens", "-12,345"),
        (1_023, "bytes", "1,023 B"),
        (1_290_000, "bytes", "1.23 MiB"),
        (45_600_000, "time_ns", "45.6 ms"),
        (99_960_000, "time_ns", "100 ms"),
    ],
)
def test_a_value_is_told_in_the_unit_of_its_weight(value: int, weight: str, text: str) -> None:
    assert amount(value, weight) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0.4, "0 ns"),
        (870, "870 ns"),
        (999.7, "1.00 µs"),
        (12_340, "12.3 µs"),
        (999_600, "1.00 ms"),
        (7e12, "7,000 s"),
    ],
)
def test_a_time_has_three_digits(ns: float, text: str) -> None:
    assert duration(ns) == text


def test_an_exact_count_has_all_its_digits_and_other_units_have_three() -> None:
    assert (exact(1_234_567, "hits"), exact(1_234_567, "saved_ns")) == ("1,234,567", "1.23 ms")


def test_a_change_has_a_sign() -> None:
    assert [signed(value, "tokens") for value in (3, 0, -3)] == ["+3", "±0", "-3"]


def test_a_share_is_in_percent_and_one_of_nothing_is_none() -> None:
    assert [share(part, 1_000) for part in (0, 1, 99, 100, 1_000)] == ["0%", "0.1%", "9.9%", "10%", "100%"]
    assert share(0, 0) == "0%"


def test_a_ratio_has_two_digits() -> None:
    assert [times(ratio) for ratio in (0.934, 7.38, 9.96, 31.2, 1_234)] == ["0.93", "7.4", "10", "31", "1,200"]
