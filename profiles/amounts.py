"""Figures as people read them: 12,345, 1.23 MiB, 45.6 ms, 12%, 7.4 times."""

from __future__ import annotations

from itertools import pairwise

from profiles.forest import UNITS

_STEPS = {
    "count": ((1_000_000_000, "G"), (1_000_000, "M"), (1, "")),
    "bytes": ((1024**4, " TiB"), (1024**3, " GiB"), (1024**2, " MiB"), (1024, " KiB"), (1, " B")),
    "nanoseconds": ((1_000_000_000, " s"), (1_000_000, " ms"), (1_000, " µs"), (1, " ns")),
}


def amount(value: float, weight: str) -> str:
    """Return a value of a weight in its unit, with three digits or more."""
    return _scaled(value, UNITS[weight])


def exact(value: int, weight: str) -> str:
    """Return a value of a weight, a count to the last digit."""
    return f"{value:,}" if UNITS[weight] == "count" else amount(value, weight)


def signed(value: int, weight: str) -> str:
    """Return a change with its sign."""
    return f"{'+' if value > 0 else '' if value else '±'}{amount(value, weight)}"


def duration(ns: float) -> str:
    """Return a time with three digits: 870 ns, 12.3 µs, 4.56 ms."""
    return _scaled(ns, "nanoseconds")


def share(part: int, whole: int) -> str:
    """Return a part of a whole in percent."""
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.0f}%" if percent >= 9.95 or not part else f"{percent:.1f}%"


def times(ratio: float) -> str:
    """Return a ratio with two digits: 0.93, 7.4, 31, 1,200."""
    return f"{float(f'{ratio:.2g}'):,.0f}" if ratio >= 9.95 else f"{ratio:.2g}"


def _scaled(value: float, unit: str) -> str:
    size = abs(value)
    steps = _STEPS[unit]
    # What rounds up to the next unit is told in that one.
    reached = (pair for pair, (below, _) in pairwise((*steps, (0, ""))) if size >= pair[0] - below / 2)
    step, name = next(reached, steps[-1])
    scaled = size / step
    digits = 0 if step == 1 or scaled >= 99.95 else 1 if scaled >= 9.995 else 2
    return f"{'-' * (value < 0)}{scaled:,.{digits}f}{name}"
