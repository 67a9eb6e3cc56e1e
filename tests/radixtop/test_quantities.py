"""Durations, sizes and counts as people write them."""

from __future__ import annotations

import pytest
import typer

from radixtop.quantities import kept_bytes, moment_ns, seconds, size_bytes, some, some_or_none


@pytest.mark.parametrize(
    ("text", "value"), [("10", 10), ("10s", 10), ("0.5s", 0.5), ("5m", 300), (" 2h ", 7200), ("1 d", 86_400)]
)
def test_a_duration_is_read(text: str, value: float) -> None:
    assert seconds(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100MB", 100_000_000), ("64MiB", 64 << 20), ("500k", 500_000), ("1.5G", 1_500_000_000), ("70000", 70_000),
        ("1 gb", 10**9),
    ],
)  # fmt: skip
def test_a_size_is_read(text: str, value: int) -> None:
    assert size_bytes(text) == value


@pytest.mark.parametrize("text", ["", "-1", "0", "s", "1e3", "5 weeks", "9" * 5000, "inf", "nan", "1٣"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no duration"):
        seconds(text)


@pytest.mark.parametrize("text", ["", "-1", "MB", "1e9", "5 miles", "9" * 5000, "63kB"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter):
        size_bytes(text)


@pytest.mark.parametrize(
    ("text", "value_s"),
    [("12.5s", 12.5), ("0", 0), ("0m", 0), ("2m", 120), ("01:40", 100), ("00:12.5", 12.5), ("1:02:03.4", 3_723.4)],
)
def test_a_place_in_a_run_is_read(text: str, value_s: float) -> None:
    assert moment_ns(text) == round(value_s * 1e9)


@pytest.mark.parametrize("text", ["", "-1s", ":", "1:2:3:4", "12:345", "1:٣0", "noon"])
def test_what_is_no_place_in_a_run_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match=r"is no moment, such as 12\.5s, 2m or 01:40"):
        moment_ns(text)


def test_nothing_may_be_kept_but_not_too_little() -> None:
    assert (kept_bytes("0"), kept_bytes("0MB"), kept_bytes("1MB")) == (0, 0, 1_000_000)
    with pytest.raises(typer.BadParameter, match="too little"):
        kept_bytes("1kB")


@pytest.mark.parametrize(("text", "number"), [("5000", 5000), ("200k", 200_000), ("1.5M", 1_500_000), (7, 7)])
def test_a_count_is_read(text: str | int, number: int) -> None:
    assert some(text) == some_or_none(text) == number


@pytest.mark.parametrize("text", ["", "many", "-5", "1e9", "1.5", "0.0001k", "5s", "9" * 5000])
def test_what_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no whole number"):
        some_or_none(text)


def test_none_may_be_a_count_or_too_few() -> None:
    assert some_or_none("0") == 0
    with pytest.raises(typer.BadParameter, match="too few"):
        some("0")
