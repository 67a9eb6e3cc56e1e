"""What a recording amounts to, without reading all of it: from its index, or from the headers of its blocks.

A recording that was closed in order is known from its last blocks. Of one whose writer was killed, the headers are
read; the kinds of its records are known from the INDEX blocks on the way wherever these agree with the headers, and
are counted where they do not, behind the last one, and in files of version 1, which have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from probes.block_reader import reason_of
from probes.block_stream import SMALL_WINDOW_BYTES, BlockStream, RawBlock
from probes.blocks import CLOSED, DELTAS, INDEX, Block, BlockError, BlockHead, list_heads
from probes.recordings.index import TRAILER_BYTES, Index, Totals, Trailer, decode_index, decode_trailer, totals_of
from probes.recordings.recording import RecordingReader
from probes.recordings.tally import MOST_PLACES, SnapshotPlace, Tally, count_kinds

_MOST_INDEXES = 1 << 16
_BATCH_HEADS = 1 << 16


@dataclass(frozen=True, slots=True)
class Outline:
    """The sums over a recording. `is_checked` says whether every block was read, so that all damage was seen.

    `places` are the whole snapshots, the latest ones if there are very many. The last records lie behind `tail`.
    `unread_bytes` at the end are no whole block, or nothing but damage.
    """

    totals: Totals
    kinds: Mapping[int, int]
    torn_blocks: int
    unordered_blocks: int
    closed_reason: str | None
    is_checked: bool
    has_index: bool
    places: tuple[SnapshotPlace, ...]
    tail: int
    unread_bytes: int


def outline(reader: RecordingReader, check: bool = False) -> Outline:
    """Return what a recording amounts to; with `check`, by reading every block."""
    found = None if check else _from_index(reader)
    if found is not None:
        return found
    scan = _Scan(reader)
    if check:
        scan.read_blocks()
    else:
        scan.read_heads()
    unread_bytes = max(0, reader.size_bytes - scan.end)
    return Outline(
        totals_of(scan.tally), scan.kinds, len(scan.torn_at), scan.tally.unordered_blocks, scan.closed_reason,
        is_checked=check, has_index=scan.last is not None, places=tuple(scan.tally.places), tail=scan.tail,
        unread_bytes=unread_bytes,
    )  # fmt: skip


def _from_index(reader: RecordingReader) -> Outline | None:
    trailer, end = _trailer(reader)
    if trailer is None:
        return None
    index = _index_at(reader, trailer.index)
    closed, _ = _find_block(reader, trailer.closed)
    if index is None or index[1] != end or closed is None or closed.kind != CLOSED:
        return None
    last = index[0]
    return Outline(
        last.totals, last.kinds, 0, 0, reason_of(closed), is_checked=False, has_index=True,
        places=_places(reader, last), tail=last.previous or reader.header.size, unread_bytes=0,
    )  # fmt: skip


def _trailer(reader: RecordingReader) -> tuple[Trailer | None, int]:
    """Return the trailer and its offset."""
    offset = reader.size_bytes - TRAILER_BYTES
    block, _ = _find_block(reader, offset)
    try:
        return (None if block is None else decode_trailer(block, offset)), offset
    except BlockError:
        return None, offset


def _index_at(reader: RecordingReader, offset: int) -> tuple[Index, int] | None:
    """Return the index at an offset and where it ends."""
    block, end = _find_block(reader, offset)
    try:
        return None if block is None else (decode_index(block, offset), end)
    except BlockError:
        return None


def block_at(reader: RecordingReader, offset: int) -> Block | None:
    """Return the block at an offset, if a whole one is there."""
    return _find_block(reader, offset)[0]


def _find_block(reader: RecordingReader, offset: int) -> tuple[Block | None, int]:
    """Return the block at an offset, if there is one, and where it ends."""
    if offset < reader.header.size:
        return None, offset
    stream = reader.stream(offset, SMALL_WINDOW_BYTES)
    try:
        return stream.next_block(), stream.offset
    except BlockError:
        return None, offset


def _places(reader: RecordingReader, last: Index) -> tuple[SnapshotPlace, ...]:
    """Return where the snapshots are, the latest ones if there are very many; the chain leads only backwards."""
    found: list[SnapshotPlace] = []
    index: Index | None = last
    for _ in range(_MOST_INDEXES):
        if index is None or len(found) + len(index.places) > MOST_PLACES:
            break
        found += reversed(index.places)
        before = _index_at(reader, index.previous) if index.previous else None
        index = None if before is None else before[0]
    return tuple(reversed(found))


class _Scan:
    """Goes through all blocks of a recording, or through their headers, and sums them up."""

    def __init__(self, reader: RecordingReader) -> None:
        self.tally = Tally()
        self.kinds: dict[int, int] = {}
        self.torn_at: set[int] = set()
        self.closed_reason: str | None = None
        self.last: Index | None = None
        self.tail = self.end = self._indexed = reader.header.size
        self._reader = reader

    def read_blocks(self) -> None:
        """Read and check every block."""
        for raw in self._blocks(self._reader.header.size, self._reader.size_bytes):
            self.tally.add(raw.head, raw.offset)
            if raw.head.kind == CLOSED:
                self._note_reason(raw.offset)
            elif raw.head.kind == INDEX:
                self._note_index(raw.offset)

    def read_heads(self) -> None:
        """Read the headers, and what they do not tell where no index tells it."""
        start, blocks, records = self._reader.header.size, 0, 0
        for offset, head in self._heads():
            if head.kind == INDEX:
                self._add_segment(start, offset, blocks, records)
                start, blocks, records = offset, 0, 0
                self._note_index(offset)
            elif head.kind == DELTAS:
                records += head.record_count
            elif head.kind == CLOSED:
                self._note_reason(offset)
            self.tally.add(head, offset)
            blocks += 1
        for _ in self._blocks(start, self._reader.size_bytes):
            pass

    def _add_segment(self, start: int, offset: int, blocks: int, records: int) -> None:
        """Count the kinds of the blocks from `start` to the INDEX block at `offset`: it says them, if it is right."""
        found, last = _index_at(self._reader, offset), self.last
        self.last = index = None if found is None else found[0]
        before = _NOTHING if last is None else last
        if index is not None and index.previous == before.offset:
            grown = {kind: count - before.kinds.get(kind, 0) for kind, count in index.kinds.items()}
            counted = (index.totals.blocks - before.totals.blocks, index.totals.records - before.totals.records)
            if (
                counted == (blocks, records)
                and min(grown.values(), default=0) >= 0
                and sum(grown.values()) == records
            ):
                for kind, count in grown.items():
                    self.kinds[kind] = self.kinds.get(kind, 0) + count
                return
        for _ in self._blocks(start, offset):
            pass

    def _heads(self) -> Iterator[tuple[int, BlockHead]]:
        """Yield the headers of the blocks. One counts once the next one is found where it says."""
        stream = self._reader.stream()
        held: tuple[int, BlockHead] | None = None
        while True:
            at = stream.offset
            try:
                head = stream.next_head()
            except BlockError:
                if held is not None:
                    stream.offset = held[0]
                    if _can_be_read(stream):
                        yield held
                    else:
                        at = held[0]
                    held = None
                self.torn_at.add(at)
                if not stream.skip_damage():
                    self.end = at
                    return
                continue
            if held is not None:
                yield held
            if head is None:
                self.end = at
                return
            held = at, head

    def _blocks(self, start: int, end: int) -> Iterator[RawBlock]:
        """Yield the blocks of [start, end) and count the kinds of their records."""
        stream = self._reader.stream(start)
        heads: list[int] = []
        while (at := stream.offset) < end:
            try:
                raw = stream.next_raw()
                if raw is None:
                    break
                if raw.head.kind == DELTAS:
                    heads += list_heads(raw.words)
            except BlockError:
                self.torn_at.add(at)
                if stream.offset == at and not stream.skip_damage():
                    break
                continue
            yield raw
            if len(heads) > _BATCH_HEADS:
                count_kinds(heads, self.kinds)
                heads.clear()
        count_kinds(heads, self.kinds)
        self.end = stream.offset

    def _note_index(self, offset: int) -> None:
        self.tail, self._indexed = self._indexed, offset

    def _note_reason(self, offset: int) -> None:
        block = block_at(self._reader, offset)
        self.closed_reason = None if block is None else reason_of(block)


def _can_be_read(stream: BlockStream) -> bool:
    """Say whether a whole block is where a stream is; it then steps behind it."""
    try:
        return stream.next_raw() is not None
    except BlockError:
        return False


_NOTHING = Index(0, 0, Totals(*[0] * len(Totals._fields)), {}, ())
