"""Counts with their nouns."""

from __future__ import annotations


def plural(number: int, noun: str, many: str = "") -> str:
    """Return a number and its noun: 1 call, 1,234 calls; `many` is what several are called if not by an s more."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"
