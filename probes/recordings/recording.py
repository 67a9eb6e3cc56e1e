"""Reads a recording: a header, then the same blocks that went through the ring, in the order they were flushed.

Nothing in it is taken on trust (`block_stream.py`). What lies in a file, and when its writer put it there, is told in
`recordings/writer.py`.
"""

from __future__ import annotations

import os
import stat
import weakref
from collections.abc import Mapping
from copy import copy
from pathlib import Path

from probes.block_reader import BlockReader
from probes.block_stream import WINDOW_BYTES, BlockStream
from probes.errors import RecordingError
from probes.recordings.header import read_header
from probes.rings.folder import holds_lock


class RecordingReader(BlockReader):
    """Reads a recording block by block; damaged blocks are counted and stepped over."""

    def __init__(self, path: Path, ends_now: bool = False) -> None:
        """Open the file and read its header. Raises RecordingError when that is not possible.

        With `ends_now`, what a process writes to it from now on is not read: whoever goes through it twice finds the
        same both times.
        """
        self.path = path
        self._fd = _open_to_read(path)
        self._closing = weakref.finalize(self, os.close, self._fd)
        self._end = os.fstat(self._fd).st_size if ends_now else None
        try:
            self.header = read_header(path, self._fd)
        except BaseException:
            self.close()
            raise
        super().__init__()

    def beside(self) -> RecordingReader:
        """Return another reader of the same file, wherever that is by now."""
        twin = copy(self)
        twin._fd = os.dup(self._fd)
        twin._closing = weakref.finalize(twin, os.close, twin._fd)
        BlockReader.__init__(twin)
        return twin

    @property
    def config(self) -> Mapping[str, object]:
        """See BlockReader."""
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
        """See BlockReader."""
        start = self.header.size if offset is None else offset
        return BlockStream(self._fd, start, window_bytes, self._end, str(self.path))

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
