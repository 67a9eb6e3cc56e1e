"""How much of a thread's time the tree of a cache may take: a share of what passes, saved up for a while."""

from __future__ import annotations

import os

TREE_SHARE = "RADIXTOP_PROBE_TREE_SHARE"
"""Set to the share of the engine's thread that its tree may take, such as 0.1."""

TREE_BUDGET = 0.05
"""Enough for 50 prompts a second of 2,000 tokens, half of them new, in pages of one token."""

SAVED_NS = 4_000_000_000
"""What is not taken of so much time may be taken later."""


class Allowance:
    """Grows with the time, shrinks by what is taken of it, which may be more than there is."""

    def __init__(self, share: float, now: int) -> None:
        self.share = share
        self._most_ns = share * SAVED_NS
        self._left_ns = self._most_ns
        self._at = now

    def left_ns(self, now: int) -> float:
        """Return what may be taken now, less than 0 when more was taken."""
        self._left_ns = min(self._most_ns, self._left_ns + (now - self._at) * self.share)
        self._at = now
        return self._left_ns

    def take(self, spent_ns: float) -> None:
        """Take so much of it."""
        self._left_ns -= spent_ns


def share_from(name: str, otherwise: float) -> float:
    """Return a share of a thread's time that the environment names, else another."""
    try:
        share = float(os.environ.get(name, otherwise))
    except ValueError:
        return otherwise
    return share if 0 < share < 1 else otherwise
