"""Sums that may pass 64 bits, because someone wrote a stream that says so."""

from __future__ import annotations

_HALF = 1 << 63
_WHOLE = 1 << 64


def word(value: int) -> int:
    """Return the signed word of a number: modulo 2**64, so that what is added can be taken away again."""
    return (value + _HALF) % _WHOLE - _HALF


def add_to(column: memoryview, slot: int, amount: int) -> None:
    """Add to an entry of a column of words."""
    try:
        column[slot] += amount
    except ValueError:
        column[slot] = word(column[slot] + amount)
