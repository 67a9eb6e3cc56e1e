"""How many nodes the tree has, of which kind, and how deep it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


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
