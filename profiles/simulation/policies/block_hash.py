"""Whole blocks by the hash of their chain, as vLLM's prefix caching is described."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import tee

from profiles.simulation.recent_runs import RecentRuns
from profiles.trace import ID_BYTES, TraceRequest


class BlockHash(RecentRuns):
    """The control with a table of hashes: whole blocks alone have a hash, and the last token is always computed.

    Its queue has blocks in the order in which requests let go of them, the last one of a request first. Where
    requests come one after the other that is the order of `lru`, so what differs is which blocks there are, and that
    a path that does not fit fills the cache.
    """

    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield the hit blocks of each request."""
        ours, its = tee(requests)
        for request, hit in zip(ours, super().serve(map(_whole, its)), strict=True):
            yield min(hit, max(0, request.prompt_tokens - 1) // request.block_tokens)


def _whole(request: TraceRequest) -> TraceRequest:
    """Return the request without a last block that is not full."""
    size = request.prompt_tokens // request.block_tokens * ID_BYTES
    return request if len(request.path) <= size else replace(request, path=request.path[:size])
