"""The queue of free blocks: in the order in which their last holder let go."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from cache_core.evictor import Evictor
from cache_core.node import Node
from cache_core.policy import Policy


class ReleaseQueue(Evictor):
    """Hashed blocks that nobody holds, inner ones too. The head is the next victim; nothing is ever sorted."""

    __slots__ = ("_queue",)

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self._queue: OrderedDict[Node, None] = OrderedDict()

    def offer(self, node: Node) -> None:
        """Put a block that lost its last holder at the end; one that waits already keeps its place."""
        self._queue.setdefault(node)
        self.leaves = len(self._queue)

    def withdraw(self, node: Node) -> None:
        """Take a block out: it is held again, or gone."""
        del self._queue[node]
        self.leaves = len(self._queue)

    def touched(self, node: Node) -> None:
        """A look at a block moves nothing."""

    def renew(self, node: Node) -> None:
        """Move a block that waits to the end."""
        if node in self._queue:
            self._queue.move_to_end(node)

    def begin(self, clock: Callable[[], int]) -> None:
        """Start an evict call."""
        self.considered = self.pops = 0

    def pop(self) -> Node | None:
        """Return the head, or None."""
        head = next(iter(self._queue), None)
        if head is not None:
            self.pops += 1
            self.considered += 1
        return head

    def end(self) -> None:
        """The queue lives on."""

    def holds(self, node: Node) -> bool:
        """Say whether a block waits here."""
        return node in self._queue

    def in_order(self) -> list[Node]:
        """Return the blocks, the next victim first."""
        return list(self._queue)
