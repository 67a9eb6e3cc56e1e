"""Least recently touched goes first."""

from __future__ import annotations

from typing import ClassVar

from profiles.simulation.recent_runs import RecentRuns
from profiles.trace import ID_BYTES


class LRU(RecentRuns):
    """Orders leaves by last touch (Mattson et al. 1970).

    What a request hit stays while it is served, what it inserts need not. So a path that does not fit ends when its
    own last block is the oldest leaf: that one leaves, and the next has nothing to hang from.
    """

    spare: ClassVar[int] = ID_BYTES
