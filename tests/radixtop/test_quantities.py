"""Durations and sizes as people write them."""

from __future__ import annotations

import pytest
import typer

from radixtop.quantities import seconds, size_bytes


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
