"""Dates as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def iso_date(ns: int) -> str:
    """Return a date in ns since 1970 after ISO 8601, to the nanosecond; nothing for one that no calendar has."""
    seconds, rest = divmod(ns, 1_000_000_000)
    try:
        date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except OverflowError:
        return ""
    return f"{date:%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"
