"""The block: the one unit in which records are stored, in the ring, the side file, a recording and on the wire.

A block is a run of 64-bit little-endian words: a header of six, then the records, one after the other.

    word 0   magic
    word 1   number of the block in its stream, counted from 1
    word 2   sequence number of its first record (of a slice: the sequence number it is true at)
    word 3   when it was flushed, ns of `time.perf_counter_ns`
    word 4   number of records in the low half, number of record words in the high half
    word 5   crc32 of the whole block, with zero in its own place, in the low half, kind of the block in the high half

A reader takes nothing on trust: every length is checked, and a block that fails is a `BlockError`.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, get_args
from zlib import crc32

from cache_core.event_codec import COMPONENT_AT, TEXT, TRAILING, decode
from cache_core.event_codec import head as head_word
from cache_core.events import KIND_MASK, WORDS_SHIFT, RawRecord, Record

assert sys.byteorder == "little", "blocks are written in the machine's own order, which must be little-endian"

MAGIC = int.from_bytes(b"RTBLOCK1", "little")
HEADER_WORDS = 6
HEADER_BYTES = HEADER_WORDS * 8
MAX_BLOCK_WORDS = 1 << 16
"""No block is longer than this; a header that says so is damaged."""

DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, CLOSED, INDEX, TRAILER = range(7)
"""The kinds of block: records as they happened; a slice of a snapshot; its two ends; the orderly end of a stream.
The last two are a recording's alone: what the blocks before amount to, and where to look for that."""

_CRC = struct.Struct("=I")
_CRC_OFFSET = 40
_HALF = 32
_LOW = (1 << _HALF) - 1

_PLAIN = {head_word(cls): cls for cls in get_args(Record) if cls not in TRAILING | TEXT | COMPONENT_AT.keys()}
"""Head word -> class, of records that are exactly their fields, whatever these are: most need no decoding."""

_new: Callable[[type, tuple[int, ...]], Record] = tuple.__new__


class BlockError(ValueError):
    """The bytes at hand are no whole, undamaged block."""


class BlockHead(NamedTuple):
    """The header of a block whose records have not been looked at."""

    sequence: int
    first_seq: int
    flushed_at: int
    record_count: int
    word_count: int
    kind: int
    checksum: int

    @property
    def size(self) -> int:
        """The length of the whole block in bytes."""
        return HEADER_BYTES + self.word_count * 8


@dataclass(frozen=True, slots=True)
class Block:
    """A checked block; `words` are its records, not yet cut apart; `raw` is what it was read from, if known."""

    sequence: int
    first_seq: int
    flushed_at: int
    record_count: int
    kind: int
    words: tuple[int, ...]
    raw: bytes = field(default=b"", repr=False, compare=False)

    @property
    def end_seq(self) -> int:
        """The sequence number of the record after this block."""
        return self.first_seq + (self.record_count if self.kind == DELTAS else 0)

    def encode(self) -> bytes:
        """Return the bytes that the block was read from."""
        if self.raw:
            return self.raw
        flat = [*open_block(self.sequence, self.first_seq, self.flushed_at, self.kind), *self.words]
        return bytes(seal_into(flat, self.record_count, memoryview(bytearray(len(flat) * 8)), 0))

    def records(self) -> list[tuple[int, Record]]:
        """Return (sequence number, record) of each record whose kind is known and whose fields are all there.

        All records of a slice share one number.
        """
        found: list[tuple[int, Record]] = []
        step = 1 if self.kind == DELTAS else 0
        seq, at, words = self.first_seq, 0, self.words
        while at < len(words):
            head = words[at]
            end = at + 1 + (head >> WORDS_SHIFT)
            cls = _PLAIN.get(head)
            record = _decode(head, words[at + 1 : end]) if cls is None else _new(cls, words[at + 1 : end])
            if record is not None:
                found.append((seq, record))
            seq, at = seq + step, end
        return found


def _decode(head: int, words: tuple[int, ...]) -> Record | None:
    try:
        return decode(head & KIND_MASK, words)
    except ValueError:
        return None


@cache
def packer(words: int) -> struct.Struct:
    """Return the packer of a block of `words` words."""
    return struct.Struct(f"={words}q")


def open_block(sequence: int, first_seq: int, flushed_at: int, kind: int = DELTAS) -> list[int]:
    """Return the header words of a block whose records are still to be appended to the list."""
    return [MAGIC, sequence, first_seq, flushed_at, 0, kind << _HALF]


def seal_into(flat: list[int], record_count: int, buffer: memoryview, start: int) -> memoryview:
    """Write the block `flat` to `buffer` at byte `start` and return the bytes it takes there.

    Raises struct.error when a word is no 64-bit integer; the bytes at `start` are then undefined.
    """
    words = len(flat)
    flat[4] = record_count | (words - HEADER_WORDS) << _HALF
    packer(words).pack_into(buffer, start, *flat)
    block = buffer[start : start + words * 8]
    _CRC.pack_into(block, _CRC_OFFSET, crc32(block))
    return block


def encode_block(header: list[int], records: Sequence[RawRecord]) -> bytes:
    """Return the bytes of a block of `records` under a header of `open_block`. Raises struct.error as `seal_into`."""
    flat = header.copy()
    for record in records:
        flat += record
    return bytes(seal_into(flat, len(records), memoryview(bytearray(len(flat) * 8)), 0))


def decode_head(raw: bytes | memoryview) -> BlockHead:
    """Return the header that `raw` starts with. Raises BlockError when it is none."""
    if len(raw) < HEADER_BYTES:
        raise BlockError(f"{len(raw)} bytes, a block header has {HEADER_BYTES}")
    magic, sequence, first_seq, flushed_at, counts, check = packer(HEADER_WORDS).unpack_from(raw)
    if magic != MAGIC:
        raise BlockError("no block starts here")
    if not 0 <= counts >> _HALF <= MAX_BLOCK_WORDS:
        raise BlockError(f"a block of {counts >> _HALF} words")
    return BlockHead(
        sequence, first_seq, flushed_at, counts & _LOW, counts >> _HALF, check >> _HALF, check & _LOW
    )  # fmt: skip


def check_block(raw: bytes | memoryview) -> BlockHead:
    """Return the header of the block that `raw` starts with. Raises BlockError when it is cut short or damaged."""
    head = decode_head(raw)
    if len(raw) < head.size:
        raise BlockError(f"{len(raw)} bytes of a block of {head.size}")
    zeroed = crc32(bytes(_CRC.size), crc32(raw[:_CRC_OFFSET]))
    if crc32(raw[_CRC_OFFSET + _CRC.size : head.size], zeroed) != head.checksum:
        raise BlockError("its checksum does not match")
    return head


def decode_block(raw: bytes | memoryview) -> Block:
    """Return the block that `raw` starts with. Raises BlockError when it is cut short or damaged."""
    return decode_words(check_block(raw), raw)


def decode_words(head: BlockHead, raw: bytes | memoryview) -> Block:
    """Return the block of a header and bytes that were checked. Raises BlockError when its records do not fill it."""
    words = packer(head.word_count).unpack_from(raw, HEADER_BYTES)
    if len(list_heads(words)) != head.record_count:
        raise BlockError("its records do not fill it")
    whole = bytes(raw[: head.size])
    return Block(head.sequence, head.first_seq, head.flushed_at, head.record_count, head.kind, words, whole)


def list_heads(words: Sequence[int]) -> list[int]:
    """Return the head word of each record in `words`. Raises BlockError when one of them ends outside."""
    heads = []
    at, end = 0, len(words)
    while at < end:
        head = words[at]
        if head < 0:
            break
        heads.append(head)
        at += 1 + (head >> WORDS_SHIFT)
    if at != end:
        raise BlockError("its records do not fill it")
    return heads
