"""How many nodes the tree has, of which kind, and how deep it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from cache_core.events import (
    CacheReset,
    Evict,
    Insert,
    NodeAdded,
    NodeRemoved,
    NodeSplit,
)
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Gauge


@dataclass(frozen=True, slots=True)
class TreeShapeSample:
    """Counts over the tree without its root, on either tier; the mappings are keyed by component.

    A tombstone is a node on the device whose window has left it. `depth` is the number of nodes on the longest path.
    `history` is the number of nodes, one a second, oldest first. `live_*` are on the device; `copied_*` have a whole
    copy in host memory, and the `host_nodes` with `host_tokens` are there alone, a copy on its way among them. These
    four are None where there is no host tier.
    """

    nodes: int
    leaves: int
    tombstones: int
    depth: int
    tokens: int
    live_nodes: Mapping[str, int]
    live_tokens: Mapping[str, int]
    history: tuple[float | None, ...]
    host_nodes: int | None = None
    host_tokens: int | None = None
    copied_nodes: Mapping[str, int] | None = None
    copied_tokens: Mapping[str, int] | None = None

    @property
    def device_nodes(self) -> int:
        """The nodes that have slots on the device."""
        return self.nodes - (self.host_nodes or 0)


class TreeShape(Probe):
    """Reads the mirror's running counts; nothing is walked."""

    needs = frozenset({NodeAdded, NodeSplit, NodeRemoved})
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
            **(self._on_host() if mirror.has_host_tier else {}),
        )

    def _on_host(self) -> dict[str, Any]:
        mirror = self.mirror
        census = mirror.census
        copied = {name: census.copied(component) for component, name in enumerate(mirror.components)}
        nodes, tokens = census.away()
        return {
            "host_nodes": nodes,
            "host_tokens": tokens,
            "copied_nodes": MappingProxyType({name: nodes for name, (nodes, _) in copied.items()}),
            "copied_tokens": MappingProxyType({name: tokens for name, (_, tokens) in copied.items()}),
        }

    def _operation(self, record: Insert | Evict | CacheReset) -> None:
        self._nodes.set(record.at, self.mirror.census.nodes)
