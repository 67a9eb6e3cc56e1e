"""Durations and sizes as people write them."""

from __future__ import annotations

import pytest
import typer

from radixtop.quantities import seconds, size_bytes
from radixtop.recording_progress import Progress, progress_line, size_text


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
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1 kB"),
        (85_800, "85.8 kB"),
        (12_345_678, "12.3 MB"),
        (250 * 10**9, "250 GB"),
    ],
)
def test_a_size_is_told_with_three_digits(size: int, text: str) -> None:
    assert size_text(size) == text


def test_a_line_of_progress_says_what_is_lost_and_held() -> None:
    line = progress_line(Progress(83 * 10**9, 1_234_567, 45_000, 12_300_000, 7, 2, 5_000_000, "no heartbeat for 3 s"))
    parts = ("00:01:23", "1.23M records", "45.0k/s", "12.3 MB", "5 MB held", "7 lost, 2 blocks torn")
    assert line == "  ".join((*parts, "no heartbeat for 3 s"))
