"""The composition root: an adapter and an aggregator put together, for each kind of thing to watch.

A session is what a screen or a report watches: tick it from one thread, read its snapshots, close it.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING

from cache_core.events import RequestFinished
from probes.adapter import Adapter
from probes.adapters.recording import RecordingAdapter
from probes.adapters.shm import ShmAdapter
from probes.aggregator import RESTING, Aggregator
from probes.mirror import Mirror
from probes.snapshot import Snapshot
from probes.travel.history import History
from probes.travel.keeping import BlockAdapter, KeepingAdapter
from probes.travel.timeline import TimelineFold
from radixtop.errors import RadixtopError
from radixtop.playing.live_transport import LiveTransport
from radixtop.serving.child_adapter import ChildAdapter
from radixtop.serving.run_config import RunConfig
from radixtop.target import target_of

if TYPE_CHECKING:
    from profiles.evidence.evidence import Evidence
    from profiles.evidence.gather import Gatherer


class Session:
    """A source of records and everything that is known from them. `tick` and `close` belong to one thread."""

    is_hurried = False
    """Whether ticks follow each other at once, for what is read has happened already."""
    has_end = False
    """Whether its source comes to an end by itself, so that who waits for that knows what for."""
    patience_s = 10.0
    """How long a source may take until it has told something whole: the owner of a ring need not listen."""
    longest_patience_s = 15.0
    """How long at most, where what came before the watch is being read."""
    longest_start_s = math.inf
    """How long who has no screen to look at waits for a source that has not begun to tell anything."""
    transport: LiveTransport | None = None
    """The controls of its time, where they were asked for."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._aggregator = Aggregator(adapter)
        self._gatherer: Gatherer | None = None

    @property
    def mirror(self) -> Mirror:
        """The tree as the records tell it; read it on the thread that ticks."""
        return self._aggregator.mirror if self.transport is None else self.transport.mirror

    def tick(self, now: int) -> Snapshot:
        """Take in what is new and return every sample as of `now`, or of the moment that the transport shows."""
        if self._gatherer is not None:
            self._gatherer.configure(self._adapter.state())
        return self._aggregator.tick(now) if self.transport is None else self.transport.tick(now)

    def gather(self) -> None:
        """Gather evidence of what is wrong with every tick, for who has no screen. Call it before the first tick.

        Of a source that tells of no requests there is none. Once it gathers, another call changes nothing.
        """
        from profiles.evidence.gather import Gatherer  # of those who ask

        assert self.transport is None, "what is kept can be read for evidence whenever one asks"
        if self._gatherer is not None or RequestFinished not in self._adapter.provides:
            return
        self._gatherer = Gatherer()
        self._aggregator = Aggregator(self._adapter, also=self._gatherer.folds())
        self._gatherer.follow(self._aggregator)

    def evidence(self) -> Evidence | None:
        """Return what was gathered so far; None when nobody asked for that."""
        return None if self._gatherer is None else self._gatherer.evidence(self._adapter.state())

    def keep(self, source: BlockAdapter, history_bytes: int) -> None:
        """Keep so many bytes of what is watched, to go back to moments of it. Call it before the first tick."""
        history, fold = History(history_bytes), TimelineFold()
        adapter = KeepingAdapter(source, history)
        self._adapter = adapter
        self._aggregator = Aggregator(adapter, also=[fold.folds()])
        adapter.mirror = self._aggregator.mirror
        self.transport = LiveTransport(self._aggregator, history, fold)

    def rest(self, snapshot: Snapshot) -> Snapshot:
        """Tick until nothing new comes from a source that has come to rest, and return the last snapshot."""
        while (newer := self.tick(time.perf_counter_ns())).seq > snapshot.seq:
            snapshot = newer
        return newer

    def is_over(self, snapshot: Snapshot) -> bool:
        """Return whether nothing can come after a snapshot."""
        return snapshot.source.state in RESTING

    def is_whole(self, snapshot: Snapshot) -> bool:
        """Return whether a snapshot has seen all there is to see at first."""
        return snapshot.source.state != "starting"

    def is_catching_up(self) -> bool:
        """Return whether what was told before the watch is being read."""
        return False

    def has_failed(self, snapshot: Snapshot) -> bool:
        """Return whether a source that is not there cannot be expected to come, and nothing is known of it."""
        return False

    def is_dark(self, snapshot: Snapshot) -> bool:
        """Return whether a snapshot has nothing to see, but why that is so."""
        return False

    def close(self) -> None:
        """Let go of the source; a live run ends with its session."""
        self._adapter.close()

    def check(self) -> None:
        """Raise what went wrong with the source and does not show in its records; call it after `close`."""


class LiveSession(Session):
    """A session on a workload that this process starts."""

    patience_s = math.inf

    def __init__(self, run: RunConfig, history_bytes: int | None = None) -> None:
        self.run = run
        self.worker = ChildAdapter(run)
        super().__init__(self.worker)
        if history_bytes is not None:
            self.keep(self.worker, history_bytes)

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
    """A session on a recording that is played once, without a screen. Raises RecordingError when that fails."""

    has_end = True

    def __init__(self, path: Path, speed: float) -> None:
        self._recording = RecordingAdapter(path, speed)
        self.is_hurried = speed == math.inf
        super().__init__(self._recording)

    def is_over(self, snapshot: Snapshot) -> bool:
        """Return whether the whole recording was played."""
        return self._recording.is_at_end


def attach(target: str, history_bytes: int | None = None) -> Session:
    """Return a session on the cache of another process; for a screen with what is to be kept of it.

    Raises UsageError for a target of no known form, RingError when that process publishes nothing.
    """
    ring = target_of(target)
    adapter = ShmAdapter(ring.pid, ring.rank)
    session = Session(adapter)
    if history_bytes is not None:
        session.keep(adapter, history_bytes)
    return session
