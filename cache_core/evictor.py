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
from typing import Any

from cache_core.node import NO_SLOTS, Node
from cache_core.policy import Policy, Rank

_ID_BITS = 40
_ID_MASK = (1 << _ID_BITS) - 1
"""More nodes than a cache can ever make."""

Entry = int | tuple[Rank, int]
"""A rank and the id of a node, in that order: one number where the rank is one.

A heap of a hundred thousand leaves is in no processor's cache. To compare two numbers takes a third of the time of
two tuples, as it reads nothing behind them.
"""


def _entry(rank: Rank, number: int) -> Entry:
    return rank << _ID_BITS | number if type(rank) is int else (rank, number)


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
    """A lazy heap that lives across calls; stale entries are at most as many as the leaves, plus a few.

    `_nodes` has the nodes of the entries by id. An entry without one is stale, as its node went by another entry.
    """

    __slots__ = ("_heap", "_nodes", "_touch_advances")

    SLACK = 64

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self._heap: list[Any] = []  # of Entry
        self._nodes: dict[int, Node] = {}
        self._touch_advances = policy.touch_advances

    def offer(self, node: Node) -> None:
        self.leaves += 1
        if not node.queued or self._touch_advances:
            node.queued = True
            heap, number = self._heap, node.id
            self._nodes[number] = node
            heappush(heap, _entry(self.rank(node), number))
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
        heap, nodes, rank = self._heap, self._nodes, self.rank
        while heap:
            entry = heappop(heap)
            number = entry & _ID_MASK if type(entry) is int else entry[1]
            node = nodes.get(number)
            self.pops += 1
            if node is None:
                self.stale_pops += 1
                continue
            # `Node.is_evictable`, in line
            if node.children or node.lock or node.parent is None or node.values is NO_SLOTS:
                node.queued = False
                del nodes[number]
                self.stale_pops += 1
                continue
            now = _entry(rank(node), number)
            if now > entry:
                heappush(heap, now)
                self.stale_pops += 1
                continue
            node.queued = False
            del nodes[number]
            self.considered += 1
            return node
        return None

    def end(self) -> None:
        """The heap lives on."""

    def holds(self, node: Node) -> bool:
        return node.queued

    def _compact(self) -> None:
        """Keep one entry, of the rank of now, for each evictable leaf."""
        for node in self._nodes.values():
            node.queued = node.is_evictable
        self._nodes = {number: node for number, node in self._nodes.items() if node.queued}
        self._heap = [_entry(self.rank(node), number) for number, node in self._nodes.items()]
        heapify(self._heap)


class Rebuild(Evictor):
    """A heap of every evictable leaf, made anew by each call."""

    __slots__ = ("_heap", "_in_call", "_leaves")

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self._leaves: dict[int, Node] = {}
        self._heap: list[tuple[Rank, int, Node]] = []
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
