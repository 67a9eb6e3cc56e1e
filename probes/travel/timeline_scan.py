"""Folds the timeline of a recording out of its file, a slice at a time, without a tree."""

from __future__ import annotations

from collections.abc import Callable

from cache_core.events import Record
from probes.block_reader import BlockReader
from probes.block_stream import RawBlock
from probes.blocks import DELTAS, BlockError
from probes.fold import joined
from probes.recordings.unpack import Unpacker
from probes.travel.timeline import TimelineFold


class TimelineScan:
    """Reads a recording from its start. `is_over` once it came to the end of what is there."""

    def __init__(self, reader: BlockReader, start: int) -> None:
        self.fold = TimelineFold(start)
        self.is_over = False
        self._reader = reader
        self._folds = joined([self.fold.folds()])
        kinds: list[type[Record]] = list(self._folds)
        self._unpack = Unpacker(kinds)
        self._next_seq = 0

    def go_on(self, may_go_on: Callable[[], bool]) -> None:
        """Read blocks as long as one may."""
        while not self.is_over and may_go_on():
            raw = self._reader.next_raw()
            if raw is None:
                self.is_over = True
            elif raw.head.kind == DELTAS and raw.head.first_seq >= self._next_seq:
                self._take(raw)

    def _take(self, raw: RawBlock) -> None:
        head = raw.head
        try:
            records = self._unpack(raw)
        except BlockError:
            return
        if head.first_seq > self._next_seq:
            self.fold.lost()
        for record in records:
            for fold in self._folds[type(record)]:
                fold(record)
        self._next_seq = head.first_seq + head.record_count
        self.fold.passed(head.flushed_at)
