"""Durations, sizes and counts as people write them: 10, 10s, 5m, 2h; 100MB, 64MiB, 5000; 200k, 1.5M."""

from __future__ import annotations

import re
from fractions import Fraction

import typer

_NUMBER = re.compile(r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,9})?)\s*(?P<unit>[A-Za-z]*)")
_CLOCK = re.compile(r"(?:(?P<hours>[0-9]{1,6}):)?(?P<minutes>[0-9]{1,4}):(?P<seconds>[0-9]{1,2}(?:\.[0-9]{1,9})?)")
_COUNTS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_BYTES = {"": 1, "b": 1} | {
    unit: scale
    for power, letter in enumerate("kmgt", start=1)
    for unit, scale in ((letter, 1000**power), (letter + "b", 1000**power), (letter + "ib", 1024**power))
}
LEAST_BYTES = 64_000
"""A smaller file holds little more than its header and a few blocks."""


def seconds(text: str) -> float:
    """Return the seconds that a text such as 5m names. Raises BadParameter for what is no duration."""
    found = _seconds(text)
    if not found:
        raise typer.BadParameter(f"{text!r} is no duration, such as 10s, 5m or 2h.")
    return found


def size_bytes(text: str) -> int:
    """Return the bytes that a text such as 100MB names. Raises BadParameter for what is no size."""
    size = _bytes(text)
    if size < LEAST_BYTES:
        raise typer.BadParameter(f"{text!r} is too little for a recording, at least {LEAST_BYTES // 1000}kB.")
    return size


def memory_bytes(text: str) -> int:
    """Return the bytes of memory that a text such as 20GiB names. Raises BadParameter for what is none."""
    size = _bytes(text)
    if not size:
        raise typer.BadParameter(f"{text!r} is no memory, such as 20GiB.")
    return size


def kept_bytes(text: str) -> int:
    """Return the bytes that a text names, which may be none. Raises BadParameter for what is no size."""
    return size_bytes(text) if _bytes(text) else 0


def some(text: str | int) -> int:
    """Return the number above 0 that a text such as 200k or 1.5M names. Raises BadParameter for what is none."""
    number = some_or_none(text)
    if not number:
        raise typer.BadParameter(f"{text!r} is too few, at least 1 is needed.")
    return number


def some_or_none(text: str | int) -> int:
    """Return the number, 0 among them, that a text names. Raises BadParameter for what is none."""
    found = _NUMBER.fullmatch(str(text).strip())
    scale = _COUNTS.get(found["unit"].lower()) if found else None
    number = Fraction(found["number"]) * scale if found and scale else None
    if number is None or number.denominator != 1:
        raise typer.BadParameter(f"{text!r} is no whole number, such as 5000, 200k or 1.5M.")
    return int(number)


def moment_ns(text: str) -> int:
    """Return the nanoseconds that a text such as 12.5s, 2m or 01:40.5 names. Raises BadParameter for what is none."""
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        after_s = _seconds(text)
        if after_s is None:
            raise typer.BadParameter(f"{text!r} is no moment, such as 12.5s, 2m or 01:40.")
        return round(after_s * 1e9)
    whole = int(found["hours"] or 0) * 3600 + int(found["minutes"]) * 60
    return round((whole + float(found["seconds"])) * 1e9)


def _seconds(text: str) -> float | None:
    """Return the seconds that a text names, which may be none; None where it names nothing."""
    found = _NUMBER.fullmatch(text.strip())
    unit = found["unit"].lower() if found else ""
    return float(found["number"]) * _SECONDS[unit] if found is not None and unit in _SECONDS else None


def _bytes(text: str) -> int:
    found = _NUMBER.fullmatch(text.strip())
    unit = found["unit"].lower() if found else ""
    if found is None or unit not in _BYTES:
        raise typer.BadParameter(f"{text!r} is no size, such as 100MB or 64MiB.")
    return int(float(found["number"]) * _BYTES[unit])
