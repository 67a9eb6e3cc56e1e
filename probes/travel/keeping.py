"""An adapter that hands on what another one has, and keeps it."""

from __future__ import annotations

from typing import Protocol

from probes.adapter import Adapter, Batch
from probes.adapters.shm import BlockBatch
from probes.mirror import Mirror
from probes.snapshot import SourceState
from probes.travel.history import History


class BlockAdapter(Protocol):
    """An adapter whose records come in whole blocks."""

    provides: frozenset[type]

    def poll_blocks(self) -> BlockBatch:
        """Return the blocks that are new."""

    def state(self) -> SourceState:
        """See Adapter."""

    def now(self) -> int:
        """See Adapter."""

    def close(self) -> None:
        """See Adapter."""


class KeepingAdapter(Adapter):
    """Puts into a history what it polls. `mirror` is who folds what it hands out; without one no tree is stated."""

    def __init__(self, source: BlockAdapter, history: History) -> None:
        self.provides = source.provides
        self.mirror: Mirror | None = None
        self._source = source
        self._history = history

    def poll(self) -> Batch:
        """Return what is new; what came before was folded by now, and the tree is stated as of then."""
        if self.mirror is not None:
            self._history.state_tree(self.mirror, self._source.now())
        batch = self._source.poll_blocks()
        self._history.describe(self._source.state())
        self._history.take(batch.blocks, batch.resync)
        return Batch([numbered for block in batch.blocks for numbered in block.records()], batch.resync)

    def state(self) -> SourceState:
        """See Adapter."""
        return self._source.state()

    def now(self) -> int:
        """See Adapter."""
        return self._source.now()

    def close(self) -> None:
        """Let go of the source and forget what was kept."""
        self._source.close()
        self._history.close()
