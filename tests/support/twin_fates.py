"""What evictions did to the nodes of a real cache, in order, in the words of the model."""

from __future__ import annotations

from cache_core import PrefixCache
from cache_core.node import Node
from cache_core.watcher import Watcher
from tests.support.naive_state import Fate
from tests.support.twin_rows import units_of


class Fates(Watcher):
    """Watches a cache and writes down who goes, and how."""

    def __init__(self, cache: PrefixCache) -> None:
        self.cache = cache
        self.seen: list[Fate] = []
        cache.watch(self)

    def removed(self, node: Node) -> None:
        self._note("removed", node)

    def demoted(self, node: Node) -> None:
        self._note("demoted", node)

    def tombstoned(self, node: Node, component: int) -> None:
        self._note(f"{self.cache.components[component].name} tombstoned", node)

    def host_dropped(self, node: Node, component: int) -> None:
        if component == 0 and node.copies[0] is None:  # type: ignore[attr-defined]
            self._note("full dropped from the host", node)

    def _note(self, fate: str, node: Node) -> None:
        self.seen.append((fate, node.start, units_of(self.cache, node)))
