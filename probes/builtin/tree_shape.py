"""How many nodes the tree has, of which kind, and how deep it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cache_core.events import (
    CacheReset,
    Evict,
    Insert,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
    Recovered,
    Tombstoned,
)
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Gauge


@dataclass(frozen=True, slots=True)
class TreeShapeSample:
    """Counts over the tree without its root; the mappings are keyed by component.

    A tombstone is a node that some component's data has left. `depth` is the number of nodes on the longest path.
    `history` is the number of nodes, one a second, oldest first.
    """

    nodes: int
    leaves: int
    tombstones: int
    depth: int
    tokens: int
    live_nodes: Mapping[str, int]
    live_tokens: Mapping[str, int]
    history: tuple[float | None, ...]


class TreeShape(Probe):
    """Reads the mirror's running counts; nothing is walked."""

    needs = frozenset({NodeAdded, NodeSplit, NodeRemoved, Tombstoned, Recovered})
    whole_tree = True

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._nodes = Gauge()

    def folds(self) -> Folds:
        """See Probe. An operation's record follows those of the changes that it made."""
        return {Insert: self._operation, Evict: self._operation, CacheReset: self._operation}

    def sample(self, now: int) -> TreeShapeSample:
        """See Probe."""
        mirror = self.mirror
        census = mirror.census
        self._nodes.set(now, census.nodes)
        components = range(len(mirror.components) or census.components())
        live = {mirror.component_name(component): census.live(component) for component in components}
        return TreeShapeSample(
            nodes=census.nodes,
            leaves=mirror.leaves,
            tombstones=mirror.tombstones,
            depth=mirror.depth,
            tokens=census.tokens,
            live_nodes=MappingProxyType({name: nodes for name, (nodes, _) in live.items()}),
            live_tokens=MappingProxyType({name: tokens for name, (_, tokens) in live.items()}),
            history=self._nodes.history(now),
        )

    def _operation(self, record: Insert | Evict | CacheReset) -> None:
        self._nodes.set(record.at, self.mirror.census.nodes)
