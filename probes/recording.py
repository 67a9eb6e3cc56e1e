"""Reads a recording: a header, then the same blocks that went through the ring, in the order they were flushed.

Nothing in it is taken on trust (`block_stream.py`). What lies in a file, and when its writer put it there, is told in
`recording_writer.py`.
"""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path

from cache_core.events import Label
from probes.block_stream import WINDOW_BYTES, BlockStream, RawBlock
from probes.blocks import CLOSED, Block, BlockError, BlockHead
from probes.errors import RecordingError
from probes.folder import holds_lock
from probes.recording_header import read_header


class RecordingReader:
    """Reads a recording block by block; damaged blocks are counted and stepped over."""

    def __init__(self, path: Path, ends_now: bool = False) -> None:
        """Open the file and read its header. Raises RecordingError when that is not possible.

        With `ends_now`, what a process writes to it from now on is not read: whoever goes through it twice finds the
        same both times.
        """
        self.path = path
        self.torn_blocks = 0
        self.closed_reason: str | None = None
        self._torn_at = -1
        self._fd = _open_to_read(path)
        self._closing = weakref.finalize(self, os.close, self._fd)
        self._end = os.fstat(self._fd).st_size if ends_now else None
        try:
            self.header = read_header(path, self._fd)
        except BaseException:
            self.close()
            raise
        self._stream = self.stream()

    @property
    def config(self) -> Mapping[str, object]:
        """What the recording process said about itself."""
        return self.header.config

    @property
    def size_bytes(self) -> int:
        """How long the file is now, or how much of it is read."""
        size = os.fstat(self._fd).st_size
        return size if self._end is None else min(size, self._end)

    @property
    def is_written(self) -> bool:
        """Whether a process has the file open to record to it."""
        return holds_lock(self._fd)

    def stream(self, offset: int | None = None, window_bytes: int = WINDOW_BYTES) -> BlockStream:
        """Return a stream of its own over all blocks, from the first one on or from that at `offset`."""
        start = self.header.size if offset is None else offset
        return BlockStream(self._fd, start, window_bytes, self._end, str(self.path))

    def next_raw(self) -> RawBlock | None:
        """Return the next undamaged block of the stream or of a snapshot, or None at the end of the file.

        Its records are not looked at: call `tear` when they turn out not to fill it.
        """
        while True:
            at = self._stream.offset
            try:
                raw = self._stream.next_raw()
                if raw is None or raw.head.kind < CLOSED:
                    if raw is not None:
                        self.closed_reason = None
                    return raw
                if raw.head.kind == CLOSED:
                    self.closed_reason = reason_of(raw.decoded())
            except BlockError:
                if not self._step_over(at):
                    return None

    def next_block(self) -> Block | None:
        """Return the next block as `next_raw` does, cut into words."""
        while (raw := self.next_raw()) is not None:
            try:
                return raw.decoded()
            except BlockError:
                self.tear()
        return None

    def tear(self) -> None:
        """Count the block that was read last as damaged."""
        self.torn_blocks += 1

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks from the first one on."""
        self.rewind()
        while (block := self.next_block()) is not None:
            yield block

    def heads(self, offset: int | None = None, window_bytes: int = WINDOW_BYTES) -> Iterator[tuple[int, BlockHead]]:
        """Yield (offset, header) of all blocks without reading their records; stops at a damaged header."""
        stream = self.stream(offset, window_bytes)
        while True:
            at = stream.offset
            try:
                head = stream.next_head()
            except BlockError:
                return
            if head is None:
                return
            yield at, head

    def rewind(self, offset: int | None = None) -> None:
        """Go back to the first block, or to the block at an offset that `heads` gave."""
        self._stream = self.stream(offset)
        self.torn_blocks = 0
        self.closed_reason = None
        self._torn_at = -1

    @property
    def offset(self) -> int:
        """Where the next block starts."""
        return self._stream.offset

    @property
    def ending(self) -> str:
        """How the file ends, once it has been read to its end: empty for a recording that was closed in order."""
        left = self.size_bytes - self._stream.offset
        if self._stream.gave_up:
            return f"there is nothing but damage: its last {left:,} bytes were left out"
        if self.closed_reason is None and self.is_written:
            return "a process still records to it; this is what was there"
        if left:
            return f"the file is cut short: its last {left:,} bytes are no whole block and were left out"
        if self.closed_reason is not None:
            return ""
        return "the recording was not closed: its writer was killed; every flush up to then is here"

    def close(self) -> None:
        """Close the file; it is also closed when nobody has the reader any more."""
        self._closing()
        self._fd = -1

    def _step_over(self, at: int) -> bool:
        """Count the damage at `at`, once, and step over it; False when nothing readable follows."""
        if at != self._torn_at:
            self.torn_blocks += 1
            self._torn_at = at
        return self._stream.offset != at or self._stream.skip_damage()


def reason_of(block: Block) -> str:
    """Return why a stream ended, as its CLOSED block says."""
    return "".join(record.text for _, record in block.records() if isinstance(record, Label))


def nothing_but_damage(path: Path) -> RecordingError:
    """Return the error for a recording whose header is all that can be read."""
    return RecordingError(f"{path} holds nothing that can be read behind its header", "it is damaged; record again")


def _open_to_read(path: Path) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise RecordingError(f"cannot open {path}: {error.strerror}", "check the path") from error
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise RecordingError(f"{path} is no regular file", "a recording is a file, no folder, pipe or device")
