"""A snapshot that a reader writes of its own mirror: blocks of statements, a slice at a time between the deltas."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence

from cache_core.events import RawRecord
from probes.blocks import HEADER_WORDS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, encode_block, open_block
from probes.mirror import Mirror
from probes.mirror_walk import state_records
from probes.parts import write_in_parts
from probes.walk import SnapshotWalk

BLOCK_RECORDS = 512
BLOCK_WORDS = 1 << 14
"""A block of a statement has no more records and no more words than this."""

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
        self._walk = SnapshotWalk(self._records, clock)

    def write(self, next_seq: int, budget_ns: int, put: Put) -> None:
        """Put the blocks of the next slice, true at `next_seq`, as many as about `budget_ns` allows.

        A record that makes no block, since a hostile stream brought a count beyond 64 bits, is left out.
        """

        def put_run(run: Sequence[RawRecord], kind: int = SLICE) -> bool:
            if HEADER_WORDS + sum(map(len, run)) > BLOCK_WORDS:
                return False
            try:
                block = encode_block(open_block(0, next_seq, self._clock(), kind), run)
            except struct.error:
                return False
            put(block)
            self.size_bytes += len(block)
            return True

        started = self._clock()
        if not self._begun:
            self._begun = True
            put_run((), SNAPSHOT_BEGIN)
        records = self._walk.slice(budget_ns)
        assert not self._walk.fault, self._walk.fault
        for start in range(0, len(records), BLOCK_RECORDS):
            run = records[start : start + BLOCK_RECORDS]
            if not put_run(run):
                write_in_parts(run, put_run, _leave_out, BLOCK_WORDS)
        if self._walk.finished:
            put_run((), SNAPSHOT_END)
            self.is_over = True
        self.spent_ns += self._clock() - started

    def _records(self) -> Iterator[RawRecord]:
        return state_records(self._mirror, self._clock())


def _leave_out() -> None:
    """Stand in for a record that cannot be written."""
