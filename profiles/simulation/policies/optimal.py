"""What is needed latest goes first: no cache hits more blocks."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush

from probes.curves.recency import RecencyTree
from profiles.simulation.policy import BlockPolicy
from profiles.trace import ID_BYTES, TraceRequest


class Optimal(BlockPolicy):
    """Knows the requests to come, and need not let in what it would drop first (Belady 1966).

    Needs of a path's blocks come later and later towards its end, and those that come with one request are one
    interval of that request's path. So the cache is an interval for each request to come, cut from its end while
    there is no room. What nobody asks for again is not kept at all.
    """

    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield the hit blocks of each request. All requests are read before the first is served."""
        paths = [(request.path, request.namespace) for request in requests]
        needs = _Needs(paths)
        kept = _Kept(len(paths))
        room = self.capacity_blocks * ID_BYTES
        for number in range(len(paths)):
            hit = kept.take(number)
            room += hit
            start = 0
            for need, end in needs.of(number):
                kept.add(need, start, end)
                room -= end - start
                start = end
            if room < 0:
                self.dropped_blocks -= room // ID_BYTES
                kept.cut(-room)
                room = 0
            yield hit // ID_BYTES


class _Needs:
    """Of each request, the requests that need its blocks next, from the root on, and how far each of them does."""

    def __init__(self, paths: Sequence[tuple[bytes, str | None]]) -> None:
        self._pairs = array("q")
        self._bounds = array("q", [0])
        tree = RecencyTree()
        for number in range(len(paths) - 1, -1, -1):
            path, namespace = paths[number]
            end = 0
            if path:
                tree.touch(path, namespace, number)
                for run, size in tree.taken:
                    end += size
                    self._pairs.extend((run.order, end))
            self._bounds.append(len(self._pairs))
        self._bounds.reverse()

    def of(self, number: int) -> Iterator[tuple[int, int]]:
        """Yield the next requests that need blocks of this one, and where in its path their needs end."""
        pairs = self._pairs
        for at in range(self._bounds[number + 1], self._bounds[number], 2):
            yield pairs[at], pairs[at + 1]


class _Kept:
    """For each request to come, the interval of its path that is kept for it."""

    def __init__(self, requests: int) -> None:
        self._starts = [0] * requests
        self._ends = [0] * requests
        self._latest: list[int] = []
        """The requests that have an interval, the last one first, as negative numbers; some may have been served."""

    def take(self, number: int) -> int:
        """Return how much is kept for the request whose turn it is, and keep it no longer."""
        end = self._ends[number]
        self._starts[number] = self._ends[number] = 0
        return end

    def add(self, number: int, start: int, end: int) -> None:
        """Keep [start, end) as well; what is kept already begins where it ends."""
        if self._ends[number] == self._starts[number]:
            self._ends[number] = end
            heappush(self._latest, -number)
        self._starts[number] = start

    def cut(self, size: int) -> None:
        """Drop so many bytes of what is needed latest."""
        starts, ends, latest = self._starts, self._ends, self._latest
        while size:
            number = -latest[0]
            kept = ends[number] - starts[number]
            if kept > size:
                ends[number] -= size
                return
            starts[number] = ends[number] = 0
            size -= kept
            heappop(latest)
