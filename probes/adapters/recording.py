"""Plays a recording once, from start to end, as if its cache ran now; `probes.travel` goes to any moment."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path

from cache_core.events import Record
from probes.adapter import Adapter, Batch, provided_by
from probes.block_stream import RawBlock
from probes.recordings.playback import Piece, Playback
from probes.recordings.recording import RecordingReader
from probes.snapshot import SourceState

Numbered = tuple[int, Record]
"""A record and its number in the stream."""

POLL_BLOCKS = 512
"""A poll takes at most so many blocks, however fast the playing is."""


class RecordingAdapter(Adapter):
    """A recording as a source. `speed` is recorded seconds per second; infinity hands out all there is."""

    def __init__(self, path: Path | str, speed: float = 1.0, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        """Open the recording. Raises RecordingError when it cannot be read."""
        self._reader = RecordingReader(Path(path))
        self.provides = provided_by(self._reader.config)
        self._clock = clock
        self._speed = speed
        self._playback = Playback(self._reader, _unpack)
        self._next = self._playback.next()
        self._start = self._position = self._next.head.flushed_at if self._next else 0
        self._last = self._start
        self._ticked = clock()

    @property
    def is_at_end(self) -> bool:
        """Whether every block has been handed out."""
        return self._next is None

    def poll(self) -> Batch:
        """Return the records up to the present of the playing, at most POLL_BLOCKS blocks of them."""
        self._tick()
        resync = False
        found: list[Numbered] = []
        for _ in range(POLL_BLOCKS):
            piece = self._next = self._next or self._playback.next()
            if piece is None or not self._is_due(piece):
                break
            if piece.resync:
                if found:  # these belong to the tree that was known before
                    break
                resync = True
            self._next = None
            found += piece.records
            self._last = piece.head.flushed_at
            self._position = max(self._position, self._last)
        self._next = self._next or self._playback.next()
        if self._next is None:
            self._position = self._last
        return Batch(found, resync)

    def state(self) -> SourceState:
        """Return the state of the playing; at the end also how the recording ends."""
        words = [f"{self._speed:g}x"] if math.isfinite(self._speed) else []
        uncertain_since = self._playback.uncertain_since
        if uncertain_since is not None:
            after_s = max(0, uncertain_since - self._start) / 1e9
            words.append(f"records are missing, the tree is uncertain since {after_s:.1f} s")
        if self.is_at_end:
            words += ["at the end", self._reader.ending or self._reader.closed_reason or ""]
        return SourceState(
            name=self._reader.path.name,
            state="replay",
            message=", ".join(word for word in words if word),
            dropped_records=self._playback.lost_records,
            torn_blocks=self._reader.torn_blocks,
            config=self._reader.config,
            tree_known=self._playback.tree_known,
            missing=self._playback.missing(self._reader.ending if self.is_at_end else ""),
        )

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
        if self._next is not None and math.isfinite(self._speed):
            self._position += int(elapsed * self._speed)

    def _is_due(self, piece: Piece[Numbered]) -> bool:
        return piece.head.flushed_at <= self._position or math.isinf(self._speed)


def _unpack(raw: RawBlock) -> list[Numbered]:
    return raw.decoded().records()
