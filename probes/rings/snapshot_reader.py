"""A reader's side of a snapshot: asks the writer of a ring for one and reads the answer as it grows."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum, auto

from probes.block_stream import BlockStream
from probes.blocks import SNAPSHOT_END, Block, BlockError
from probes.rings import ring
from probes.rings.folder import side_path
from probes.rings.reader import RingReader

RETRY_AFTER_NS = 1_000_000_000
"""How long a reader waits after a snapshot that failed before it asks for another."""


class Phase(Enum):
    """How far a reader is with the snapshot that it needs."""

    SETTLED = auto()
    WAITING = auto()
    READING = auto()
    FAILED = auto()


class SnapshotReader:
    """Follows one snapshot at a time. After a failure it asks again, a second later."""

    def __init__(self, reader: RingReader, pid: int, rank: int, clock: Callable[[], int]) -> None:
        self._ring = reader
        self._pid = pid
        self._rank = rank
        self._clock = clock
        self._number = 0
        self._retry_at = 0
        self._fd = -1
        self._stream: BlockStream | None = None
        self.phase = Phase.SETTLED

    def request(self) -> None:
        """Ask for a snapshot that begins after this call, in place of one that is being read."""
        self.close()
        self._number = self._ring.request_snapshot()
        self.phase = Phase.WAITING

    def read(self, limit: int) -> tuple[list[Block], bool]:
        """Return the next blocks of the snapshot, at most `limit`, and whether more of them are there already.

        The blocks that begin and end it, which have no records, are among them.
        """
        if self.phase is Phase.FAILED and self._clock() >= self._retry_at:
            self.request()
        if self.phase is Phase.WAITING:
            self._open_answer()
        blocks: list[Block] = []
        while self._stream is not None and len(blocks) < limit:
            block = self._next_block(self._stream)
            if block is None:
                return blocks, False
            blocks.append(block)
        return blocks, self._stream is not None

    def close(self) -> None:
        """Let go of the side file."""
        self._stream = None
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _open_answer(self) -> None:
        begun = self._ring.word(ring.BEGUN)
        if begun < self._number:
            if self._ring.word(ring.FAILED) >= self._number:
                self._fail()
            return
        try:
            path = side_path(self._ring.path.parent, self._pid, self._rank, begun)
            self._fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:  # superseded between the two looks, or the writer is gone
            return
        self._number = begun
        self._stream = BlockStream(self._fd)
        self.phase = Phase.READING

    def _next_block(self, stream: BlockStream) -> Block | None:
        """Return the next block of the answer; at its end, or when it is broken, stop following it."""
        failed = self._ring.word(ring.FAILED) >= self._number
        try:
            block = stream.next_block()
        except BlockError:
            block, failed = None, True
        if block is None and failed:
            self._fail()
        elif block is not None and block.kind == SNAPSHOT_END:
            self.close()
            self.phase = Phase.SETTLED
        return block

    def _fail(self) -> None:
        self.close()
        self.phase = Phase.FAILED
        self._retry_at = self._clock() + RETRY_AFTER_NS
