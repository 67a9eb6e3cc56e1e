"""Segmented LRU: what was hit often enough is protected."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from cache_core.node import Node
from cache_core.policy import Option, Policy, PolicyOptions, Rank


class SLRU(Policy):
    """Orders the nodes on probation first, each segment by last access (Karedla et al. 1994).

    A node counts as protected from `threshold` hits on.
    """

    options: ClassVar[Mapping[str, Option]] = MappingProxyType({"threshold": Option(2, least=1)})

    def __init__(self, given: Mapping[str, int] | PolicyOptions = ()) -> None:
        super().__init__(given)
        self._threshold = self.settings["threshold"]

    def rank(self, node: Node) -> Rank:
        """Return the segment and the last access."""
        return (node.hits >= self._threshold, node.access)
