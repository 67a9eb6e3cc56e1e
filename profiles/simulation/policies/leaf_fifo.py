"""Oldest leaf goes first."""

from __future__ import annotations

from profiles.simulation.leaves import Rank, RankedLeaves, Stretch


class LeafFIFO(RankedLeaves):
    """Orders leaves by insertion, as the tree of `cache_core` does by `fifo`; the path that is served stays."""

    def rank(self, stretch: Stretch) -> Rank:
        """Return which request inserted it."""
        return stretch.made
