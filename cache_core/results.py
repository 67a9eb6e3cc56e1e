"""What the cache's operations return."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.components.swa import SlidingWindow


class MatchResult:
    """What a key has in the cache. `node` ends the device hit; lock it before anything else may evict.

    `hit_tokens` are usable on the device now, `host_hit_tokens` more after a load back. `full_hit_tokens` is the
    longest stored prefix whatever its windows, `branching_point` its end when the request cannot use all of it.
    """

    __slots__ = ("branching_point", "cache", "full_hit_tokens", "hit_tokens", "host_hit_tokens", "node")

    def __init__(
        self, cache: PrefixCache, node: Node, hit_tokens: int, full_hit_tokens: int, branching_point: int | None
    ) -> None:
        self.cache = cache
        self.node = node
        self.hit_tokens = hit_tokens
        self.host_hit_tokens = 0
        self.full_hit_tokens = full_hit_tokens
        self.branching_point = branching_point

    def slots(self) -> array[int]:
        """Return the Full slots of the device hit, gathered now. Valid while the node is in the tree."""
        self.cache.require_whole()
        return gather(self.node)

    def swa_slots(self) -> array[int]:
        """Return the window slots of the device hit, 0 where there is none, gathered now."""
        self.cache.require_whole()
        window = self.cache.window
        return array("i", bytes(4 * self.hit_tokens)) if window is None else gather_windows(window, self.node)

    def __repr__(self) -> str:
        return (
            f"MatchResult(hit_tokens={self.hit_tokens}, full_hit_tokens={self.full_hit_tokens}, "
            f"branching_point={self.branching_point}, node={self.node.id})"
        )


def gather(node: Node, begin: int = 0) -> array[int]:
    """Return the Full slots of positions [begin, end of node), root first."""
    parts = []
    unit_bytes = node.unit_bytes
    parent = node.parent
    while parent is not None:
        first, length = node.offset, len(node.edge) // unit_bytes
        if node.start < begin:
            if node.start + length <= begin:
                break
            parts.append(node.values[first + begin - node.start : first + length])
            break
        parts.append(node.values[first : first + length])
        node, parent = parent, parent.parent
    return _joined(parts)


def gather_windows(window: SlidingWindow, node: Node, begin: int = 0) -> array[int]:
    """Return the window slots of positions [begin, end of node), root first; 0 where a tombstone has none."""
    parts = []
    while node.parent is not None and node.end > begin:
        part = window.window_slots(node)  # type: ignore[arg-type]
        parts.append(part[max(0, begin - node.start) :])
        node = node.parent
    return _joined(parts)


def _joined(parts: list[array[int]]) -> array[int]:
    """Return parts that were collected last first as one array."""
    if len(parts) == 1:
        return parts[0]
    parts.reverse()
    return array("i", b"".join(parts))


NOTHING: Mapping[str, list[list[int]]] = MappingProxyType({})
"""What most inserts adopt."""


class InsertResult(NamedTuple):
    """`present_tokens` were in the tree already; `adopted` names the ranges where a node took the caller's slots."""

    present_tokens: int
    node: Node
    branch_inserted: bool | None = None
    adopted: Mapping[str, list[list[int]]] = NOTHING


class EvictResult(NamedTuple):
    """Tokens freed, in whole nodes, and what it cost to choose them.

    A cascade is a component's state that went because another component's was evicted from the same node.
    `leaves_considered` are the nodes a queue held or walked to choose from.
    """

    full_tokens: int
    swa_tokens: int
    victims: int
    cascades: int
    leaves_considered: int
    queue_build_ns: int
    mamba_states: int = 0
