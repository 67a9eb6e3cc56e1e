"""Least frequently used goes first."""

from __future__ import annotations

from cache_core.node import Node
from cache_core.policy import Policy, Rank


class LFU(Policy):
    """Orders by hit count (Coffman and Denning 1973), then by last access."""

    def rank(self, node: Node) -> Rank:
        """Return the hit count and the last access."""
        return (node.hits, node.access)
