"""Least frequently used goes first."""

from __future__ import annotations

from profiles.simulation.leaves import Rank, RankedLeaves, Stretch


class LFU(RankedLeaves):
    """Orders by hits since insertion (Coffman and Denning 1973), then by last touch."""

    def rank(self, stretch: Stretch) -> Rank:
        """Return the hits and the last touch."""
        return (stretch.hits, stretch.touched)
