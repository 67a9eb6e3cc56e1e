"""The recording file: a header, then the same blocks that went through the ring, in the order they were flushed.

Every flush is written whole, so a file whose writer was killed is readable up to the last flush. Between the blocks
of the stream lie snapshots of the tree and, every megabyte, an index (`recording_index.py`); one that was closed
in order ends with a block that says why, a last index, and a trailer that leads to both.
"""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from cache_core.event_codec import text_record
from cache_core.events import Label, RawRecord
from probes.block_stream import WINDOW_BYTES, BlockStream, RawBlock, write_all
from probes.blocks import (
    CLOSED,
    DELTAS,
    HEADER_BYTES,
    SNAPSHOT_END,
    Block,
    BlockError,
    BlockHead,
    decode_head,
    encode_block,
    list_heads,
    open_block,
)
from probes.errors import RecordingError
from probes.folder import holds_lock
from probes.recording_header import RECORDING_MAGIC, RECORDING_VERSION, encode_header, read_header
from probes.recording_index import INDEX_EVERY_BYTES, encode_index, encode_trailer
from probes.tally import Tally, count_kinds

__all__ = ["RECORDING_MAGIC", "RECORDING_VERSION", "RecordingReader", "RecordingWriter"]

_MOST_REASON = 4096
_RUN, _RUN_AT = struct.Struct("=2q"), 16
"""Of a block: the number of its first record and when it was flushed."""
_head_of: Callable[[RawRecord], int] = itemgetter(0)


class RecordingWriter:
    """Appends blocks to a new file. After a write that failed it stops, says why in `fault`, and takes no more."""

    def __init__(self, path: Path, config: Mapping[str, object]) -> None:
        """Make the file, over one that is there. Raises RecordingError when it cannot be written."""
        self.path = path
        self.fault = ""
        self._tally = Tally()
        self._heads: list[int] = []
        self._kinds: dict[int, int] = {}
        self._last_index = 0
        self._fd = _open_to_write(path)
        self._size = 0
        try:
            self._write(encode_header(config))
        except OSError as error:
            os.close(self._fd)
            raise _unwritable(path, error) from error
        self._index_due = self._size + INDEX_EVERY_BYTES

    @property
    def records(self) -> int:
        """How many records of the stream are in the file."""
        return self._tally.records

    @property
    def size_bytes(self) -> int:
        """How long the file is."""
        return self._size

    def append(self, block: bytes | memoryview, run: Sequence[RawRecord] | None = None) -> bool:
        """Write one block, which `encode_block` or a ring made, and say whether the recording goes on.

        `run` is the records of a block of the stream; whoever has them at hand spares the writer a look into it.
        """
        if self.fault or self._fd < 0:
            return False
        offset = self._size
        head = None if run is not None else decode_head(block)
        if run is not None:
            self._heads += map(_head_of, run)
        elif head is not None and head.kind == DELTAS:
            self._heads += list_heads(memoryview(block)[HEADER_BYTES : head.size].cast("q"))
        try:
            self._write(block)
            if run is not None:
                first_seq, flushed_at = _RUN.unpack_from(block, _RUN_AT)
                self._tally.add_run(first_seq, flushed_at, len(run))
            elif head is not None:
                self._tally.add(head, offset)
            if self._size >= self._index_due or (head is not None and head.kind == SNAPSHOT_END):
                self._write_index()
        except OSError as error:
            self._stop(error)
            return False
        return True

    def close(self, reason: str, now: int) -> None:
        """End the file with a block that says why, an index and a trailer, unless the recording stopped before."""
        if self._fd < 0:
            return
        closed = self._size
        words = [text_record(Label, 0, reason[:_MOST_REASON])]
        if self.append(encode_block(open_block(0, 0, now, CLOSED), words)):
            try:
                self._write_index()
                self._write(encode_trailer(self._size, self._last_index, closed, now))
            except OSError as error:
                self._stop(error)
        os.close(self._fd)
        self._fd = -1

    def _write_index(self) -> None:
        count_kinds(self._heads, self._kinds)
        self._heads.clear()
        offset = self._size
        block = encode_index(self._tally, self._kinds, offset, self._last_index)
        self._write(block)
        self._tally.add(decode_head(block), offset)
        self._tally.places.clear()
        self._last_index = offset
        self._index_due = self._size + INDEX_EVERY_BYTES

    def _write(self, raw: bytes | memoryview) -> None:
        write_all(self._fd, raw)
        self._size += len(raw)

    def _stop(self, error: OSError) -> None:
        self.fault = (
            f"the recording stopped after {self.records:,} records: {self.path}: {error.strerror}; "
            "what was written before that can be read"
        )
        try:
            os.ftruncate(self._fd, self._size)  # the last block may be there in part
        except OSError:
            pass


class RecordingReader:
    """Reads a recording block by block; damaged blocks are counted and stepped over."""

    def __init__(self, path: Path) -> None:
        """Open the file and read its header. Raises RecordingError when that is not possible."""
        self.path = path
        self.torn_blocks = 0
        self.closed_reason: str | None = None
        self._torn_at = -1
        self._fd = _open_to_read(path)
        try:
            self.header = read_header(path, self._fd)
        except BaseException:
            os.close(self._fd)
            raise
        self._stream = self.stream()

    @property
    def config(self) -> Mapping[str, object]:
        """What the recording process said about itself."""
        return self.header.config

    @property
    def size_bytes(self) -> int:
        """How long the file is now."""
        return os.fstat(self._fd).st_size

    @property
    def is_written(self) -> bool:
        """Whether a process has the file open to record to it."""
        return holds_lock(self._fd)

    def stream(self, offset: int | None = None, window_bytes: int = WINDOW_BYTES) -> BlockStream:
        """Return a stream of its own over all blocks, from the first one on or from that at `offset`."""
        return BlockStream(self._fd, self.header.size if offset is None else offset, window_bytes)

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
        if left:
            return f"the file is cut short: its last {left:,} bytes are no whole block and were left out"
        if self.closed_reason is not None:
            return ""
        return "the recording was not closed: its writer was killed or still runs; every flush up to then is here"

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0:
            os.close(self._fd)
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


def _open_to_write(path: Path) -> int:
    """Return an empty file that this process alone records to; a pipe without a reader is refused, not waited for."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        os.set_blocking(fd, True)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if stat.S_ISREG(os.fstat(fd).st_mode):
            os.ftruncate(fd, 0)
    except BlockingIOError as error:
        os.close(fd)
        raise RecordingError(f"another process records to {path}", "choose another file") from error
    except OSError as error:
        os.close(fd)
        raise _unwritable(path, error) from error
    return fd


def _open_to_read(path: Path) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise RecordingError(f"cannot open {path}: {error.strerror}", "check the path") from error
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise RecordingError(f"{path} is no regular file", "a recording is a file, no folder, pipe or device")


def _unwritable(path: Path, error: OSError) -> RecordingError:
    return RecordingError(f"cannot write the recording {path}: {error.strerror}", "choose another place or make room")
