"""What a number in a record can be. A forged or damaged stream may say anything; what cannot be true is left out."""

from __future__ import annotations

MOST_TOKENS = 1 << 31
"""No key has more, and no pool: slot numbers are 32 bits long."""

MOST_NS = 3_600 * 10**9
"""No operation of a cache and no step of an engine takes an hour."""


def tokens_in(*counts: int) -> bool:
    """Say whether these can all be numbers of tokens."""
    return all(0 <= count <= MOST_TOKENS for count in counts)


def measured(duration_ns: int) -> bool:
    """Say whether this is a duration that was measured: 0 stands for one that was not."""
    return 0 < duration_ns <= MOST_NS
