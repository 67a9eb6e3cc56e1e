"""Segmented LRU: what was hit often enough is protected."""

from __future__ import annotations

from profiles.simulation.leaves import Rank, RankedLeaves, Stretch

PROTECTED_HITS = 2
"""From so many hits on a block is protected, as in `cache_core`."""


class SLRU(RankedLeaves):
    """Orders the blocks on probation first, each segment by last touch (Karedla et al. 1994)."""

    def rank(self, stretch: Stretch) -> Rank:
        """Return the segment and the last touch."""
        return (stretch.hits >= PROTECTED_HITS, stretch.touched)
