"""What the cache's operations return."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cache_core.node import Node

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache


class MatchResult:
    """What a key has in the cache. `node` ends the device hit; lock it before anything else may evict.

    `hit_tokens` are usable on the device now, `host_hit_tokens` more after a load back. `full_hit_tokens` is the
    longest stored prefix whatever its windows, `branching_point` its end when the request cannot use all of it.
    """

    __slots__ = ("branching_point", "full_hit_tokens", "hit_tokens", "host_hit_tokens", "node")

    def __init__(self, node: Node, hit_tokens: int, full_hit_tokens: int, branching_point: int | None) -> None:
        self.node = node
        self.hit_tokens = hit_tokens
        self.host_hit_tokens = 0
        self.full_hit_tokens = full_hit_tokens
        self.branching_point = branching_point

    def slots(self) -> array[int]:
        """Return the Full slots of the device hit, gathered now. Valid while the node is in the tree."""
        return gather(self.node)

    def __repr__(self) -> str:
        return (
            f"MatchResult(hit_tokens={self.hit_tokens}, full_hit_tokens={self.full_hit_tokens}, "
            f"branching_point={self.branching_point}, node={self.node.id})"
        )


def gather(node: Node, begin: int = 0) -> array[int]:
    """Return the Full slots of positions [begin, end of node), root first."""
    parts = []
    while node.parent is not None and node.end > begin:
        skip = max(0, begin - node.start)
        parts.append(node.values[node.offset + skip : node.offset + node.length])
        node = node.parent
    slots = array("i")
    for part in reversed(parts):
        slots.extend(part)
    return slots


@dataclass(frozen=True, slots=True)
class InsertResult:
    """`present_tokens` were in the tree already; `adopted` names the ranges where a node took the caller's slots."""

    present_tokens: int
    node: Node
    branch_inserted: bool | None = None
    adopted: Mapping[str, list[list[int]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvictResult:
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


class EvictTally:
    """Counts one component's share of an evict call; `freed` is shared by the components of the call."""

    __slots__ = ("cascades", "freed", "leaves_considered", "pops", "queue_build_ns", "stale_pops", "victims")

    def __init__(self, freed: list[int]) -> None:
        self.freed = freed
        self.victims = self.cascades = self.leaves_considered = 0
        self.queue_build_ns = self.pops = self.stale_pops = 0


class LockReceipt:
    """Proof of a lock on the path to `node`, and what it takes to undo exactly that one.

    `marks` has one entry per component: where its segment ends. It is given back once, to the same cache.
    """

    __slots__ = ("cache", "held", "marks", "node", "window_held")

    def __init__(self, cache: PrefixCache, node: Node, marks: tuple[int, ...]) -> None:
        self.cache = cache
        self.node = node
        self.marks = marks
        self.held = True
        self.window_held = True
