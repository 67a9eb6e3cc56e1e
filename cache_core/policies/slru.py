"""Segmented LRU: what was hit often enough is protected."""

from __future__ import annotations

from cache_core.node import Node
from cache_core.policy import Policy, Rank

PROTECTED_HITS = 2
"""Hits from which a node counts as protected."""


class SLRU(Policy):
    """Orders the nodes on probation first, each segment by last access (Karedla et al. 1994)."""

    def rank(self, node: Node) -> Rank:
        """Return the segment and the last access."""
        return (node.hits >= PROTECTED_HITS, node.access)
