"""Victim queues: which evictable leaf goes next, and what it costs to know.

Two of them choose the same victims. `incremental` keeps a heap across calls: a leaf is pushed when it becomes
evictable and checked against its rank of now when it is popped, so that touching a node costs nothing and k
victims cost O(k log n). `rebuild` makes a heap of all evictable leaves on every call, as the reference does; it
is kept because measuring that cost is one of this project's jobs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from heapq import heapify, heappop, heappush

from cache_core.node import NO_SLOTS, Node
from cache_core.policy import Policy, Rank

Entry = tuple[Rank, int, Node]
"""A heap entry: the rank when it was pushed; the id, so that nodes are never compared; the node."""


class Evictor(ABC):
    """A queue of what may be evicted now, which is what `Full.may_go` says.

    These are called evictable leaves here, although a kind of cache may let its inner nodes go as well.
    """

    __slots__ = ("build_ns", "considered", "leaves", "policy", "pops", "rank", "stale_pops")

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self.rank = policy.rank
        self.leaves = 0
        """Evictable leaves now."""
        self.considered = 0
        self.pops = 0
        self.stale_pops = 0
        self.build_ns = 0

    @abstractmethod
    def offer(self, node: Node) -> None:
        """Take in a node that became an evictable leaf."""

    @abstractmethod
    def withdraw(self, node: Node) -> None:
        """Drop a node that is no evictable leaf any more: locked, given a child, or gone."""

    @abstractmethod
    def touched(self, node: Node) -> None:
        """Take note that an evictable leaf was touched."""

    def cut(self, lower: Node) -> None:
        """Take note that a node, evictable or not, is what is left of one that was cut, and may be more urgent so."""

    def put_back(self, node: Node) -> None:
        """Take back a victim that was popped and stays as evictable as it was."""

    @abstractmethod
    def begin(self, clock: Callable[[], int]) -> None:
        """Start an evict call: counters of the call go to zero."""

    @abstractmethod
    def pop(self) -> Node | None:
        """Return the next victim, or None. The caller deletes it, which withdraws it."""

    @abstractmethod
    def end(self) -> None:
        """End an evict call."""

    @abstractmethod
    def holds(self, node: Node) -> bool:
        """Say whether the queue knows of a node."""


class Incremental(Evictor):
    """A lazy heap that lives across calls; stale entries are at most as many as the leaves, plus a few."""

    __slots__ = ("_heap", "_touch_advances")

    SLACK = 64

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self._heap: list[Entry] = []
        self._touch_advances = policy.touch_advances

    def offer(self, node: Node) -> None:
        self.leaves += 1
        if not node.queued or self._touch_advances:
            node.queued = True
            heap = self._heap
            heappush(heap, (self.rank(node), node.id, node))
            if len(heap) > 2 * self.leaves + self.SLACK:
                self._compact()

    def withdraw(self, node: Node) -> None:
        self.leaves -= 1

    def touched(self, node: Node) -> None:
        if self._touch_advances:
            self.leaves -= 1
            self.offer(node)

    def cut(self, lower: Node) -> None:
        if lower.queued:  # its entry has the rank of before, which may come too late
            lower.queued = False
            self.leaves -= 1
            self.offer(lower)

    def put_back(self, node: Node) -> None:
        if not node.queued:
            self.leaves -= 1
            self.offer(node)

    def begin(self, clock: Callable[[], int]) -> None:
        self.considered = self.pops = self.stale_pops = self.build_ns = 0

    def pop(self) -> Node | None:
        heap, rank = self._heap, self.rank
        while heap:
            entry = heappop(heap)
            node = entry[2]
            self.pops += 1
            if node.children or node.lock or node.parent is None or node.values is NO_SLOTS:
                node.queued = False
                self.stale_pops += 1
                continue
            now = rank(node)
            if now > entry[0]:  # type: ignore[operator]
                heappush(heap, (now, node.id, node))
                self.stale_pops += 1
                continue
            node.queued = False
            self.considered += 1
            return node
        return None

    def end(self) -> None:
        """The heap lives on."""

    def holds(self, node: Node) -> bool:
        return node.queued

    def _compact(self) -> None:
        """Keep one entry, of the rank of now, for each evictable leaf."""
        leaves = {}
        for _, _, node in self._heap:
            node.queued = False
            if node.is_evictable:
                leaves[node.id] = node
        for node in leaves.values():
            node.queued = True
        self._heap = [(self.policy.rank(node), node.id, node) for node in leaves.values()]
        heapify(self._heap)


class Rebuild(Evictor):
    """A heap of every evictable leaf, made anew by each call."""

    __slots__ = ("_heap", "_in_call", "_leaves")

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self._leaves: dict[int, Node] = {}
        self._heap: list[Entry] = []
        self._in_call = False

    def offer(self, node: Node) -> None:
        self._leaves[node.id] = node
        self.leaves += 1
        if self._in_call:
            heappush(self._heap, (self.policy.rank(node), node.id, node))

    def withdraw(self, node: Node) -> None:
        del self._leaves[node.id]
        self.leaves -= 1

    def touched(self, node: Node) -> None:
        """A heap that is made anew needs no note."""

    def begin(self, clock: Callable[[], int]) -> None:
        start = clock()
        rank = self.policy.rank
        self._heap = [(rank(node), node.id, node) for node in self._leaves.values()]
        heapify(self._heap)
        self.considered = len(self._heap)
        self.build_ns = clock() - start
        self.pops = self.stale_pops = 0
        self._in_call = True

    def holds(self, node: Node) -> bool:
        return node.id in self._leaves

    def end(self) -> None:
        self._heap = []
        self._in_call = False

    def pop(self) -> Node | None:
        while self._heap:
            node = heappop(self._heap)[2]
            self.pops += 1
            if node.id in self._leaves:
                return node
            self.stale_pops += 1
        return None


EVICTORS: dict[str, type[Evictor]] = {"incremental": Incremental, "rebuild": Rebuild}
