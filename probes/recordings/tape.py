"""Follows a ring block by block and winds the blocks onto a reel, in the reader's own process.

    ring, side file ---- ShmAdapter.poll_blocks() ----> Tape ----> reel: a file, several, or memory
                                                          |-- mirror     states the tree where a part begins
                                                          `-- triggers   say when something happened

Every block is put as it was read; nothing is asked of the watched process but the tree, when the tape comes late or
missed something. Where the reel begins a part of its own accord, the tree is that of the tape's mirror.

What the ring still has from before a late tape came is for the triggers: it tells of a tree that nobody knows. It is
put all the same when the writer is gone and the tree will never come.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from probes.adapters.shm import ShmAdapter
from probes.aggregator import RESTING
from probes.blocks import DELTAS, SNAPSHOT_BEGIN, SNAPSHOT_END, Block
from probes.fold import Fold, joined
from probes.mirror import Mirror
from probes.recordings.pace import EVERY_NS, NEVER, SnapshotPace
from probes.recordings.reel import Reel
from probes.recordings.statement import Statement
from probes.snapshot import SourceState, component_names
from probes.trigger import Trigger
from probes.window import SECOND_NS

STATE_NS = 5_000_000
"""How long a turn may state the tree: much less than it takes a busy cache to come round its ring."""

BLOCKS_A_SLICE = 16
"""Of that, how much is stated after each block while many come: they should not fill the part meanwhile."""

STATE_SHARE = 0.05
"""The tree is not stated again before the last time's cost is no more of the time since than this."""


class Tape:
    """One ring, followed by `turn` after `turn`. The mirror and the triggers are the tape's to feed."""

    def __init__(
        self,
        adapter: ShmAdapter,
        reel: Reel,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self.mirror = Mirror(component_names(adapter.state().config))
        self._adapter = adapter
        self._reel = reel
        self._clock = clock
        self._whole = not adapter.needs_snapshot
        self._awaits_tree = not self._whole and adapter.state().state not in RESTING
        self._statement: Statement | None = None
        self._pace = SnapshotPace(EVERY_NS, STATE_SHARE)
        self._stream_bytes = 0
        self._told_bytes = 0  # by the snapshot on its way
        self._next_seq = 0
        self._at = 0
        self.use({})

    @property
    def at(self) -> int:
        """When the newest block was flushed, on the clock of the stream."""
        return self._at

    @property
    def is_whole(self) -> bool:
        """Whether the tree is known; if not, it was asked for."""
        return self._whole

    @property
    def is_stating(self) -> bool:
        """Whether the tree is being stated, so that the next turn has something to do."""
        return self._statement is not None

    def use(self, triggers: Mapping[str, Trigger]) -> None:
        """Feed these triggers from now on."""
        self._triggers = dict(triggers)
        self._folds = joined((self.mirror.folds, *(trigger.folds() for trigger in triggers.values())))
        self._judged_at = 0
        self._firing: tuple[str, str] | None = None

    def state(self) -> SourceState:
        """Return how the watched process is doing, and what was lost."""
        return self._adapter.state()

    def turn(self) -> int:
        """Wind on what is there, at most a poll of it, and return how many blocks that were."""
        batch = self._adapter.poll_blocks()
        if batch.resync:
            self._lose()
        for block in batch.blocks:
            self._take(block)
        if self._statement is not None:
            self._go_on(self._statement, STATE_NS)
        elif self._reel.repeats_tree and self._whole and self._pace.is_due(self._at, self._stream_bytes):
            self._begin_statement()
        return len(batch.blocks)

    def fired(self) -> tuple[str, str] | None:
        """Return the name and the reason of a trigger that fired since the last call."""
        firing, self._firing = self._firing, None
        return firing

    def close(self) -> None:
        """Let go of the ring."""
        self._adapter.close()

    def _lose(self) -> None:
        """Records are missing: the tree is void until the snapshot that was asked for is here."""
        self._whole = False
        self._statement = None
        self.mirror.clear()
        for trigger in self._triggers.values():
            trigger.lost()

    def _take(self, block: Block) -> None:
        self._awaits_tree = self._awaits_tree and block.kind != SNAPSHOT_BEGIN
        if not self._awaits_tree:
            self._put(block)
        self._next_seq = block.end_seq
        self._at = max(self._at, block.flushed_at)
        self._fold(block)
        if self._statement is not None:
            self._go_on(self._statement, STATE_NS // BLOCKS_A_SLICE)
        if self._triggers and self._at // SECOND_NS != self._judged_at:
            self._judge()

    def _put(self, block: Block) -> None:
        raw = block.encode()
        if self._whole and self._pace.due_at == NEVER:
            self._pace.stated(block.flushed_at, self._stream_bytes)  # followed from its first record on
        if self._reel.turn(len(raw), block.flushed_at, self.is_stating or not self._whole):
            self._begin_part()
        self._reel.put(raw)
        if block.kind == DELTAS:
            self._stream_bytes += len(raw)
        else:
            self._note_snapshot(block, len(raw))

    def _note_snapshot(self, block: Block, size: int) -> None:
        self._told_bytes = size + (0 if block.kind == SNAPSHOT_BEGIN else self._told_bytes)
        if block.kind == SNAPSHOT_END:
            self._whole = True
            self._pace.stated(block.flushed_at, self._stream_bytes, stated_bytes=self._told_bytes)

    def _begin_part(self) -> None:
        if self._whole:
            self._begin_statement()
        else:
            self._adapter.ask_again()

    def _begin_statement(self) -> None:
        self._statement = Statement(self.mirror, self._clock)
        self._go_on(self._statement, STATE_NS // BLOCKS_A_SLICE)

    def _go_on(self, statement: Statement, budget_ns: int) -> None:
        statement.write(self._next_seq, self._at, budget_ns, self._reel.put)
        if statement.is_over:
            stated_bytes, spent_ns = statement.size_bytes, statement.spent_ns
            self._pace.stated(self._at, self._stream_bytes, stated_bytes=stated_bytes, spent_ns=spent_ns)
            self._statement = None

    def _fold(self, block: Block) -> None:
        folds = self._folds
        nothing: Sequence[Fold] = ()
        for _, record in block.records():
            for fold in folds.get(type(record), nothing):
                fold(record)

    def _judge(self) -> None:
        """Ask the triggers, once a second of the stream."""
        self._judged_at = self._at // SECOND_NS
        for name, trigger in self._triggers.items():
            reason = "" if self._firing else trigger.reason(self._at)
            if reason:
                self._firing = name, reason
