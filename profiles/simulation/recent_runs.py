"""Block caches that drop what was touched last longest ago, in a queue of runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import ClassVar

from probes.curves.recency import RecencyTree, Run
from profiles.simulation.policy import BlockPolicy
from profiles.trace import ID_BYTES, TraceRequest

_LEAST_QUEUED = 1_024


class RecentRuns(BlockPolicy):
    """A cache in the order of last touch, from leaf to root within a request.

    A block is touched whenever one below it is, so the oldest block is a leaf, and that only leaves may leave needs
    no attention: the oldest run is cut from its end.
    """

    spare: ClassVar[int] = 0
    """How many bytes a path that does not fit leaves free."""

    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield the hit blocks of each request."""
        tree = RecencyTree()
        touch, taken = tree.touch, tree.taken
        queue: deque[Run] = deque()
        room = most = self.capacity_blocks * ID_BYTES
        limit = _LEAST_QUEUED
        for request in requests:
            path = request.path
            hit = 0
            if path:
                queue.append(touch(path, request.namespace, 0))
                for _, size in taken:
                    hit += size
                room -= len(path) - hit
                if len(path) > most > hit:
                    room -= self.spare
            if room < 0:
                self.dropped_blocks -= room // ID_BYTES
                tree.make_room(queue, -room)
                room = self.spare if len(path) > most > hit else 0
            if len(queue) > limit:
                queue = deque(run for run in queue if run.ids)
                limit = max(_LEAST_QUEUED, 2 * len(queue))
                tree.forget_empty()
            yield hit // ID_BYTES
