"""Weights as people read them: 12,345, 1.23 MiB, 45.6 ms."""

from __future__ import annotations

from profiles.forest import UNITS

_STEPS = {
    "count": ((1_000_000_000, "G"), (1_000_000, "M"), (1, "")),
    "bytes": ((1024**4, " TiB"), (1024**3, " GiB"), (1024**2, " MiB"), (1024, " KiB"), (1, " B")),
    "nanoseconds": ((1_000_000_000, " s"), (1_000_000, " ms"), (1_000, " us"), (1, " ns")),
}


def amount(value: int, weight: str) -> str:
    """Return a value of a weight in its unit, with three digits or more."""
    size = abs(value)
    step, unit = next(
        ((step, unit) for step, unit in _STEPS[UNITS[weight]] if size >= step), _STEPS[UNITS[weight]][-1]
    )
    scaled = size / step
    digits = 0 if step == 1 or scaled >= 100 else 1 if scaled >= 10 else 2
    return f"{'-' * (value < 0)}{scaled:,.{digits}f}{unit}"


def exact(value: int, weight: str) -> str:
    """Return a value of a weight, a count to the last digit."""
    return f"{value:,}" if UNITS[weight] == "count" else amount(value, weight)


def signed(value: int, weight: str) -> str:
    """Return a change with its sign."""
    return f"{'+' if value > 0 else '' if value else '±'}{amount(value, weight)}"


def share(part: int, whole: int) -> str:
    """Return a part of a whole in percent."""
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.0f}%" if percent >= 9.95 or not part else f"{percent:.1f}%"
