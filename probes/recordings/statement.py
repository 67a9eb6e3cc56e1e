"""A snapshot that a reader writes of its own mirror: blocks of statements, a slice at a time between the deltas."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from cache_core.events import RawRecord
from probes.blocks import SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END
from probes.mirror import Mirror
from probes.mirroring.walk import state_records
from probes.rings.slices import snapshot_block, write_slice
from probes.rings.walk import SnapshotWalk

Put = Callable[[bytes], object]
"""Takes the bytes of one block."""


class Statement:
    """One walk over a mirror under way. `is_over` once its last block was put.

    `size_bytes` is how much was put, `spent_ns` how long that took.
    """

    def __init__(self, mirror: Mirror, clock: Callable[[], int]) -> None:
        self.is_over = False
        self.size_bytes = 0
        self.spent_ns = 0
        self._mirror = mirror
        self._clock = clock
        self._begun = False
        self._at = 0
        self._walk = SnapshotWalk(self._records, clock)

    def write(self, next_seq: int, at: int, budget_ns: int, put: Put) -> None:
        """Put the blocks of the next slice, true at `next_seq`, as many as about `budget_ns` allows.

        `at` is the time of the stream there: a reader that catches up states a tree of the past.

        A record that makes no block, since a hostile stream brought a count beyond 64 bits, is left out.
        """
        started = self._clock()
        self._at = at
        put_run = partial(self._put, put, next_seq)
        if not self._begun:
            self._begun = True
            put_run(SNAPSHOT_BEGIN, ())
        records = self._walk.slice(budget_ns)
        assert not self._walk.fault, self._walk.fault
        write_slice(records, partial(put_run, SLICE), _leave_out)
        if self._walk.finished:
            put_run(SNAPSHOT_END, ())
            self.is_over = True
        self.spent_ns += self._clock() - started

    def _put(self, put: Put, next_seq: int, kind: int, run: Sequence[RawRecord]) -> bool:
        block = snapshot_block(kind, run, next_seq, self._at)
        if block is None:
            return False
        put(block)
        self.size_bytes += len(block)
        return True

    def _records(self) -> Iterator[RawRecord]:
        return state_records(self._mirror, self._at)


def _leave_out() -> None:
    """Stand in for a record that cannot be written."""
