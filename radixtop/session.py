"""The composition root: an adapter and an aggregator put together, for each kind of thing to watch.

A session is what a screen or a report watches: tick it from one thread, read its snapshots, close it.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from probes.adapter import Adapter
from probes.adapters.recording import RecordingAdapter
from probes.adapters.shm import ShmAdapter
from probes.aggregator import RESTING, Aggregator
from probes.mirror import Mirror
from probes.snapshot import Snapshot
from radixtop.child_adapter import ChildAdapter
from radixtop.errors import RadixtopError
from radixtop.run_config import RunConfig
from radixtop.target import target_of


class Session:
    """A source of records and everything that is known from them. `tick` and `close` belong to one thread."""

    is_hurried = False
    """Whether ticks follow each other at once, for what is read has happened already."""
    patience_s = 10.0
    """How long a source may take until it has told something whole: the owner of a ring need not listen."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._aggregator = Aggregator(adapter)

    @property
    def mirror(self) -> Mirror:
        """The tree as the records tell it; read it on the thread that ticks."""
        return self._aggregator.mirror

    def tick(self, now: int) -> Snapshot:
        """Take in what is new and return every sample as of `now`."""
        return self._aggregator.tick(now)

    def rest(self, snapshot: Snapshot) -> Snapshot:
        """Tick until nothing new comes from a source that has come to rest, and return the last snapshot."""
        while (newer := self.tick(time.perf_counter_ns())).seq > snapshot.seq:
            snapshot = newer
        return newer

    def is_over(self, snapshot: Snapshot) -> bool:
        """Return whether nothing can come after a snapshot."""
        return snapshot.source.state in RESTING

    def close(self) -> None:
        """Let go of the source; a live run ends with its session."""
        self._adapter.close()

    def check(self) -> None:
        """Raise what went wrong with the source and does not show in its records; call it after `close`."""


class LiveSession(Session):
    """A session on a workload that this process starts."""

    patience_s = math.inf

    def __init__(self, run: RunConfig) -> None:
        self.run = run
        self.worker = ChildAdapter(run)
        super().__init__(self.worker)

    def is_over(self, snapshot: Snapshot) -> bool:
        """Return whether the worker has said what the run came to, or is gone."""
        return "integrity" in self.worker.turn.details or super().is_over(snapshot)

    def check(self) -> None:
        """Raise what ended the worker before its time, or what stopped its recording or its KV events."""
        if self.worker.death is not None and not self.worker.interrupted:
            raise self.worker.death
        said = self.worker.turn.details
        if said.get("recording_fault"):
            raise RadixtopError(str(said["recording_fault"]))
        published = said.get("kv_events")
        if isinstance(published, dict) and published["fault"]:
            raise RadixtopError(f"publishing KV events failed: {published['fault']}")


class PlaySession(Session):
    """A session on a recording, whose time can be held and hurried. Raises RecordingError when it cannot be read."""

    def __init__(self, path: Path, speed: float) -> None:
        self._recording = RecordingAdapter(path, speed)
        self._speed = speed
        self.is_hurried = speed == math.inf
        super().__init__(self._recording)

    def is_over(self, snapshot: Snapshot) -> bool:
        """Return whether the whole recording was played."""
        return self._recording.is_at_end

    def toggle_pause(self) -> None:
        """Let time stand still, or go on."""
        if self._recording.is_paused:
            self._recording.resume()
        else:
            self._recording.pause()

    def set_speed(self, factor: float) -> None:
        """Play `factor` times as fast as at first."""
        self._recording.set_speed(self._speed * factor)


def attach(target: str) -> Session:
    """Return a session on the cache of another process.

    Raises UsageError for a target of no known form, RingError when that process publishes nothing.
    """
    ring = target_of(target)
    return Session(ShmAdapter(ring.pid, ring.rank))
