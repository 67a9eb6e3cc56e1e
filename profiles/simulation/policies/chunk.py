"""Nothing is reused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from profiles.simulation.policy import BlockPolicy
from profiles.trace import TraceRequest


class Chunk(BlockPolicy):
    """The control without a tree: every request computes all of its prompt."""

    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield 0 for each request."""
        for _ in requests:
            yield 0
