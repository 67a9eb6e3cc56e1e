"""Block caches that drop the leaf of least rank: the tree of their blocks in stretches, and the queue of its leaves.

The blocks of a stretch were made and touched together, so they have one rank and leave from the end on. The path that
is being served keeps what it has: its deepest stretch is not dropped, and so none above it becomes a leaf.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush

from probes.curves.recency import common_size
from profiles.simulation.policy import BlockPolicy
from profiles.trace import ID_BYTES, TraceRequest

Rank = int | tuple[int, ...]
"""What orders stretches: the least goes first. One policy uses one kind."""

_LEAST_QUEUED = 1_024


class Stretch:
    """Blocks in a row. `made` and `touched` number the requests that inserted them and that used them last."""

    __slots__ = ("above", "below", "hits", "ids", "made", "touched")

    def __init__(self, ids: bytes, above: Stretch | None, number: int) -> None:
        self.ids = ids
        self.above = above
        self.below: dict[bytes, Stretch] = {}
        self.made = self.touched = number
        self.hits = 0

    def cut(self, size: int) -> Stretch:
        """Put a stretch of the first so many bytes above this one and return it; both count as before."""
        upper = Stretch(self.ids[:size], self.above, self.made)
        upper.touched, upper.hits = self.touched, self.hits
        assert self.above is not None, "only what hangs below something is cut"
        self.above.below[upper.ids[:ID_BYTES]] = upper
        self.ids, self.above = self.ids[size:], upper
        upper.below[self.ids[:ID_BYTES]] = self
        return upper


class RankedLeaves(BlockPolicy):
    """A cache that drops the leaf of least rank first. A rank is of the stretch alone."""

    def __init__(self, capacity_blocks: int) -> None:
        super().__init__(capacity_blocks)
        self._roots: dict[str | None, Stretch] = {}
        self._queue: list[tuple[Rank, int, Stretch]] = []
        self._queued = 0
        self._limit = _LEAST_QUEUED
        self._room = capacity_blocks * ID_BYTES

    @abstractmethod
    def rank(self, stretch: Stretch) -> Rank:
        """Return what the stretch's place in the queue is."""

    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield the hit blocks of each request."""
        for number, request in enumerate(requests):
            path = request.path
            root = self._roots.get(request.namespace)
            if root is None:
                root = self._roots[request.namespace] = Stretch(b"", None, number)
            tip, hit = self._touch(root, path, number)
            missing = len(path) - hit
            if missing > self._room:
                self._make_room(missing - self._room, tip)
            size = min(missing, self._room)
            if size:
                new = Stretch(path[hit : hit + size], tip, number)
                tip.below[new.ids[:ID_BYTES]] = new
                self._room -= size
                tip = new
            if not tip.below and tip is not root:
                self._enqueue(tip)
            if len(self._queue) > self._limit:
                self._tidy()
            yield hit // ID_BYTES

    def _touch(self, stretch: Stretch, path: bytes, number: int) -> tuple[Stretch, int]:
        """Touch what is there of the path; return the last stretch of it, and the size of it all."""
        at = 0
        while at < len(path):
            found = stretch.below.get(path[at : at + ID_BYTES])
            if found is None:
                break
            if not path.startswith(found.ids, at):
                found = found.cut(common_size(found.ids, path, at))
            found.touched = number
            found.hits += 1
            at += len(found.ids)
            stretch = found
        return stretch, at

    def _make_room(self, size: int, tip: Stretch) -> None:
        """Drop so many bytes, or all that are not on the path that ends with `tip`."""
        queue = self._queue
        while size and queue:
            rank, _, stretch = queue[0]
            held = len(stretch.ids)
            if stretch is tip or not self._is_leaf(rank, stretch):
                heappop(queue)
                continue
            gone = min(held, size)
            if gone < held:
                stretch.ids = stretch.ids[:-gone]
            else:
                heappop(queue)
                self._remove(stretch)
            size -= gone
            self._room += gone
            self.dropped_blocks += gone // ID_BYTES

    def _remove(self, stretch: Stretch) -> None:
        above = stretch.above
        assert above is not None, "a root is never queued"
        del above.below[stretch.ids[:ID_BYTES]]
        stretch.ids = b""
        if not above.below and above.above is not None:
            self._enqueue(above)

    def _enqueue(self, stretch: Stretch) -> None:
        self._queued += 1
        heappush(self._queue, (self.rank(stretch), self._queued, stretch))

    def _is_leaf(self, rank: Rank, stretch: Stretch) -> bool:
        """Return whether a stretch is still there, still a leaf, and still of this rank."""
        return bool(stretch.ids) and not stretch.below and self.rank(stretch) == rank

    def _tidy(self) -> None:
        """Leave one entry for each leaf, and no root that has nothing below it."""
        self._queue = list(
            {id(entry[2]): entry for entry in self._queue if self._is_leaf(entry[0], entry[2])}.values()
        )
        heapify(self._queue)
        self._limit = max(_LEAST_QUEUED, 2 * len(self._queue))
        self._roots = {namespace: root for namespace, root in self._roots.items() if root.below}
