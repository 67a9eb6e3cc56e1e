"""The nodes of a mirror as columns: what a forest is made of, read out at once and in the order of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from cache_core.events import MAX_COMPONENTS
from probes.mirror import Mirror
from probes.mirror_node import ROOT, MirrorNode, Segments
from profiles.columns import Column, column, rows_of
from profiles.forest import TOP


@dataclass(frozen=True, slots=True)
class NodeColumns:
    """One row per node but the root. `parents` are rows; `live` and `copied` have a bit per component."""

    nodes: Sequence[MirrorNode]
    parents: Column
    keys: Column
    starts: Column
    lengths: Column
    live: Column
    copied: Column

    @property
    def namespaces(self) -> Column:
        """The namespace of each node on top, which is that of all nodes below it."""
        tops = np.flatnonzero(self.parents == TOP).tolist()
        namespaces = np.zeros(len(self.nodes), np.int64)
        namespaces[tops] = [self.nodes[row].namespace for row in tops]
        return namespaces

    @property
    def segments(self) -> list[Segments]:
        """The named segments of each node."""
        return list(map(attrgetter("segments"), self.nodes))

    def of(self, field: str) -> Column:
        """Return an integer of each node, by the name of its attribute."""
        return column(map(attrgetter(field), self.nodes), len(self.nodes))


def node_columns(mirror: Mirror) -> NodeColumns:
    """Return the nodes of a mirror as they are now; call it on the thread that ticks."""
    nodes = list(mirror.nodes.values())
    nodes.remove(mirror.root)
    count = len(nodes)
    keys, starts, lengths, live, above = (
        column(map(attrgetter(field), nodes), count)
        for field in ("content_key", "start", "length", "live", "parent.id")
    )
    ids = column((id_ for id_ in mirror.nodes if id_ != ROOT), count)
    has_copies = any(mirror.census.copied(number)[0] for number in range(MAX_COMPONENTS))
    copied = column(map(attrgetter("copied"), nodes), count) if has_copies else np.zeros_like(live)
    return NodeColumns(nodes, rows_of(ids, above), keys, starts, lengths, live, copied)
