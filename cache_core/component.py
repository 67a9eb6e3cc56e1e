"""The contract of components: one kind of state on the nodes of a tree, and the table of their names.

A component owns its fields on every node, its counters and its order of eviction. It decides; the cache
executes: a component frees no slot unless its hook says so. Hooks have inert defaults. A cache numbers its own
components; the first is the base ("full"), and a node exists only while the base has slots for it.
"""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from cache_core.node import Node
from cache_core.registry import Registry

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.insertion import Write
    from cache_core.tally import EvictTally

N = TypeVar("N", bound=Node)


class Component(ABC, Generic[N]):
    """One kind of state. `evictable` and `protected` count its tokens on nodes it has not locked, and locked."""

    name: ClassVar[str]
    node_fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, cache: PrefixCache, number: int) -> None:
        self.cache = cache
        self.number = number
        self.evictable = 0
        self.protected = 0

    def reset(self) -> None:
        """Forget every node; called once the tree is empty and has a new root."""
        self.evictable = self.protected = 0

    def make(self, node: N) -> None:
        """Give a new node this component's fields."""

    def is_live(self, node: N) -> bool:
        """Say whether the node has this component's state."""
        return True

    def locks(self, node: N) -> int:
        """Return how many receipts hold this component's state of the node."""
        return node.lock

    def deepest_usable(self, path: list[N], upto: int) -> int:
        """Return the largest index of `path` up to `upto` whose node a match may end on, or -1."""
        return upto

    def refresh(self, node: N) -> None:
        """Renew the recency of what a match or an insert that ends on `node` relies on."""

    def split(self, upper: N, lower: N) -> None:
        """Divide the state of a node that was cut."""

    def lock(self, node: N) -> tuple[int, int]:
        """Protect what a match at `node` relies on. Returns a mark that unlock needs, and the tokens moved."""
        return 0, 0

    def unlock(self, node: N, mark: int) -> int:
        """Undo one lock. Returns the tokens moved."""
        return 0

    def overlap(self, node: N, begin: int, end: int, job: Write) -> int:
        """Take over a newcomer's slots of [begin, end) for a node that has them already in base.

        Returns from where on the slots were consumed: those of [begin, result) remain duplicates.
        """
        return end

    def cuts(self, start: int, end: int, live_from: int) -> tuple[int, ...]:
        """Return where a new leaf [start, end) must be cut into nodes."""
        return ()

    def commit(self, node: N, live_from: int) -> None:
        """Give a new node its state, if its slots are live."""

    def drop(self, node: N) -> int:
        """Take the state off a node that leaves the tree. Returns the tokens dropped."""
        return 0

    def evict(self, asked: int, tally: EvictTally) -> None:
        """Free tokens of this component until `tally` has `asked` of them or nothing more can go."""


COMPONENTS: Registry[type[Component[Node]]] = Registry(
    "component",
    {
        "full": "cache_core.components.full:Full",
        "swa": "cache_core.components.swa:SlidingWindow",
    },
)
