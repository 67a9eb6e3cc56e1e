"""Plays a recording as if its cache ran now: at any speed, paused, a block at a time, from any point."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cache_core.events import Record
from probes.adapter import Adapter, Batch
from probes.blocks import DELTAS, Block
from probes.recording import RecordingReader
from probes.snapshot import SourceState

POLL_BLOCKS = 512
"""A poll takes at most so many blocks, however fast the playing is."""


@dataclass(frozen=True, slots=True)
class Span:
    """When a recording starts and ends, on the clock of its records, and how many records it has."""

    start: int
    end: int
    records: int


class RecordingAdapter(Adapter):
    """A recording as a source. `speed` is recorded seconds per second; infinity hands out all there is."""

    def __init__(self, path: Path | str, speed: float = 1.0, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        """Open the recording. Raises RecordingError when it cannot be read."""
        self._reader = RecordingReader(Path(path))
        self._clock = clock
        self._speed = speed
        self._paused = False
        self._next = self._reader.next_block()
        self._start = self._position = self._next.flushed_at if self._next else 0
        self._last = self._start
        self._ticked = clock()
        self._expected_seq: int | None = None
        self._dropped = 0
        self._resync = False

    @property
    def speed(self) -> float:
        """Recorded seconds per second."""
        return self._speed

    @property
    def is_paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    @property
    def is_at_end(self) -> bool:
        """Whether every block has been handed out."""
        return self._next is None

    @property
    def position_ns(self) -> int:
        """How far into the recording the playing has come."""
        return self._position - self._start

    @cached_property
    def span(self) -> Span:
        """The extent of the recording, from the headers of its blocks."""
        heads = [head for _, head in self._reader.heads()]
        records = sum(head.record_count for head in heads if head.kind == DELTAS)
        end = max((head.flushed_at for head in heads), default=self._start)
        return Span(self._start, end, records)

    def set_speed(self, speed: float) -> None:
        """Play faster or slower from here on."""
        self._tick()
        self._speed = speed

    def pause(self) -> None:
        """Let time stand still."""
        self._tick()
        self._paused = True

    def resume(self) -> None:
        """Go on from where time stood still."""
        self._tick()
        self._paused = False

    def step(self) -> None:
        """Go to the next block: the following poll returns it, paused or not."""
        if self._next is not None:
            self._position = max(self._position, self._next.flushed_at)

    def seek(self, position_ns: int) -> None:
        """Go to a point of the recording. Back means from the start again: the next poll says `resync`."""
        self._tick()
        target = self._start + max(position_ns, 0)
        if target < self._position:
            self._reader.rewind()
            self._next = self._reader.next_block()
            self._expected_seq = None
            self._dropped = 0
            self._resync = True
        self._position = target

    def poll(self) -> Batch:
        """Return the records up to the present of the playing, at most POLL_BLOCKS blocks of them."""
        self._tick()
        resync, self._resync = self._resync, False
        found: list[tuple[int, Record]] = []
        for _ in range(POLL_BLOCKS):
            block = self._next = self._next or self._reader.next_block()
            if block is None or not self._is_due(block):
                break
            self._next = None
            found += self._take(block)
        self._next = self._next or self._reader.next_block()
        if self._next is None:
            self._position = self._last
        return Batch(found, resync)

    def state(self) -> SourceState:
        """Return the state of the playing; at the end also how the recording ends."""
        words = [f"{self._speed:g}x"]
        if self._paused:
            words.append("paused")
        if self.is_at_end:
            words += ["at the end", self._reader.ending or self._reader.closed_reason or ""]
        message = ", ".join(word for word in words if word)
        torn = self._reader.torn_blocks
        return SourceState(self._reader.path.name, "replay", message, self._dropped, torn, None, self._reader.config)

    def now(self) -> int:
        """Return the present of the playing."""
        return self._position

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def _tick(self) -> None:
        """Let the time since the last call pass in the recording, but not beyond its last block."""
        now = self._clock()
        elapsed, self._ticked = now - self._ticked, now
        if not self._paused and self._next is not None and math.isfinite(self._speed):
            self._position += int(elapsed * self._speed)

    def _is_due(self, block: Block) -> bool:
        return block.flushed_at <= self._position or (math.isinf(self._speed) and not self._paused)

    def _take(self, block: Block) -> list[tuple[int, Record]]:
        if self._expected_seq is not None:
            self._dropped += max(block.first_seq - self._expected_seq, 0)
        self._expected_seq = block.end_seq
        self._last = block.flushed_at
        self._position = max(self._position, block.flushed_at)
        return block.records()
