"""Oldest node goes first."""

from __future__ import annotations

from cache_core.node import Node
from cache_core.policy import Policy, Rank


class FIFO(Policy):
    """Orders by creation (Belady 1966); a split copies the time of creation."""

    def rank(self, node: Node) -> Rank:
        """Return the creation."""
        return node.created
