"""An adapter whose batches are written down by the test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cache_core.events import Record
from probes.adapter import Adapter, Batch
from probes.snapshot import SourceState
from tests.support.records import ALL_CLASSES


class ScriptedAdapter(Adapter):
    """Hands out what `send` was given. Sequence numbers count up from 0 unless told."""

    provides = ALL_CLASSES

    def __init__(self, provides: frozenset[type] = ALL_CLASSES, **source: object) -> None:
        self.provides = provides  # type: ignore[misc]
        self.source = replace(SourceState("script", "live"), **source)  # type: ignore[arg-type]
        self.present = 0
        self._next_seq = 0
        self._waiting = Batch([])

    def send(self, records: Iterable[Record], *, first_seq: int | None = None, resync: bool = False) -> None:
        """Make the next poll return `records`."""
        start = self._next_seq if first_seq is None else first_seq
        numbered = list(enumerate(records, start))
        self._next_seq = start + len(numbered)
        self._waiting = Batch(numbered, resync)

    def poll(self) -> Batch:
        batch, self._waiting = self._waiting, Batch([])
        return batch

    def state(self) -> SourceState:
        return self.source

    def now(self) -> int:
        return self.present

    def close(self) -> None:
        pass
