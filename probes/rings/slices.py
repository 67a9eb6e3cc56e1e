"""The blocks of a snapshot: its two empty ends, and slices of so many records each."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from cache_core.events import RawRecord
from probes.blocks import HEADER_WORDS, encode_block, open_block
from probes.parts import Write, write_in_parts

BLOCK_RECORDS = 512
BLOCK_WORDS = 1 << 14
"""A slice of more records or more words takes several blocks, so that none is long to check or to lose."""


def snapshot_block(kind: int, run: Sequence[RawRecord], next_seq: int, at: int) -> bytes | None:
    """Return a block of a snapshot, true at `next_seq`; None when it is too long, or a word is no 64-bit integer."""
    if HEADER_WORDS + sum(map(len, run)) > BLOCK_WORDS:
        return None
    try:
        return encode_block(open_block(0, next_seq, at, kind), run)
    except (struct.error, TypeError):
        return None


def write_slice(records: Sequence[RawRecord], write: Write, drop: Callable[[], None]) -> None:
    """Hand a slice to `write` in runs that it accepts; `drop` stands in for a record that cannot be written."""
    for start in range(0, len(records), BLOCK_RECORDS):
        run = records[start : start + BLOCK_RECORDS]
        if not write(run):
            write_in_parts(run, write, drop, BLOCK_WORDS)
