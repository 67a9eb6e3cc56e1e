"""Oldest block goes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from probes.curves.recency import common_size
from profiles.simulation.policy import BlockPolicy
from profiles.trace import ID_BYTES, TraceRequest

_LEAST_SWEPT = 4_096


class _Batch:
    """Blocks in a row that one request inserted. `number` counts what was inserted before the first of them."""

    __slots__ = ("below", "ids", "number")

    def __init__(self, ids: bytes, number: int) -> None:
        self.ids = ids
        self.number = number
        self.below: dict[bytes, _Batch] = {}

    def cut(self, size: int, siblings: dict[bytes, _Batch]) -> _Batch:
        """Put a batch of the first so many bytes above this one and return it."""
        upper = _Batch(self.ids[:size], self.number)
        siblings[upper.ids[:ID_BYTES]] = upper
        self.ids = self.ids[size:]
        self.number += size
        upper.below[self.ids[:ID_BYTES]] = self
        return upper


class FIFO(BlockPolicy):
    """A plain queue of blocks (Belady 1966): inner blocks leave too, and those below wait to be reached again.

    A hit moves nothing and every insertion drops one block once it is full. So a block is there as long as fewer than
    `capacity_blocks` were inserted after it, and no queue is kept. Of a batch the first block leaves first; inserting
    that one again drops the next one, and so on: a batch is there as a whole or is inserted as a whole.
    """

    def __init__(self, capacity_blocks: int) -> None:
        super().__init__(capacity_blocks)
        self._homes: dict[str | None, dict[bytes, _Batch]] = {}
        self._batches = 0
        self._limit = _LEAST_SWEPT
        self._gone = -capacity_blocks * ID_BYTES
        """What was inserted before this is gone: how many bytes were inserted, less the capacity."""

    def serve(self, requests: Iterable[TraceRequest]) -> Iterator[int]:
        """Yield the hit blocks of each request."""
        for request in requests:
            hit = self._serve(request.path, self._homes.setdefault(request.namespace, {}))
            self.dropped_blocks = max(0, self._gone // ID_BYTES)
            if self._batches > self._limit:
                self._sweep()
            yield hit // ID_BYTES

    def _serve(self, path: bytes, below: dict[bytes, _Batch]) -> int:
        """Insert what is missing of the path; return how much of it was there without a break."""
        at, hit, is_whole = 0, 0, True
        while at < len(path):
            found = below.get(path[at : at + ID_BYTES])
            if found is None:
                found = below[path[at : at + ID_BYTES]] = _Batch(path[at:], self._gone - 1)
                self._batches += 1
            elif not path.startswith(found.ids, at):
                found = found.cut(common_size(found.ids, path, at), below)
                self._batches += 1
            at += len(found.ids)
            if found.number < self._gone:
                is_whole = False
                found.number = self._gone + self.capacity_blocks * ID_BYTES
                self._gone += len(found.ids)
            elif is_whole:
                hit = at
            below = found.below
        return hit

    def _sweep(self) -> None:
        """Forget the batches that are gone, except for those that something is below of."""
        order: list[tuple[dict[bytes, _Batch], bytes]] = []
        waiting = list(self._homes.values())
        while waiting:
            below = waiting.pop()
            for first, batch in below.items():
                order.append((below, first))
                waiting.append(batch.below)
        for below, first in reversed(order):
            batch = below[first]
            if not batch.below and batch.number + len(batch.ids) <= self._gone:
                del below[first]
                self._batches -= 1
        self._homes = {namespace: home for namespace, home in self._homes.items() if home}
        self._limit = max(_LEAST_SWEPT, 2 * self._batches)
