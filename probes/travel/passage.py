"""One way through footage: from its start or from a snapshot on, into a tree and probes of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from cache_core.events import Record
from probes.adapter import Adapter, Batch, provided_by
from probes.aggregator import Aggregator
from probes.block_stream import RawBlock
from probes.mirror import Mirror
from probes.recordings.playback import Piece, Playback
from probes.recordings.tally import SnapshotPlace
from probes.snapshot import Snapshot, SourceState
from probes.travel.footage import Footage

Numbered = tuple[int, Record]
"""A record and its number in the stream."""

_TRAIL = 256
"""The times of so many blocks are remembered, for going back one by one."""


class Passage(Adapter):
    """Reads footage from a place on, a block at a time. `reached` is when the last block that it took was flushed.

    What adds up counts from `counted_from` on; None when from where the watch began. `tree_only` runs no probes, so
    that a far moment is reached in a third of the time; `making` returns who takes the records instead.
    """

    def __init__(
        self,
        footage: Footage,
        place: SnapshotPlace | None = None,
        *,
        tree_only: bool = False,
        making: Callable[[Adapter], Aggregator] | None = None,
    ) -> None:
        self.tree_only = tree_only
        self.counted_from = None if place is None else place.began_at
        self.reached = footage.start if place is None else place.began_at
        self.provides = provided_by(footage.config)
        self._footage = footage
        self._reader = footage.reader()
        self._playback = Playback(self._reader, _unpack)
        self._playback.rewind(None if place is None else place.offset)
        self._ready: Piece[Numbered] | None = None
        self._present = self.reached
        self._lost_before = 0
        self._told: tuple[object, ...] = ()
        self._state = SourceState(footage.name, "replay")
        self._trail: deque[int] = deque(maxlen=_TRAIL)
        self._aggregator = making(self) if making else Aggregator(self, () if tree_only else None)

    @classmethod
    def beside(cls, footage: Footage, known: Aggregator, newest: Snapshot, offset: int) -> Passage:
        """Return a passage that knows what an aggregator knows and goes on with the block at `offset`."""
        passage = cls(footage)
        passage.counted_from = None
        passage.reached = passage._present = max(newest.now, footage.end)
        passage._playback.follow(offset, newest.seq + 1, newest.source.tree_known)
        passage._lost_before = newest.source.dropped_records
        passage._aggregator = known.twin(passage)
        return passage

    @property
    def mirror(self) -> Mirror:
        """The tree as of `reached`."""
        return self._aggregator.mirror

    @property
    def offset(self) -> int:
        """Where the next block lies."""
        return self._reader.offset

    @property
    def is_kept(self) -> bool:
        """Whether the next block can still be read."""
        return self._ready is not None or self._footage.is_kept(self.offset)

    @property
    def next_at(self) -> int | None:
        """When the next block was flushed; None while there is none."""
        self._ready = self._ready or self._playback.next()
        return None if self._ready is None else self._ready.head.flushed_at

    @property
    def before(self) -> int:
        """The time of the block before the last one, or just before what is known."""
        return self._trail[-2] if len(self._trail) > 1 else self.reached - 1

    def wind(self, until: int, may_go_on: Callable[[], bool]) -> bool:
        """Take the blocks up to a time as long as one may, and say whether none of them is left."""
        while (at := self.next_at) is not None and at <= until:
            if not may_go_on():
                return False
            self._aggregator.take_in()
        return True

    def snapshot(self, now: int) -> Snapshot:
        """Return every sample as of `now`, of the blocks that were taken."""
        self._present = now
        return self._aggregator.snapshot(now, self.state())

    def poll(self) -> Batch:
        """Return the records of the next block."""
        piece, self._ready = self._ready, None
        if piece is None:
            return Batch()
        at = piece.head.flushed_at
        if not self._trail or self._trail[-1] != at:
            self._trail.append(at)
        self.reached = at
        return Batch(piece.records, piece.resync)

    def state(self) -> SourceState:
        """Return what is known of the run at this place; at its end also how it ends."""
        words: list[str] = []
        uncertain_since = self._playback.uncertain_since
        if uncertain_since is not None:
            after_s = max(0, uncertain_since - self._footage.start) / 1e9
            words.append(f"records are missing, the tree is uncertain since {after_s:.1f} s")
        if self._ready is None and self.next_at is None:
            words.append(self._footage.ending(self._reader))
        playback = self._playback
        lost, torn = self._lost_before + playback.lost_records, self._reader.torn_blocks
        told = (", ".join(word for word in words if word), lost, torn, playback.tree_known)
        if self._told != told:
            self._told = told
            name, config = self._footage.name, self._footage.config
            self._state = SourceState(name, "replay", told[0], lost, torn, config=config, tree_known=told[3])
        return self._state

    def now(self) -> int:
        """Return the present of the passage."""
        return self._present


def _unpack(raw: RawBlock) -> list[Numbered]:
    return raw.decoded().records()
