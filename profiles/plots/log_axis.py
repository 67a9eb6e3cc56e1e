"""A logarithmic axis: the span that holds some values, and where its ticks are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, log10

_LEAST_DECADES = 1.0
_MINOR = tuple(log10(step) for step in range(2, 10))


@dataclass(frozen=True, slots=True)
class LogAxis:
    """Log10 values from `low` to `high`, drawn over `pixels`."""

    low: float
    high: float
    pixels: float

    def place(self, value: float) -> float:
        """Return how far along the axis a log10 value lies."""
        return (value - self.low) / (self.high - self.low) * self.pixels

    @property
    def pixels_per_decade(self) -> float:
        """How many pixels a factor of ten takes."""
        return self.pixels / (self.high - self.low)

    def decades(self) -> Iterator[int]:
        """Yield the powers of ten on the axis."""
        yield from range(ceil(self.low - 1e-9), floor(self.high + 1e-9) + 1)

    def minors(self) -> Iterator[float]:
        """Yield the log10 of 2 to 9 times the powers of ten."""
        for decade in range(floor(self.low), ceil(self.high)):
            yield from (decade + step for step in _MINOR if self.low <= decade + step <= self.high)


def axis_of(values: Iterable[float], pixels: float, margin: float = 0.12) -> LogAxis:
    """Return an axis that holds log10 values with some room around them."""
    known = [*values]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if high - low < _LEAST_DECADES:
        middle = (low + high) / 2
        low, high = middle - _LEAST_DECADES / 2, middle + _LEAST_DECADES / 2
    return LogAxis(low - margin, high + margin, pixels)


def no_steeper(axis: LogAxis, pixels_per_decade: float) -> LogAxis:
    """Return the axis with its span widened on both sides so that a decade takes at most so many pixels."""
    missing = axis.pixels / pixels_per_decade - (axis.high - axis.low)
    return axis if missing <= 0 else LogAxis(axis.low - missing / 2, axis.high + missing / 2, axis.pixels)


def count_label(power: int) -> str:
    """Return a power of ten as a count: 1, 10, 100, 1k."""
    if power < 0:
        return f"{10.0**power:g}"
    thousands, rest = divmod(power, 3)
    return f"{10**rest}{('', 'k', 'M', 'G', 'T')[thousands]}" if thousands < 5 else f"1e{power}"


def time_label(power: int) -> str:
    """Return a power of ten of nanoseconds: 1 ns, 10 µs, 1 s."""
    if power < 0:
        return f"{10.0**power:g} ns"
    thousands = min(power // 3, 3)
    rest = power - 3 * thousands
    return f"{10**rest} {('ns', 'µs', 'ms', 's')[thousands]}" if rest < 6 else f"1e{rest} s"
