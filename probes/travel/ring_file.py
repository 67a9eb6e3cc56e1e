"""The newest bytes of a stream in a file of bounded size that has no name and goes with its process."""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Callable


class RingFile:
    """Takes bytes one behind the other; those more than `capacity_bytes` back are written over.

    Offsets count from the first byte that was ever put. The file is made when something is put first.
    """

    def __init__(self, capacity_bytes: int) -> None:
        self.capacity_bytes = capacity_bytes
        self.end = 0
        self.descriptor = -1
        """The file's descriptor, -1 while there is no file."""
        self._closing: Callable[[], object] | None = None

    @property
    def oldest(self) -> int:
        """The offset from which on everything is there."""
        return max(0, self.end - self.capacity_bytes)

    def put(self, raw: bytes) -> None:
        """Append bytes, at most as many as the file takes. Raises OSError when that fails; nothing counts then."""
        assert len(raw) <= self.capacity_bytes, f"{len(raw)=}"
        if self._closing is None:
            with tempfile.TemporaryFile(prefix="radixtop-history-", buffering=0) as file:
                self.descriptor = os.dup(file.fileno())
            self._closing = weakref.finalize(self, os.close, self.descriptor)
        at = self.end % self.capacity_bytes
        room = self.capacity_bytes - at
        self._write(raw[:room], at)
        self._write(raw[room:], 0)
        self.end += len(raw)

    def read(self, size: int, offset: int) -> bytes:
        """Return what is there from an offset on, at most `size` bytes; nothing when that is written over."""
        size = min(size, self.end - offset)
        if offset < self.oldest or size <= 0:
            return b""
        at = offset % self.capacity_bytes
        first = min(size, self.capacity_bytes - at)
        raw = os.pread(self.descriptor, first, at)
        return raw if first == size else raw + os.pread(self.descriptor, size - first, 0)

    def close(self) -> None:
        """Give the room back, as is done anyway when nobody has the file any more."""
        if self._closing is not None:
            self._closing()

    def _write(self, raw: bytes, at: int) -> None:
        rest = memoryview(raw)
        while rest:
            written = os.pwrite(self.descriptor, rest, at)
            rest, at = rest[written:], at + written
