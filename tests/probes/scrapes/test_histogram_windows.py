"""What came to histograms, in a minute and in all."""

from __future__ import annotations

from probes.scrapes.buckets import Buckets
from probes.scrapes.histogram_windows import HistogramWindows
from tests.support.metrics_pages import S


def histograms(*scrapes: tuple[int, tuple[float, ...]]) -> HistogramWindows:
    """Return windows that have seen a histogram `h` of one bound at so many seconds."""
    windows = HistogramWindows()
    for at, counts in scrapes:
        windows.add(
            at * S, {"h": Buckets(tuple(float(bound) for bound in range(len(counts) - 1)), counts, counts[-1])}
        )
    return windows


def last_minute(windows: HistogramWindows, now: int) -> tuple[float, ...] | None:
    came = windows.last_minute(now * S, "h")
    return None if came is None else came.counts


def test_the_first_scrape_of_a_histogram_tells_nothing_of_the_minute() -> None:
    windows = histograms((1, (3.0, 4.0)))
    assert last_minute(windows, 2) is None
    assert windows.total("h").counts == (0, 0)


def test_a_histogram_tells_what_came() -> None:
    windows = histograms((1, (3.0, 4.0)), (3, (5.0, 9.0)))
    assert last_minute(windows, 3) == (2, 5)
    assert last_minute(windows, 63) is None
    assert windows.total("h") == Buckets((0.0,), (2, 5), 5)


def test_the_minute_of_a_histogram_is_at_most_ten_seconds_too_long() -> None:
    windows = histograms(*((at, (float(at), float(at))) for at in range(0, 200, 2)))
    assert last_minute(windows, 198) == (68, 68)
    assert windows.total("h").counts == (198, 198)


def test_a_histogram_that_fell_started_anew() -> None:
    windows = histograms((1, (3.0, 4.0)), (3, (1.0, 2.0)), (5, (1.0, 3.0)))
    assert last_minute(windows, 5) == (1, 3)


def test_other_bounds_are_another_histogram() -> None:
    windows = histograms((1, (3.0, 4.0)), (3, (5.0, 6.0, 7.0)), (5, (5.0, 7.0, 8.0)))
    assert last_minute(windows, 5) == (0, 1, 1)
