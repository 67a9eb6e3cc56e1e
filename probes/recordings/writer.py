"""Writes a recording: a header, then blocks, each written whole and never changed.

Every flush is written whole, so a file whose writer was killed is readable up to the last flush. Between the blocks
of the stream lie snapshots of the tree and, every megabyte, an index (`recordings/index.py`); one that was closed
in order ends with a block that says why, a last index, and a trailer that leads to both.
"""

from __future__ import annotations

import fcntl
import os
import stat
import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path

from cache_core.event_codec import text_record
from cache_core.events import Label, RawRecord
from probes.block_stream import write_all
from probes.blocks import (
    CLOSED,
    DELTAS,
    HEADER_BYTES,
    SNAPSHOT_END,
    decode_head,
    encode_block,
    list_heads,
    open_block,
)
from probes.errors import RecordingError
from probes.recordings.header import encode_header
from probes.recordings.index import INDEX_EVERY_BYTES, encode_index, encode_trailer
from probes.recordings.tally import Tally, count_kinds

_MOST_REASON = 4096
_RUN, _RUN_AT = struct.Struct("=2q"), 16
"""Of a block: the number of its first record and when it was flushed."""
_head_of: Callable[[RawRecord], int] = itemgetter(0)


class RecordingWriter:
    """Appends blocks to a new file. After a write that failed it stops, says why in `fault`, and takes no more.

    A file that is removed meanwhile is such a failure, one that is moved is told when it is closed.
    """

    def __init__(self, path: Path, config: Mapping[str, object]) -> None:
        """Make the file, over one that is there. Raises RecordingError when it cannot be written."""
        self.path = path
        self.fault = ""
        self._tally = Tally()
        self._heads: list[int] = []
        self._kinds: dict[int, int] = {}
        self._last_index = 0
        self._fd = _open_to_write(path)
        self._place = os.path.abspath(path)
        self._size = 0
        try:
            self._write(encode_header(config))
        except OSError as error:
            os.close(self._fd)
            raise unwritable(path, error) from error
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
        try:
            self._write(block)
            kind = self._count(block, run)
            if kind == SNAPSHOT_END or self._size >= self._index_due:
                self._write_index()
                self.fault = self._removed()
        except OSError as error:
            self._stop(error)
        return not self.fault

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
        self.fault = self.fault or self._removed() or self._moved()
        os.close(self._fd)
        self._fd = -1

    def _count(self, block: bytes | memoryview, run: Sequence[RawRecord] | None) -> int:
        """Count the block that was written last, and return its kind."""
        if run is not None:
            self._heads += map(_head_of, run)
            first_seq, flushed_at = _RUN.unpack_from(block, _RUN_AT)
            self._tally.add_run(first_seq, flushed_at, len(run))
            return DELTAS
        head = decode_head(block)
        if head.kind == DELTAS:
            self._heads += list_heads(memoryview(block)[HEADER_BYTES : head.size].cast("q"))
        self._tally.add(head, self._size - len(block))
        return head.kind

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

    def _removed(self) -> str:
        """Return what to say of a file that nobody can open any more, nothing of one that is there."""
        if os.fstat(self._fd).st_nlink:
            return ""
        return f"{self.path} was removed while it was written: nothing is left of its {self.records:,} records"

    def _moved(self) -> str:
        """Return what to say of a file that is elsewhere now, nothing of one that is where it was made."""
        try:
            if os.path.samestat(os.fstat(self._fd), os.stat(self._place)):
                return ""
        except OSError:
            pass
        return f"{self.path} was moved while it was written: its {self.records:,} records are wherever it is now"

    def _stop(self, error: OSError) -> None:
        self.fault = (
            f"the recording stopped after {self.records:,} records: {self.path}: {error.strerror}; "
            "what was written before that can be read"
        )
        try:
            os.ftruncate(self._fd, self._size)  # the last block may be there in part
        except OSError:
            pass


def _open_to_write(path: Path) -> int:
    """Return an empty file that this process alone records to; a pipe without a reader is refused, not waited for."""
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        raise unwritable(path, error) from error
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
        raise unwritable(path, error) from error
    return fd


def unwritable(path: Path, error: OSError) -> RecordingError:
    """Return the error for a place where no recording can be written."""
    return RecordingError(f"cannot write the recording {path}: {error.strerror}", "choose another place or make room")
