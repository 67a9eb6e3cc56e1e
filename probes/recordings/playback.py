"""A recording in its order: which snapshots are taken, which are skipped, and what is missing.

The first snapshot says what was there when the recording began. Whoever has followed since then needs no other, so
later ones are skipped. After a gap in the numbers of the records the tree is uncertain: the next snapshot that is
whole is taken, and what was known before is void from its start on. Blocks that repeat numbers are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from probes.block_reader import BlockReader
from probes.block_stream import SMALL_WINDOW_BYTES, RawBlock
from probes.blocks import DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, BlockError, BlockHead
from probes.recordings.missing import Missing

T = TypeVar("T")


class Piece(NamedTuple, Generic[T]):
    """A block's records. With `resync`, what was known of the tree before them is void."""

    head: BlockHead
    records: list[T]
    resync: bool


class Playback(Generic[T]):
    """Goes through the blocks of a reader and unpacks them.

    `tree_known` says whether the records so far tell what is in the tree. `span_ns` is the times of the first and the
    latest block that counted, or None. `uncertain_since` is the time of the last block before the gap that made the
    tree uncertain, or None; `gaps` is how many there were.
    """

    def __init__(self, reader: BlockReader, unpack: Callable[[RawBlock], list[T]]) -> None:
        self._reader = reader
        self._unpack = unpack
        self.rewind()

    def rewind(self, offset: int | None = None) -> None:
        """Start again: at the first block, or at the start of a snapshot."""
        self._reader.rewind(offset)
        self.lost_records = 0
        self.unordered_blocks = 0
        self.tree_known = False
        self.uncertain_since: int | None = None
        self.gaps = 0
        self._gaps_ns: tuple[int, int] | None = None
        self.span_ns: tuple[int, int] | None = None
        self._from_start = offset is None and self._reader.config.get("began_empty") is not False
        self._expected_seq: int | None = None
        self._at = 0
        self._wanted = True
        self._taking = False
        self._void = False

    def follow(self, offset: int, next_seq: int, tree_known: bool) -> None:
        """Go on at an offset, for one who knows everything before record `next_seq`, which is the next one there."""
        self.rewind(offset)
        self._expected_seq = next_seq
        self.tree_known = tree_known
        self._wanted = False

    def next(self) -> Piece[T] | None:
        """Return the next block that counts, or None at the end of what the file holds now."""
        while True:
            torn = self._reader.torn_blocks
            raw = self._reader.next_raw()
            self._taking = self._taking and torn == self._reader.torn_blocks
            if raw is None:
                return None
            self._note_gap(raw.head)
            if not self._counts(raw):
                continue
            try:
                records = self._unpack(raw)
            except BlockError:
                self._reader.tear()
                self._taking = False
                continue
            return Piece(raw.head, records, self._follow(raw.head))

    def missing(self, ending: str = "") -> Missing:
        """Return what is missing of what was read so far, of a file that ends like that."""
        start = self._at if self.span_ns is None else self.span_ns[0]
        since, until = (None, None) if self._gaps_ns is None else (max(0, at - start) for at in self._gaps_ns)
        return Missing(
            records=self.lost_records,
            gaps=self.gaps,
            from_ns=since,
            to_ns=until,
            torn_blocks=self._reader.torn_blocks,
            unordered_blocks=self.unordered_blocks,
            tree_known=self.tree_known or self._taking or self._expected_seq is None,
            ending=ending,
        )

    def _note_gap(self, head: BlockHead) -> None:
        """See by the number of a block whether records are missing before it."""
        if self._expected_seq is None:
            self._expected_seq = head.first_seq
            self._at = head.flushed_at
            self.tree_known = self._from_start and head.first_seq == 0
        missing = head.first_seq - self._expected_seq
        if missing <= 0:
            return
        self._expected_seq = head.first_seq
        self.lost_records += missing
        if self.uncertain_since is None:
            self.uncertain_since = self._at
        self.gaps += 1
        self._gaps_ns = (self._at if self._gaps_ns is None else self._gaps_ns[0]), max(self._at, head.flushed_at)
        self.tree_known = self._taking = False
        self._wanted = self._void = True

    def _counts(self, raw: RawBlock) -> bool:
        """Say whether a block is part of what happened, or of a snapshot that is needed."""
        head = raw.head
        if head.kind == DELTAS:
            in_order = head.first_seq == self._expected_seq
            self.unordered_blocks += not in_order
            return in_order
        if head.kind == SNAPSHOT_BEGIN:
            return self._wanted and (not self._void or self._is_whole(raw.offset + head.size))
        return self._taking and head.kind in (SLICE, SNAPSHOT_END)

    def _follow(self, head: BlockHead) -> bool:
        """Note what a block that counts means for what is known; True when it voids what was known before."""
        self._at = head.flushed_at
        self.span_ns = (self.span_ns or (self._at,))[0], self._at
        resync = False
        if head.kind == DELTAS:
            self._expected_seq = head.first_seq + head.record_count
        elif head.kind == SNAPSHOT_BEGIN:
            self._taking = True
            resync, self._void = self._void, False
        elif head.kind == SNAPSHOT_END:
            self._taking = self._wanted = False
            self.tree_known = True
            self.uncertain_since = None
        return resync

    def _is_whole(self, offset: int) -> bool:
        """Say whether the snapshot whose first block ends at `offset` has an end, before another one begins."""
        for _, head in self._reader.heads(offset, SMALL_WINDOW_BYTES):
            if head.kind in (SNAPSHOT_BEGIN, SNAPSHOT_END):
                return head.kind == SNAPSHOT_END
        return False
