"""The index of a recording: what the blocks before it amount to, so that a reader need not look at them.

An INDEX block holds records of kinds of its own:

    1  totals      its own offset, offset of the previous INDEX block or 0, blocks, records, records stated by
                   snapshots, records lost, number of the first record, number after the last one, time of the first
                   block, time of the last one, whole snapshots; all of them since the start of the file
    2  kinds       kind, count, kind, count, ...: the records by kind, since the start
    3  snapshots   six words for each snapshot that ended since the previous INDEX block: offset, offset of its end,
                   number of the record it begins at, time of its two ends, records

The TRAILER, the last block of a recording that was closed in order, holds one record of kind 4: its own offset, that
of the last INDEX block and that of the block that says why the recording ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from cache_core.events import KIND_MASK, WORDS_SHIFT, RawRecord
from probes.blocks import HEADER_BYTES, INDEX, TRAILER, Block, BlockError, encode_block, open_block
from probes.recordings.tally import SnapshotPlace, Tally

INDEX_EVERY_BYTES = 1 << 20
"""How much a recording grows before the next index; what follows the last one is what a reader must count."""


class Totals(NamedTuple):
    """What the blocks of a recording amount to, from its start to some place in it; see Tally."""

    blocks: int
    records: int
    stated_records: int
    lost_records: int
    first_seq: int
    next_seq: int
    first_at: int
    last_at: int
    snapshots: int


_TOTALS, _KINDS, _SNAPSHOTS, _ENDS = range(1, 5)
_TOTALS_WORDS = 2 + len(Totals._fields)
_PLACE_WORDS = len(SnapshotPlace._fields)
_ENDS_WORDS = 3
_MOST_PLACES_A_BLOCK = 1024
_LARGEST = (1 << 63) - 1

TRAILER_BYTES = HEADER_BYTES + 8 * (1 + _ENDS_WORDS)
"""The size of a trailer, which is read from the end of the file."""


@dataclass(frozen=True, slots=True)
class Index:
    """One INDEX block: what was written before `offset`; `places` are the snapshots since the `previous` index."""

    offset: int
    previous: int
    totals: Totals
    kinds: Mapping[int, int]
    places: tuple[SnapshotPlace, ...]


@dataclass(frozen=True, slots=True)
class Trailer:
    """Where the last index and the last words of a recording are."""

    index: int
    closed: int


def totals_of(tally: Tally) -> Totals:
    """Return the sums of a tally as they are now."""
    return Totals(*(getattr(tally, name) for name in Totals._fields))


def encode_index(tally: Tally, kinds: Mapping[int, int], offset: int, previous: int) -> bytes:
    """Return the INDEX block to write at `offset`; `tally.places` are those since the previous one."""
    totals = (offset, previous, *totals_of(tally))
    pairs = [word for pair in sorted(kinds.items()) for word in pair]
    places = [word for place in tally.places[-_MOST_PLACES_A_BLOCK:] for word in place]
    records = [_record(_TOTALS, totals), _record(_KINDS, pairs), _record(_SNAPSHOTS, places)]
    return encode_block(open_block(0, _bounded(tally.next_seq), tally.last_at, INDEX), records)


def encode_trailer(offset: int, index: int, closed: int, now: int) -> bytes:
    """Return the TRAILER block to write at `offset`."""
    return encode_block(open_block(0, 0, now, TRAILER), [_record(_ENDS, (offset, index, closed))])


def decode_index(block: Block, offset: int) -> Index:
    """Return what an INDEX block at `offset` says. Raises BlockError when that cannot be true."""
    found = dict(_records(block))
    totals, pairs, words = (found.get(kind, ()) for kind in (_TOTALS, _KINDS, _SNAPSHOTS))
    if block.kind != INDEX or len(totals) < _TOTALS_WORDS or len(pairs) % 2 or len(words) % _PLACE_WORDS:
        raise BlockError("no index is here")
    places = tuple(SnapshotPlace(*words[at : at + _PLACE_WORDS]) for at in range(0, len(words), _PLACE_WORDS))
    kinds = dict(zip(pairs[::2], pairs[1::2], strict=True))
    index = Index(totals[0], totals[1], Totals(*totals[2:_TOTALS_WORDS]), kinds, places)
    if not _is_plausible(index, offset):
        raise BlockError("the index contradicts itself or the file")
    return index


def decode_trailer(block: Block, offset: int) -> Trailer:
    """Return what a TRAILER block at `offset` says. Raises BlockError when that cannot be true."""
    ends = dict(_records(block)).get(_ENDS, ())
    if block.kind != TRAILER or len(ends) < _ENDS_WORDS or ends[0] != offset:
        raise BlockError("no trailer is here")
    _, index, closed = ends[:_ENDS_WORDS]
    if not 0 < closed < offset or not 0 < index < offset:
        raise BlockError("the trailer points out of the file")
    return Trailer(index, closed)


def _is_plausible(index: Index, offset: int) -> bool:
    """Say whether an index may be true: no offset leads forward, and nothing is more than its bytes can hold."""
    totals = index.totals
    return (
        index.offset == offset
        and 0 <= index.previous < offset
        and min(totals.blocks, totals.records, totals.stated_records, totals.lost_records, totals.snapshots) >= 0
        and max(totals.blocks * HEADER_BYTES, 8 * totals.records, 8 * totals.stated_records) <= offset
        and totals.snapshots <= totals.blocks
        and min(index.kinds.values(), default=0) >= 0
        and sum(index.kinds.values()) == totals.records
        and totals.first_seq <= totals.next_seq
        and totals.first_at <= totals.last_at
        and all(index.previous <= place.offset < place.end <= offset for place in index.places)
    )


def _record(kind: int, words: list[int] | tuple[int, ...]) -> RawRecord:
    return (kind | len(words) << WORDS_SHIFT, *map(_bounded, words))


def _bounded(word: int) -> int:
    """Return a number that fits a word: sums over blocks of others may not."""
    return max(-_LARGEST, min(_LARGEST, word))


def _records(block: Block) -> Iterator[tuple[int, tuple[int, ...]]]:
    at, words = 0, block.words
    while at < len(words):
        end = at + 1 + (words[at] >> WORDS_SHIFT)
        yield words[at] & KIND_MASK, words[at + 1 : end]
        at = end
