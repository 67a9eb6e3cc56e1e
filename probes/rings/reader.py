"""Follows a ring that another process writes, at the reader's own pace, and knows exactly what it missed.

The file is read with `pread`, never mapped: a writer that shrinks it or fills it with nonsense can make a read come
back short or a block count as torn, and nothing worse.
"""

from __future__ import annotations

import json
import os
import stat
import struct
import weakref
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from probes.blocks import DELTAS, Block, BlockError, decode_block
from probes.errors import RingError
from probes.rings import ring
from probes.rings.folder import holds_lock

MAX_SLOTS = 1 << 20
MAX_SLOT_WORDS = 1 << 16
"""A header that states more is nonsense: no reader sets memory aside on its word alone."""

_READ_SLOTS = 64
_LARGEST = (1 << 62) - 1


@dataclass(frozen=True, slots=True)
class RingHeader:
    """What a ring says about itself at one moment."""

    raw: bytes

    def word(self, index: int) -> int:
        """Return one header word, named in `probes.rings.ring`."""
        return ring.word_at(self.raw, index)

    def text(self, area: ring.TextArea) -> str:
        """Return one text of the header."""
        return ring.text_at(self.raw, area)

    @property
    def config(self) -> Mapping[str, object]:
        """The configuration of the cache, empty when it cannot be read."""
        try:
            found = json.loads(self.text(ring.CONFIG))
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}


class RingReader:
    """One reader of a ring: hands over blocks in order, counts lost records and torn blocks."""

    def __init__(self, path: Path) -> None:
        """Open the ring. Raises RingError when there is none at `path`, or not one that can be read."""
        self.path = path
        self.lost_records = 0
        self.torn_blocks = 0
        self._fd = _open_ring(path)
        self._closing = weakref.finalize(self, os.close, self._fd)
        try:
            header = self.header()
            self._slots, self._slot_words = _check_header(path, header, os.fstat(self._fd).st_size)
        except BaseException:
            self.close()
            raise
        head = max(header.word(ring.HEAD), 0)
        self._next = max(1, head - 3 * self._slots // 4)  # not the oldest: the writer is about to reuse that
        self._expected_seq: int | None = 0 if self._next == 1 else None
        self._doubted = 0
        self._ready: deque[Block] = deque()

    @property
    def from_start(self) -> bool:
        """Whether this reader began with the first record of the stream, so that it needs no snapshot."""
        return self._expected_seq == 0

    @property
    def next_seq(self) -> int:
        """The sequence number after the last record handed over."""
        return self._expected_seq or 0

    def header(self) -> RingHeader:
        """Read the header page."""
        raw = os.pread(self._fd, ring.HEADER_BYTES, 0)
        return RingHeader(raw.ljust(ring.HEADER_BYTES, b"\0"))

    def is_writer_alive(self) -> bool:
        """Say whether the process that made the ring still holds it."""
        return holds_lock(self._fd)

    def request_snapshot(self) -> int:
        """Ask the writer for a snapshot of the tree and return its number; a later one serves as well."""
        number = (self.header().word(ring.REQUESTED) + 1) & _LARGEST
        os.pwrite(self._fd, number.to_bytes(8, "little"), ring.REQUESTED * 8)
        return number

    def read(self, limit: int) -> tuple[list[Block], bool]:
        """Return the next blocks, at most `limit`, and whether records are missing right before the first one.

        A gap ends the call, so the blocks of one call follow each other without one.
        """
        if not self._ready:
            self._fetch(limit)
        blocks: list[Block] = []
        gap = False
        while self._ready and len(blocks) < limit:
            missing = self._missing_before(self._ready[0])
            if missing:
                if blocks:
                    break
                gap = True
                self.lost_records += max(missing, 0)
            block = self._ready.popleft()
            self._expected_seq = block.end_seq
            blocks.append(block)
        return blocks, gap

    def close(self) -> None:
        """Let go of the file; that happens also when nobody has the reader any more."""
        self._closing()
        self._fd = -1

    def _missing_before(self, block: Block) -> int:
        return 0 if self._expected_seq is None else block.first_seq - self._expected_seq

    def _fetch(self, limit: int) -> None:
        """Copy and check published slots until `limit` blocks are ready or a block must be looked at again."""
        while len(self._ready) < limit:
            head = self.word(ring.HEAD)
            if head - self._next >= self._slots - 1:  # overrun: what is left of the older half is about to go
                self._next = head - self._slots // 2
            first = self._next % self._slots
            count = min(head - self._next + 1, self._slots - first, _READ_SLOTS)
            if count <= 0 or not self._take_slots(first, count):
                return

    def _take_slots(self, first: int, count: int) -> bool:
        """Take `count` slots from slot `first` on; False when one of them is not readable for now."""
        size = self._slot_words * 8
        raw = memoryview(os.pread(self._fd, count * size, ring.HEADER_BYTES + first * size))
        head = self.word(ring.HEAD)
        for at in range(0, count * size, size):
            if head - self._next >= self._slots - 1:  # overwritten, perhaps, while it was copied
                return True
            block = _check_slot(raw[at : at + size], self._next)
            if block is not None:
                self._ready.append(block)
            elif self._doubted != self._next:
                self._doubted = self._next
                return False
            else:
                self.torn_blocks += 1
            self._next += 1
        return True

    def word(self, index: int) -> int:
        """Read one header word, named in `probes.rings.ring`."""
        return ring.word_at(os.pread(self._fd, 8, index * 8).ljust(8, b"\0"), 0)


def _check_slot(slot: memoryview, sequence: int) -> Block | None:
    """Return the block in a copied slot when it is whole and is block `sequence`."""
    try:
        if ring.word_at(slot, 0) != sequence or ring.word_at(slot, 1) != sequence:
            return None
        block = decode_block(slot[ring.SLOT_HEADER_WORDS * 8 :])
    except (BlockError, struct.error):
        return None
    return block if block.sequence == sequence and block.kind == DELTAS else None


def _open_ring(path: Path) -> int:
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise RingError(f"cannot open the ring {path}: {error.strerror}", "is that process publishing?") from error
    if stat.S_ISREG(os.fstat(fd).st_mode):
        return fd
    os.close(fd)
    raise RingError(f"{path} is no ring", "remove it")


def _check_header(path: Path, header: RingHeader, size: int) -> tuple[int, int]:
    """Return slots and words per slot of a ring that can be read."""
    if header.word(ring.MAGIC) != ring.RING_MAGIC:
        raise RingError(f"{path} is no ring", "remove it")
    version = header.word(ring.VERSION)
    if version != ring.RING_VERSION:
        hint = "run the same version of radixtop on both sides"
        raise RingError(f"{path} is a ring of version {version}, this reads version {ring.RING_VERSION}", hint)
    slots, slot_words = header.word(ring.SLOTS), header.word(ring.SLOT_WORDS)
    if not (4 <= slots <= MAX_SLOTS and 16 <= slot_words <= MAX_SLOT_WORDS):
        raise RingError(
            f"{path} states {slots} slots of {slot_words} words", "its process wrote nonsense: restart it"
        )
    if size < ring.HEADER_BYTES + slots * slot_words * 8:
        raise RingError(f"{path} is cut short", "restart its process")
    return slots, slot_words
