"""The contract of components: one kind of state on the nodes of a tree, and the table of their names.

A component owns its fields on every node, its pool of slots, its counters and its order of eviction. Hooks have
inert defaults. A cache numbers its own components; the first is the base ("full"), and without a host tier a node
exists only while the base has slots for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from cache_core.eviction import give_up
from cache_core.node import Node
from cache_core.pool import SlotPool
from cache_core.registry import Registry

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.config import CacheConfig
    from cache_core.insertion import Write
    from cache_core.tally import EvictTally

N = TypeVar("N", bound=Node)


class Component(ABC, Generic[N]):
    """One kind of state. `evictable` and `protected` count its slots on nodes it has not locked, and locked."""

    name: ClassVar[str]
    node_fields: ClassVar[tuple[str, ...]] = ()
    node_arrays: ClassVar[tuple[str, ...]] = ()
    """Those of the fields that hold slots by position, beside the Full slots of the node."""
    per_token: ClassVar[bool] = True
    """Whether every token takes a slot, rather than every state that is kept."""

    def __init__(self, cache: PrefixCache, number: int) -> None:
        self.cache = cache
        self.number = number
        self.evictable = 0
        self.protected = 0
        self.pool = self.make_pool()

    @classmethod
    def variant(cls, config: CacheConfig) -> type[Component[N]]:
        """Return the class that follows the rules a configuration asks for."""
        return cls

    @abstractmethod
    def make_pool(self) -> SlotPool:
        """Return the pool that the configuration asks for."""

    def reset(self) -> None:
        """Forget every node; called once the tree is empty and has a new root."""
        self.evictable = self.protected = 0
        self.pool.reset()

    def make(self, node: N) -> None:
        """Give a new node this component's fields."""

    def is_live(self, node: N) -> bool:
        """Say whether the node has this component's state on the device."""
        return True

    def locks(self, node: N) -> int:
        """Return how many receipts hold this component's state of the node."""
        return node.lock

    def size(self, node: N) -> int:
        """Return how many slots the component's state of a live node takes."""
        return node.length

    def deepest_usable(self, node: N) -> N:
        """Return the deepest node on the path to `node` that a match may end on, or the root."""
        return node

    def needs(self, end: N) -> Iterator[N]:
        """Yield the nodes, `end` first, whose state a match that ends on `end` relies on: by default its path."""
        return end.upward()

    def accepts_inside(self, node: N, agreed: int) -> bool:
        """Say whether a match may end `agreed` bytes into the edge of `node`."""
        return True

    def slots_of(self, node: N) -> array[int]:
        """Return the slots of a live node's state, a copy."""
        return array("i")

    def by_use(self) -> Iterator[N]:
        """Yield the live nodes from the least to the most recently used, where this component keeps that order.

        The one just yielded may lose its state meanwhile.
        """
        return iter(())

    def refresh(self, node: N) -> None:
        """Renew the recency of what a match or an insert that ends on `node` relies on."""

    def split(self, upper: N, lower: N) -> None:
        """Divide the state of a node that was cut."""

    def lock(self, node: N) -> tuple[int, int]:
        """Protect what a match at `node` relies on. Returns a mark that unlock needs, and the slots moved.

        The base is locked by `Full.lock_below`, since a lock that moves down its path is counted only there.
        """
        return 0, 0

    def unlock(self, node: N, mark: int) -> int:
        """Undo one lock. Returns the slots moved."""
        return 0

    def lock_one(self, node: N) -> int:
        """Protect the state of one node, whatever is above it. Returns the slots moved."""
        return 0

    def unlock_one(self, node: N) -> int:
        """Undo one `lock_one`. Returns the slots moved."""
        return 0

    def overlap(self, node: N, begin: int, end: int, job: Write) -> int:
        """Take over a newcomer's slots of [begin, end) for a node that has them already in base.

        Returns from where on the slots were consumed: those of [begin, result) remain duplicates.
        """
        return end

    def give_back(self, job: Write, begin: int, end: int) -> None:
        """Free the newcomer's slots of [begin, end): the tree has them already."""

    def cuts(self, start: int, end: int, live_from: int) -> tuple[int, ...]:
        """Return where a new leaf [start, end) must be cut into nodes."""
        return ()

    def commit(self, node: N, job: Write) -> None:
        """Give a new node its state, if its slots are live. Of the base, `insertion` sees to it."""

    def settle(self, node: N, job: Write) -> None:
        """Take what an insert brings for the node it ends on."""

    def attached(self, node: Node) -> None:
        """Take note of a new leaf; called only where a component overrides it."""

    def detached(self, node: Node, parent: Node) -> None:
        """Take note that a leaf left `parent`; called only where a component overrides it."""

    def complaints(self) -> Iterator[str]:
        """Yield what is wrong with the bookkeeping that only this component knows."""
        yield from ()

    def load(self, node: N, slots: array[int]) -> None:
        """Give a node without this component's state what is in `slots`, as the most recently used."""

    def came_back(self, node: N) -> None:
        """Tell who must know that a node has this component's state on the device again."""
        cache = self.cache
        if cache.host is not None:
            cache.host.regained(node, self.number)
        if cache.watcher is not None:
            cache.watcher.recovered(node, self.number)

    def drop(self, node: N) -> int:
        """Free the state of a node that leaves the tree or loses it. Returns the slots freed."""
        return 0

    def put_back(self, node: N) -> None:
        """Take back a victim that had to stay: it may be one again."""

    def evict(self, asked: int, tally: EvictTally) -> None:
        """Free slots of this component until `tally` has `asked` of them or nothing more can go.

        By default the least recently used nodes give theirs, past those that are locked: an inner node its state, a
        leaf everything.
        """
        freed, number = tally.freed, self.number
        for node in self.by_use():
            if freed[number] >= asked:
                break
            if not self.locks(node):
                give_up(self.cache, node, number, tally)


COMPONENTS: Registry[type[Component[Node]]] = Registry(
    "component",
    {
        "full": "cache_core.components.full:Full",
        "swa": "cache_core.components.swa:SlidingWindow",
        "mamba": "cache_core.components.mamba:Mamba",
    },
)

SWA_EVICTIONS: Registry[type[Component[Node]]] = Registry(
    "order of evicting windows",
    {
        "lru": "cache_core.components.swa:SlidingWindow",
        "tail_window_last": "cache_core.tail_windows:TailWindowLast",
    },
)
"""The windows' components, by the order in which each gives them up."""
