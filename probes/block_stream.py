"""Blocks that lie one behind the other in a file: writing them whole, and reading them while the file still grows.

Nothing in the file is taken on trust, and whatever is in it, reading takes time in proportion to its size: what was
looked at in vain is counted, and a file that is damage over and over is given up.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from probes.blocks import HEADER_BYTES, MAGIC, Block, BlockError, BlockHead, check_block, decode_head, decode_words

WINDOW_BYTES = 1 << 20
"""The file is read in pieces of this size."""

SMALL_WINDOW_BYTES = 1 << 13
"""The same for who looks at a block here and there."""

_MAGIC_BYTES = MAGIC.to_bytes(8, "little")
_DAMAGE_BYTES = 4096
_SPARE_BYTES = 1 << 24
_MOST_WASTE = 4
"""How many times its size a reader looks at a file in vain; a piece of damage counts as _DAMAGE_BYTES more."""


class RawBlock(NamedTuple):
    """A block whose checksum is right; its records are not yet looked at."""

    head: BlockHead
    raw: memoryview
    offset: int

    @property
    def words(self) -> memoryview:
        """The words of its records."""
        return self.raw[HEADER_BYTES:].cast("q")

    def decoded(self) -> Block:
        """Return the block cut into words. Raises BlockError when its records do not fill it."""
        return decode_words(self.head, self.raw)


class BlockStream:
    """A position in a file of blocks; `offset` is the byte where the next block starts.

    What lies from `end` on is not read: without one, all that is there at the time. `name` is the file in errors.
    """

    def __init__(
        self, fd: int, offset: int = 0, window_bytes: int = WINDOW_BYTES, end: int | None = None, name: str = ""
    ) -> None:
        self.offset = offset
        self._name = name
        self.gave_up = False
        self._fd = fd
        self._end = end
        self._window_bytes = window_bytes
        self._window = b""
        self._view = memoryview(b"")
        self._start = 0
        self._wasted = 0

    def next_block(self) -> Block | None:
        """Return the next block and step behind it, or None when no whole one is there (yet).

        Raises BlockError, and stays where it is, when the block is damaged.
        """
        offset = self.offset
        raw = self.next_raw()
        if raw is None:
            return None
        try:
            return raw.decoded()
        except BlockError:
            self.offset = offset
            raise

    def next_raw(self) -> RawBlock | None:
        """Return the next block, its records unread, and step behind it; None and BlockError as in `next_block`."""
        offset = self.offset
        raw = self._get(offset, HEADER_BYTES)
        if len(raw) < HEADER_BYTES:
            return None
        size = decode_head(raw).size
        raw = self._get(offset, size)
        if len(raw) < size:
            if self._goes_on_behind(offset):
                raise BlockError("it reaches beyond the end of the file, and others follow it")
            return None
        try:
            head = check_block(raw)
        except BlockError:
            self._wasted += size
            raise
        self.offset = offset + size
        return RawBlock(head, raw, offset)

    def next_head(self) -> BlockHead | None:
        """Return the next block's header and step behind the block; its records stay unread and unchecked."""
        raw = self._get(self.offset, HEADER_BYTES)
        if len(raw) < HEADER_BYTES:
            return None
        head = decode_head(raw)
        if len(self._get(self.offset + head.size - 1, 1)) == 0:
            if self._goes_on_behind(self.offset):
                raise BlockError("it reaches beyond the end of the file, and others follow it")
            return None
        self.offset += head.size
        return head

    def skip_damage(self) -> bool:
        """Step to the next place that looks like the start of a block; False when there is none."""
        self._wasted += _DAMAGE_BYTES
        if self._wasted > _SPARE_BYTES and self._wasted > _SPARE_BYTES + _MOST_WASTE * os.fstat(self._fd).st_size:
            self.gave_up = True
            return False
        found = self._find_magic(self.offset + 1)
        if found < 0:
            return False
        self.offset = found
        return True

    def _goes_on_behind(self, offset: int) -> bool:
        """Say whether a whole block starts behind `offset`, so that what is there is damage and no missing end."""
        at = self._find_magic(offset + 1)
        while at >= 0 and self._wasted <= _SPARE_BYTES:
            raw = self._get(at, HEADER_BYTES)
            try:
                size = decode_head(raw).size
                self._wasted += size + _DAMAGE_BYTES
                check_block(self._get(at, size))
            except BlockError:
                at = self._find_magic(at + 1)
            else:
                return True
        return False

    def _find_magic(self, at: int) -> int:
        """Return where the next magic word starts, from `at` on, or -1."""
        self._get(at, len(_MAGIC_BYTES))
        while True:
            found = self._window.find(_MAGIC_BYTES, at - self._start)
            if found >= 0:
                return self._start + found
            at = self._start + max(0, len(self._window) - len(_MAGIC_BYTES) + 1)
            if not self._load(at, len(_MAGIC_BYTES)):
                return -1

    def _get(self, offset: int, size: int) -> memoryview:
        """Return `size` bytes from `offset` on, fewer where the file ends."""
        at = offset - self._start
        if not 0 <= at <= len(self._window) - size:
            self._load(offset, size)
            at = 0
        return self._view[at : at + size]

    def _read(self, size: int, offset: int) -> bytes:
        """Return what is there, at most `size` bytes."""
        return read_at(self._fd, size, offset, self._name)

    def _load(self, offset: int, size: int) -> bool:
        """Read the piece of the file from `offset` on; False when there are fewer than `size` bytes."""
        wanted = max(size, self._window_bytes)
        if self._end is not None:
            wanted = max(0, min(wanted, self._end - offset))
        self._window = self._read(wanted, offset)
        self._view = memoryview(self._window)
        self._start = offset
        return len(self._window) >= size


def read_at(fd: int, size: int, offset: int, name: str) -> bytes:
    """Return what is there, at most `size` bytes. Raises OSError, which names the file, where none can be read."""
    try:
        return os.pread(fd, size, offset)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name or None) from error


def write_all(fd: int, raw: bytes | memoryview) -> None:
    """Write all of `raw`. Raises OSError when that fails, and part of it may then be there."""
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(fd, rest) :]
