"""Dates: the moment that a recording's configuration states on both clocks, and dates as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Origin:
    """One moment on the clock of what was recorded, and by date."""

    clock_ns: int
    epoch_ns: int

    def date_ns(self, at_ns: int) -> int:
        """Return the date of a time on the clock, in ns since 1970."""
        return self.epoch_ns + at_ns - self.clock_ns


def origin_of(config: Mapping[str, object]) -> Origin | None:
    """Return the moment that a recording's configuration states on both clocks, or None when it states none."""
    match config.get("anchor"):
        case [int(clock_ns), int(epoch_ns)]:
            return Origin(clock_ns, epoch_ns)
        case _:
            return None


def iso_date(ns: int, digits: int = 9) -> str:
    """Return a date in ns since 1970 after ISO 8601, with so many digits of the second's fraction, or none.

    It is empty for a date that no calendar has.
    """
    seconds, rest = divmod(ns, 1_000_000_000)
    try:
        date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except OverflowError:
        return ""
    fraction = f".{rest:09d}"[: digits + 1] if digits else ""
    return f"{date:%Y-%m-%dT%H:%M:%S}{fraction}Z"
