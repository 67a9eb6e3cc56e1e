"""Blocks that lie one behind the other in a file: writing them whole, and reading them while the file still grows."""

from __future__ import annotations

import os

from probes.blocks import HEADER_BYTES, MAGIC, Block, BlockHead, decode_block, decode_head

_MAGIC_BYTES = MAGIC.to_bytes(8, "little")
_SEARCH_BYTES = 1 << 20


class BlockStream:
    """A position in a file of blocks; `offset` is the byte where the next block starts."""

    def __init__(self, fd: int, offset: int = 0) -> None:
        self._fd = fd
        self.offset = offset

    def next_block(self) -> Block | None:
        """Return the next block and step behind it, or None when no whole one is there (yet).

        Raises BlockError, and stays where it is, when the block is damaged.
        """
        raw = self._next_bytes()
        if raw is None:
            return None
        block = decode_block(raw)
        self.offset += len(raw)
        return block

    def next_head(self) -> BlockHead | None:
        """Return the next block's header and step behind the block; its records stay unread and unchecked."""
        raw = os.pread(self._fd, HEADER_BYTES, self.offset)
        if len(raw) < HEADER_BYTES:
            return None
        head = decode_head(raw)
        if os.fstat(self._fd).st_size < self.offset + head.size:
            return None
        self.offset += head.size
        return head

    def skip_damage(self) -> bool:
        """Step to the next place that looks like the start of a block; False when there is none."""
        at = self.offset + 1
        while chunk := os.pread(self._fd, _SEARCH_BYTES, at):
            found = chunk.find(_MAGIC_BYTES)
            if found >= 0:
                self.offset = at + found
                return True
            if len(chunk) < len(_MAGIC_BYTES):
                return False
            at += len(chunk) - len(_MAGIC_BYTES) + 1
        return False

    def _next_bytes(self) -> bytes | None:
        raw = os.pread(self._fd, HEADER_BYTES, self.offset)
        if len(raw) < HEADER_BYTES:
            return None
        size = decode_head(raw).size
        raw = os.pread(self._fd, size, self.offset)
        return raw if len(raw) == size else None


def write_all(fd: int, raw: bytes | memoryview) -> None:
    """Write all of `raw`. Raises OSError when that fails, and part of it may then be there."""
    rest = memoryview(raw)
    while rest:
        rest = rest[os.write(fd, rest) :]
