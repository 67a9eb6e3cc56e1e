"""The newest blocks of a stream that is watched, with the tree stated now and then, so that one can go back in it.

    ring ---- KeepingAdapter ----> aggregator       now
                   |
                   '---- History ----> Passage      any moment that is kept

The blocks lie in a file of bounded size; where they are written over, a moment cannot be gone to any more.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from probes.block_reader import BlockReader
from probes.block_stream import WINDOW_BYTES, BlockStream
from probes.blocks import SNAPSHOT_END, Block, BlockHead, decode_head
from probes.mirror import Mirror
from probes.recordings.statement import Statement
from probes.recordings.tally import SnapshotPlace, Tally
from probes.snapshot import SourceState
from probes.travel.footage import Footage, Point
from probes.travel.ring_file import RingFile

STATE_NS = 4_000_000
"""How long the tree is stated at a time."""

STATE_SHARE = 0.02
"""The tree is not stated again before the last time's cost is no more of the time since than this."""

EVERY_NS = 30_000_000_000
"""The tree is stated again after so long, or when an eighth of the room was filled since."""

_PARTS = 8
_LARGEST_PART = 3
_NODE_BYTES = 150
"""A tree that takes more than this part of the room is not stated: nothing could be kept beside it."""


class History(Footage):
    """Keeps the blocks that `take` is given, in a file of `limit_bytes`, or none. One thread writes and reads it.

    `fault` says why nothing is kept, when the disk is full for example.
    """

    def __init__(self, limit_bytes: int, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.name = ""
        self.fault = "" if limit_bytes else "no history is kept"
        self.file = RingFile(limit_bytes)
        self._clock = clock
        self._config: Mapping[str, object] = {}
        self._tally = Tally()
        self._next_seq = 0
        self._from_start = False
        self._whole = False
        self._statement: Statement | None = None
        self._stated_at = self._stated_end = self._stated_bytes = self._stated_ns = 0
        self._now = 0

    @property
    def config(self) -> Mapping[str, object]:
        """See Footage."""
        return self._config

    @property
    def start(self) -> int:
        """See Footage."""
        return self._tally.first_at

    @property
    def end(self) -> int:
        """See Footage: the present, also while no block comes."""
        return max(self._tally.last_at, self._now)

    @property
    def has_start(self) -> bool:
        """See Footage."""
        return self._from_start and self.file.oldest == 0

    def places(self) -> Sequence[SnapshotPlace]:
        """See Footage."""
        return self._tally.places

    def holds(self, place: SnapshotPlace) -> bool:
        """See Footage."""
        return self.is_kept(place.offset)

    def is_kept(self, offset: int) -> bool:
        """See Footage."""
        return offset >= self.file.oldest

    def reader(self) -> BlockReader:
        """See Footage."""
        return _HistoryReader(self)

    def extent(self) -> tuple[Point, Point]:
        """See Footage."""
        return (self.start, 0), (self._tally.last_at, self.file.end)

    def describe(self, source: SourceState) -> None:
        """Note whose blocks they are."""
        self.name, self._config = source.name, source.config

    def take(self, blocks: Sequence[Block], has_gap: bool) -> None:
        """Keep the next blocks of the stream; with a gap, some are missing before the first one."""
        if self.fault:
            return
        if has_gap:
            self._whole = False
            self._statement = None
        if blocks and not self._tally.blocks:
            self._from_start = blocks[0].first_seq == 0 and self._config.get("began_empty") is not False
            self._whole = self._from_start
            self._note_stated(blocks[0].flushed_at)
        run = bytearray()
        for block in blocks:
            self._count(_head_of(block), len(run))
            run += block.encode()
        self._put(bytes(run))
        if blocks:
            self._next_seq = blocks[-1].end_seq

    def state_tree(self, mirror: Mirror, now: int) -> None:
        """State a piece of the tree when that is due; `mirror` knows every block that was taken, and no more."""
        self._now = now
        if self.fault:
            return
        if self._statement is None and self._is_due(mirror):
            self._statement = Statement(mirror, self._clock)
            self._stated_bytes = 0
        statement = self._statement
        if statement is None:
            return
        statement.write(self._next_seq, self._tally.last_at, STATE_NS, self._put_one)
        if statement.is_over:
            self._stated_bytes, self._stated_ns = statement.size_bytes, statement.spent_ns
            self._note_stated(self._tally.last_at)
            self._statement = None

    def close(self) -> None:
        """Forget everything."""
        self.file.close()

    def _is_due(self, mirror: Mirror) -> bool:
        """Say whether it is time to state the tree."""
        if not self._whole:
            return False
        filled, passed = self.file.end - self._stated_end, self._tally.last_at - self._stated_at
        stated_bytes = max(self._stated_bytes, len(mirror.nodes) * _NODE_BYTES)
        if stated_bytes * _LARGEST_PART > self.file.capacity_bytes:
            return False
        is_time = passed >= EVERY_NS or filled * _PARTS >= self.file.capacity_bytes
        return is_time and filled >= stated_bytes and passed * STATE_SHARE >= self._stated_ns

    def _note_stated(self, at: int) -> None:
        self._stated_at, self._stated_end = at, self.file.end

    def _count(self, head: BlockHead, ahead: int) -> None:
        """Count a block that will lie `ahead` bytes behind what was written."""
        self._tally.add(head, self.file.end + ahead)
        if head.kind == SNAPSHOT_END:
            self._whole = True

    def _put_one(self, raw: bytes) -> None:
        self._count(decode_head(raw), 0)
        self._put(raw)

    def _put(self, raw: bytes) -> None:
        """Write, and forget the places that were written over."""
        try:
            for start in range(0, len(raw), self.file.capacity_bytes):
                self.file.put(raw[start : start + self.file.capacity_bytes])
        except OSError as error:
            self.fault = f"nothing is kept to go back to: {error.strerror}"
            self._from_start = False
            self._tally.places.clear()
        oldest = self.file.oldest
        while self._tally.places and self._tally.places[0].offset < oldest:
            del self._tally.places[0]


def _head_of(block: Block) -> BlockHead:
    words, count = len(block.words), block.record_count
    return BlockHead(block.sequence, block.first_seq, block.flushed_at, count, words, block.kind, 0)


class _HistoryReader(BlockReader):
    """Reads what a history keeps."""

    def __init__(self, history: History) -> None:
        self._history = history
        super().__init__()

    @property
    def config(self) -> Mapping[str, object]:
        """See BlockReader."""
        return self._history.config

    def stream(self, offset: int | None = None, window_bytes: int = WINDOW_BYTES) -> BlockStream:
        """See BlockReader."""
        return _RingStream(self._history.file, offset or 0, window_bytes)


class _RingStream(BlockStream):
    """Blocks in a ring file."""

    def __init__(self, file: RingFile, offset: int, window_bytes: int) -> None:
        super().__init__(file.descriptor, offset, window_bytes)
        self._file = file

    def _read(self, size: int, offset: int) -> bytes:
        return self._file.read(size, offset)
