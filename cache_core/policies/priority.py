"""Lowest priority goes first."""

from __future__ import annotations

from cache_core.node import Node
from cache_core.policy import Policy, Rank


class Priority(Policy):
    """Orders by the highest priority of a request that wrote the node, as SGLang does, then by last access."""

    def rank(self, node: Node) -> Rank:
        """Return the priority and the last access."""
        return (node.priority, node.access)
