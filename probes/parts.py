"""Records that make no block as they come: handed over in shorter runs, a text cut, or counted as dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from cache_core.event_codec import TEXT, head
from cache_core.events import FLUSH_RECORDS, KIND_MASK, WORDS_SHIFT, RawRecord
from probes.blocks import HEADER_WORDS

_TEXT_KINDS = frozenset(head(cls) & KIND_MASK for cls in TEXT)

Write = Callable[[Sequence[RawRecord]], bool]
"""Writes a run as one block; False, and nothing written, when it makes none."""


def write_in_parts(records: Sequence[RawRecord], write: Write, drop: Callable[[], None], limit: int) -> None:
    """Hand `records` to `write` in runs that it accepts, in order; `drop` stands in for one that cannot be written.

    `write` returns False for a run that is too long for a block of `limit` words or holds a word that is no
    64-bit integer; the run is then halved. A single text record that is too long is cut.
    """
    rest = iter(records)
    while run := list(islice(rest, FLUSH_RECORDS)):
        _write_run(run, write, drop, limit)


def _write_run(run: Sequence[RawRecord], write: Write, drop: Callable[[], None], limit: int) -> None:
    if write(run):
        return
    if len(run) > 1:
        half = len(run) // 2
        _write_run(run[:half], write, drop, limit)
        _write_run(run[half:], write, drop, limit)
    elif not (_is_long_text(run[0], limit) and write([_cut_text(run[0], limit)])):
        drop()


def _is_long_text(record: RawRecord, limit: int) -> bool:
    return HEADER_WORDS + len(record) > limit and record[0] & KIND_MASK in _TEXT_KINDS


def _cut_text(record: RawRecord, limit: int) -> RawRecord:
    """Return a text record with only as much text as a block of `limit` words takes."""
    kind, id_ = record[0] & KIND_MASK, record[1]
    text = record[3 : limit - HEADER_WORDS]
    return (kind | (2 + len(text)) << WORDS_SHIFT, id_, 8 * len(text), *text)
