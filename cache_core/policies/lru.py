"""Least recently used goes first."""

from __future__ import annotations

from cache_core.node import Node
from cache_core.policy import Policy, Rank


class LRU(Policy):
    """Orders by last access (Denning 1968)."""

    def rank(self, node: Node) -> Rank:
        """Return the last access."""
        return node.access
