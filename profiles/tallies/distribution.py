"""A distribution as reports hand it out: quantiles, and bins between round numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from probes.histogram import Histogram

_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Bin:
    """How many values lie in [low, high)."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """What is known of some values; all but `count` is None, and there are no bins, while there was none.

    Quantiles are off by at most 1/64 of their value. The edges of `bins` are 0 and 1, 2 and 5 times powers of ten;
    those in between that hold nothing are there too.
    """

    count: int = 0
    mean: float | None = None
    p10: float | None = None
    p50: float | None = None
    p90: float | None = None
    p99: float | None = None
    bins: tuple[Bin, ...] = ()


def distribution(histogram: Histogram) -> Distribution:
    """Return what was counted so far."""
    if not histogram.count:
        return Distribution()
    return Distribution(
        count=histogram.count,
        mean=histogram.total / histogram.count,
        p10=histogram.quantile(0.1),
        p50=histogram.quantile(0.5),
        p90=histogram.quantile(0.9),
        p99=histogram.quantile(0.99),
        bins=tuple(_bins(histogram)),
    )


def _bins(histogram: Histogram) -> Iterator[Bin]:
    """Yield the bins from the first one that holds something to the last one."""
    edges = _edges()
    low, high, held, begun = 0, next(edges), 0, False
    for middle, count in histogram.buckets():
        while middle >= high:
            if begun:
                yield Bin(low, high, held)
            low, high, held = high, next(edges), 0
        held += count
        begun = True
    yield Bin(low, high, held)


def _edges() -> Iterator[int]:
    power = 1
    while True:
        for step in _STEPS:
            yield step * power
        power *= 10
