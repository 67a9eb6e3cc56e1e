"""Most recently used goes first."""

from __future__ import annotations

from typing import ClassVar

from cache_core.node import Node
from cache_core.policy import Policy, Rank


class MRU(Policy):
    """Orders by last access, newest first (Chou and DeWitt 1985)."""

    touch_advances: ClassVar[bool] = True
    newest_first: ClassVar[bool] = True

    def rank(self, node: Node) -> Rank:
        """Return the last access, negated."""
        return -node.access
