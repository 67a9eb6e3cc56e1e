"""Newest node goes first."""

from __future__ import annotations

from typing import ClassVar

from cache_core.node import Node
from cache_core.policy import Policy, Rank


class FILO(Policy):
    """Orders by creation, newest first, as the policy of this name in SGLang does."""

    newest_first: ClassVar[bool] = True

    def rank(self, node: Node) -> Rank:
        """Return the creation, negated."""
        return -node.created
