"""Which copies of Full data on the host go next: a heap that lives across calls, checked when it is popped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

from cache_core.host.node import TieredNode
from cache_core.policy import Policy, Rank

Entry = tuple[Rank, int, int, TieredNode]
"""A rank, then a number by the end of the node, so that nodes of one path with one rank are in order; id and node."""


class VictimQueue:
    """Nodes that may be victims of one kind, least rank first.

    A node is offered whenever it may have become one; what is none any more is passed over when it is popped. Where
    touching a node makes its rank fall, the heap is made `anew` for each call from all nodes.
    """

    __slots__ = ("_anew", "_aside", "_heap", "_is_victim", "_policy", "_queued")

    SLACK = 64

    def __init__(self, policy: Policy, is_victim: Callable[[TieredNode], bool], anew: bool) -> None:
        self._policy = policy
        self._anew = anew
        self._is_victim = is_victim
        self._heap: list[Entry] = []
        self._queued: set[int] = set()
        self._aside: list[TieredNode] = []

    def offer(self, node: TieredNode) -> None:
        """Take in a node that may have become a victim."""
        if node.id not in self._queued:
            self._queued.add(node.id)
            heappush(self._heap, self._entry(node))

    def advanced(self, node: TieredNode) -> None:
        """Take note that the rank of a node may have fallen: its entry of before may come too late."""
        if node.id in self._queued:
            heappush(self._heap, self._entry(node))

    def begin(self, everything: Callable[[], Iterable[TieredNode]], alive: int) -> None:
        """Start a call; `alive` nodes are in the tree."""
        if self._anew:
            self._fill(everything())
        elif len(self._heap) > 2 * alive + self.SLACK:
            self._fill([entry[3] for entry in self._heap if entry[3].parent is not None])

    def pop(self, spared: set[int]) -> TieredNode | None:
        """Return the next victim, which the caller drops, or None. Nodes held by transfers, or spared, are kept."""
        while self._heap:
            entry = heappop(self._heap)
            node = entry[3]
            if node.parent is None or not self._is_victim(node):
                self._queued.discard(node.id)
                continue
            now = self._entry(node)
            if now > entry:
                heappush(self._heap, now)
            elif node.host_lock or node.id in spared:
                self._aside.append(node)
            else:
                self._queued.discard(node.id)
                return node
        return None

    def end(self) -> None:
        """End a call: what was kept may go in a later one."""
        for node in self._aside:
            heappush(self._heap, self._entry(node))
        self._aside.clear()

    def holds(self, node: TieredNode) -> bool:
        """Say whether a node is queued if it is a victim; heaps made for each call need none to be."""
        return self._anew or node.id in self._queued or not self._is_victim(node)

    def _entry(self, node: TieredNode) -> Entry:
        return self._policy.rank(node), -node.end if self._policy.newest_first else node.end, node.id, node

    def _fill(self, nodes: Iterable[TieredNode]) -> None:
        entries = {node.id: self._entry(node) for node in nodes if self._is_victim(node)}
        self._queued = set(entries)
        self._heap = list(entries.values())
        heapify(self._heap)
