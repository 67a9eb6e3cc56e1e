"""The ring: a file in shared memory that one process writes without a lock or a system call, and many read.

Layout, in 64-bit words: a header page with the words named below, five text areas, then `slots` slots of `slot_words`
words. Block q lives in slot q mod slots: q as the slot's begin word, q as its end word, then the block. The writer
stores begin, block, end, and last the head word, in this order; a reader takes a block only when both words and
the block's own number agree and its checksum matches, so a block that is being overwritten is never taken.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cache_core.events import RawRecord
from probes.blocks import open_block, seal_into
from probes.errors import RingError
from probes.rings.folder import is_locked, ring_path
from probes.rings.processes import process_started

RING_MAGIC = int.from_bytes(b"RTRING\x00\x00", "little")
RING_VERSION = 1
HEADER_BYTES = 8192

(
    MAGIC, VERSION, PID, PROCESS_STARTED, SLOTS, SLOT_WORDS, HEAD, NEXT_SEQ, HEARTBEAT, FLUSH_NS, DROPPED, ENDED,
    REQUESTED, BEGUN, FINISHED, FAILED, TREE_UNKNOWN,
) = range(17)  # fmt: skip
"""The header words. PROCESS_STARTED is clock ticks since boot; HEAD is the number of the last published block and
NEXT_SEQ the sequence number after its records; HEARTBEAT is the time of the last flush, 0 before the first one;
FLUSH_NS is the time spent in flushes; DROPPED counts records that could not be written; ENDED is 1 once the writer
said goodbye. A reader that wants a snapshot adds one to REQUESTED, its only store; the writer answers with the
number in BEGUN, then FINISHED or FAILED. TREE_UNKNOWN is 1 while the records do not say what is in the tree."""

SLOT_HEADER_WORDS = 2
"""The begin and the end word before a slot's block."""

_WORD = struct.Struct("=q")


@dataclass(frozen=True, slots=True)
class TextArea:
    """A place in the header page for UTF-8 text behind its length in bytes."""

    offset: int
    size: int


STATE = TextArea(192, 832)
CONFIG = TextArea(1024, 5120)
END_REASON = TextArea(6144, 512)
RECORDING_FAULT = TextArea(6656, 768)
SNAPSHOT_FAULT = TextArea(7424, 768)


@dataclass(frozen=True, slots=True)
class RingShape:
    """How many blocks a ring holds and how long a block may be, slot header included."""

    slots: int = 1024
    slot_words: int = 1024

    @property
    def block_words(self) -> int:
        """The longest block that fits a slot."""
        return self.slot_words - SLOT_HEADER_WORDS

    @property
    def file_bytes(self) -> int:
        """The size of the ring file."""
        return HEADER_BYTES + self.slots * self.slot_words * 8


class RingWriter:
    """The one writer of a ring file. It makes the file, holds its lock, and removes it on `close`."""

    def __init__(self, folder: Path, rank: int, config: Mapping[str, object], shape: RingShape) -> None:
        self.pid = os.getpid()
        self.rank = rank
        self.shape = shape
        self.path = ring_path(folder, self.pid, rank)
        if is_locked(self.path):
            raise RingError(f"this process writes {self.path} already", "give the second cache a rank of its own")
        fresh = self.path.with_suffix(".ring.new")
        self._fd = _make_file(fresh, shape.file_bytes)
        try:
            self._map = mmap.mmap(self._fd, shape.file_bytes, mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0))
            self._bytes = memoryview(self._map)
            self.words = self._bytes.cast("q")
            self._slots, self._slot_words = shape.slots, shape.slot_words
            self._sequence = 0
            self._closed = False
            self._write_header(config)
            os.rename(fresh, self.path)  # a reader never sees a ring half made
        except BaseException:
            fresh.unlink(missing_ok=True)
            os.close(self._fd)
            raise

    def append(self, records: Sequence[RawRecord], first_seq: int, now: int) -> memoryview | None:
        """Publish `records` as one block and return its bytes, or None when they do not make one.

        They do not when they are too long or hold anything but 64-bit integers; nothing is published then. The
        bytes are the ring's own and stay valid until the slot is used again.
        """
        words, slot_words, count = self.words, self._slot_words, len(records)
        if count > slot_words:
            return None
        sequence = self._sequence + 1
        slot = HEADER_BYTES // 8 + sequence % self._slots * slot_words
        flat = open_block(sequence, first_seq, now)
        try:
            for record in records:
                flat += record
            if len(flat) > slot_words - SLOT_HEADER_WORDS:
                return None
            words[slot] = sequence
            block = seal_into(flat, count, self._bytes, (slot + SLOT_HEADER_WORDS) * 8)
        except (struct.error, TypeError):
            return None
        words[slot + 1] = sequence
        words[NEXT_SEQ] = first_seq + count
        words[HEAD] = sequence
        self._sequence = sequence
        return block

    def set_text(self, area: TextArea, text: str) -> None:
        """Show `text` to the readers, cut to the size of its area."""
        raw = text.encode("utf-8", "replace")[: area.size - 8]
        self._bytes[area.offset + 8 : area.offset + 8 + len(raw)] = raw
        self.words[area.offset // 8] = len(raw)

    def close(self, reason: str) -> None:
        """Tell the readers that the stream ended and why, and remove the file."""
        if self._closed:
            return
        self._closed = True
        self.set_text(END_REASON, reason)
        self.words[ENDED] = 1
        self.path.unlink(missing_ok=True)
        self.words.release()
        self._bytes.release()
        os.close(self._fd)
        with suppress(BufferError):  # a block that someone still looks at keeps the mapping until it goes
            self._map.close()

    def _write_header(self, config: Mapping[str, object]) -> None:
        text = json.dumps(config)
        if len(text) > CONFIG.size - 8:
            raise RingError(
                f"the configuration takes {len(text)} bytes of a ring's header", f"keep it below {CONFIG.size}"
            )
        words = self.words
        words[VERSION] = RING_VERSION
        words[PID] = self.pid
        words[PROCESS_STARTED] = process_started(self.pid) or 0
        words[SLOTS] = self.shape.slots
        words[SLOT_WORDS] = self.shape.slot_words
        self.set_text(CONFIG, text)
        words[MAGIC] = RING_MAGIC


def _make_file(path: Path, size: int) -> int:
    """Return a new locked file of `size` bytes whose memory is set aside, so that no store into it can fail."""
    path.unlink(missing_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        os.fchmod(fd, 0o600)
        os.posix_fallocate(fd, 0, size)
    except OSError as error:
        os.close(fd)
        path.unlink(missing_ok=True)
        hint = f"free {size >> 20} MiB there or set XDG_RUNTIME_DIR"
        raise RingError(f"cannot make the ring {path}: {error.strerror}", hint) from error
    return fd


def word_at(raw: bytes | memoryview, index: int) -> int:
    """Return header word `index` of a header page."""
    return _WORD.unpack_from(raw, index * 8)[0]  # type: ignore[no-any-return]


def text_at(raw: bytes | memoryview, area: TextArea) -> str:
    """Return the text of one area of a header page, as much of it as its area can hold."""
    length = min(max(word_at(raw, area.offset // 8), 0), area.size - 8)
    return bytes(raw[area.offset + 8 : area.offset + 8 + length]).decode("utf-8", "replace")
