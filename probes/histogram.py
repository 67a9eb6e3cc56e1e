"""A log-linear histogram of non-negative integers, and the quantiles read off it.

32 sub-buckets per power of two: a quantile is off by at most 1/64 of its value, whatever the range. Counting one
value is a shift, two adds and a list store; a merge is a vector addition.
The layout is that of HdrHistogram (G. Tene, http://hdrhistogram.org).
"""

from __future__ import annotations

from dataclasses import dataclass

SUB_BUCKETS = 32
_SUB_BITS = SUB_BUCKETS.bit_length() - 1


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A distribution in four numbers; all but `count` are None while nothing was counted. Times are nanoseconds."""

    count: int = 0
    mean: float | None = None
    p50: float | None = None
    p99: float | None = None
