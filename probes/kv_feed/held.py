"""Batches that wait for those before them, and what is remembered of those that were delivered: both bounded."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Callable

from probes.kv_feed.frame import Frame

REMEMBERED = 1 << 14
"""How many of the newest batches are known again: as many as an engine keeps to send again, and more."""


class HeldFrames:
    """Batches by number, at most `most` and `most_bytes` in all."""

    __slots__ = ("_frames", "_most", "_most_bytes", "_order", "bytes")

    def __init__(self, most: int, most_bytes: int) -> None:
        self._frames: dict[int, Frame] = {}
        self._order: list[int] = []
        self._most = most
        self._most_bytes = most_bytes
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._frames)

    @property
    def first(self) -> int:
        """The lowest number. There must be one."""
        return self._order[0]

    @property
    def newest(self) -> Frame | None:
        """The batch with the highest number, or None."""
        return self._frames[max(self._frames)] if self._frames else None

    def has_room(self, frame: Frame) -> bool:
        """Say whether a batch can be held as well."""
        return len(self._frames) < self._most and self.bytes + len(frame.payload) <= self._most_bytes

    def add(self, frame: Frame) -> None:
        """Hold a batch whose number is not held."""
        self._frames[frame.seq] = frame
        heapq.heappush(self._order, frame.seq)
        self.bytes += len(frame.payload)

    def get(self, seq: int) -> Frame | None:
        """Return the batch of a number, or None."""
        return self._frames.get(seq)

    def pop(self, seq: int) -> Frame | None:
        """Return the batch of a number and hold it no more, or None."""
        frame = self._frames.pop(seq, None)
        if frame is not None:
            self.bytes -= len(frame.payload)
            while self._order and self._order[0] not in self._frames:
                heapq.heappop(self._order)
        return frame

    def keep(self, wanted: Callable[[Frame], bool]) -> None:
        """Let go of all batches but those that are wanted."""
        self._frames = {seq: frame for seq, frame in self._frames.items() if wanted(frame)}
        self._order = sorted(self._frames)
        self.bytes = sum(len(frame.payload) for frame in self._frames.values())


class Remembered:
    """A hash of each of the newest delivered batches, by its number."""

    __slots__ = ("_hashes", "_numbers")

    def __init__(self) -> None:
        self._numbers = array("q", [-1]) * REMEMBERED
        self._hashes = array("q", [0]) * REMEMBERED

    def add(self, frame: Frame) -> None:
        """Remember a batch, in place of one long ago."""
        self._numbers[frame.seq % REMEMBERED] = frame.seq
        self._hashes[frame.seq % REMEMBERED] = hash(frame.payload)

    def is_same(self, frame: Frame) -> bool | None:
        """Say whether a batch is the one that was delivered under its number; None when that is forgotten."""
        if self._numbers[frame.seq % REMEMBERED] != frame.seq:
            return None
        return self._hashes[frame.seq % REMEMBERED] == hash(frame.payload)

    def clear(self) -> None:
        """Forget everything."""
        self._numbers = array("q", [-1]) * REMEMBERED
