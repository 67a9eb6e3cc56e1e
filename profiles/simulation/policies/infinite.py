"""Everything stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from probes.curves.recency import RecencyTree
from profiles.simulation.policy import BlockPolicy
from profiles.trace import ID_BYTES, TraceRequest


class Infinite(BlockPolicy):
    """The ceiling: what a cache without bounds hits. The capacity is not looked at; memory is that of all blocks."""

    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield the hit blocks of each request."""
        tree = RecencyTree()
        for request in requests:
            if request.path:
                tree.touch(request.path, request.namespace, 0)
                yield sum(size for _, size in tree.taken) // ID_BYTES
            else:
                yield 0
