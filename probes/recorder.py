"""The flight recorder: the sink that carries a cache's records out of its process.

`flush` runs on the cache's own thread. It packs what waits into the ring and, while a recording is on, appends the
same bytes to its file; nothing in it waits for a reader. What is due now and then comes last: the pools' state,
the heartbeat, and a slice of a snapshot when a reader or a new recording needs one.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from cache_core.events import RawRecord
from probes.parts import write_in_parts
from probes.recordings.pace import EVERY_NS, SnapshotPace
from probes.recordings.writer import RecordingWriter
from probes.rings import ring
from probes.rings.folder import default_folder, make_folder
from probes.rings.governor import BUDGET, Governor
from probes.rings.ring import RingShape, RingWriter
from probes.rings.snapshot_writer import SnapshotWriter
from probes.rings.sweep import sweep
from probes.rings.walk import SnapshotSource


class Recorded(Protocol):
    """The cache whose sink a recorder is."""

    @property
    def telling_ns(self) -> int:
        """How long it took to put changes to nodes into records, since it has this sink."""

    def snapshot_records(self) -> Iterator[RawRecord]:
        """Walk over its state, a step at a time, between its operations."""

    def emit_pools(self) -> None:
        """Append its Pool records to those of its sink."""

    def set_detail(self, detail: int) -> None:
        """Tell less from now on, or more again."""


@dataclass(frozen=True, slots=True)
class RecorderOptions:
    """Where a recorder writes and how much it may spend. `recording` is a file that takes the stream as well.

    It gets the state of the cache at its start and then every `snapshot_every_ns` (0: never), less often where that
    took more than `snapshot_share` of the thread's time. `budget` is the share of the thread's time that watching may
    take before the cache tells less.
    """

    rank: int = 0
    folder: Path | None = None
    recording: Path | None = None
    shape: RingShape = field(default_factory=RingShape)
    pools_every_ns: int = 10_000_000
    slice_ns: int = 1_000_000
    slice_share: float = 0.25
    budget: float = BUDGET
    snapshot_every_ns: int = EVERY_NS
    snapshot_share: float = 0.01


class FlightRecorder:
    """An `EventSink` that publishes to a ring in shared memory. It owns its files and removes them on `close`.

    Emitters append to `records`, always the same list, and call `flush`. Call `flush` also from an idle loop, every
    100 ms, or more often while `snapshot_pending`. A recorder that is never closed is closed as its process exits.
    """

    def __init__(
        self,
        config: Mapping[str, object],
        options: RecorderOptions | None = None,
        clock: Callable[[], int] = time.perf_counter_ns,
        spent_clock: Callable[[], int] | None = None,
    ) -> None:
        """Make the ring. Raises RingError or RecordingError when a file cannot be made.

        What a flush takes is measured by `spent_clock`, such as the time of a thread, or by `clock`.
        """
        self.records: list[RawRecord] = []
        self.options = options = options or RecorderOptions()
        self.config = _full_config(config, options.rank, clock())
        self._clock = clock
        self._spent_clock = spent_clock or clock
        folder = make_folder(options.folder or default_folder())
        sweep(folder)
        ring_writer = RingWriter(folder, options.rank, self.config, options.shape)
        self._pace = SnapshotPace(options.snapshot_every_ns, options.snapshot_share)
        snapshots = SnapshotWriter(ring_writer, options.slice_ns, options.slice_share, self._pace, clock)
        self._files = _Files(ring_writer, snapshots)
        self._ring = ring_writer
        self._snapshots = snapshots
        self._words = ring_writer.words
        self._next_seq = 0
        self._pools: Callable[[], object] = _no_pools
        self._pools_due = 0
        self._cache: Recorded | None = None
        self._governor = Governor(clock, options.budget)
        self._now = 0
        self._shut = False
        self._finalizer = weakref.finalize(self, self._files.close, "its process exited", clock)
        os.register_at_fork(after_in_child=partial(_let_go, weakref.ref(self)))
        if options.recording is not None:
            try:
                self.record_to(options.recording)
            except BaseException:
                self.close("its recording could not be written")
                raise

    def follow(self, cache: Recorded) -> None:
        """Name the cache: it states its tree to readers, tells its pools, and tells less when that costs too much."""
        self.bind(cache.snapshot_records, cache.emit_pools)
        self._cache = cache

    def bind(self, snapshot: SnapshotSource | None = None, pools: Callable[[], object] | None = None) -> None:
        """Name the cache's walk over its state, and the call that appends its Pool records to `records`."""
        self._snapshots.source = snapshot
        self._pools = pools or _no_pools

    def flush(self) -> None:
        """Publish what waits in `records` and do what else is due. Returns at once when called within itself.

        A closed recorder, and the copy of one in a forked child, take records and forget them.
        """
        if self._shut:
            if not self._finalizer.alive:
                self.records.clear()
            return
        self._shut = True
        try:
            now = self._now = self._clock()
            began = self._spent_clock()
            if now >= self._pools_due:
                self._pools_due = now + self.options.pools_every_ns
                self._pools()
            if self._cache is not None and self._governor.is_due(now):
                self._govern(self._cache, now)
            waiting = len(self.records)
            if waiting:
                self._publish_all(self.records)
            words = self._words
            words[ring.HEARTBEAT] = now
            if now >= self._pace.due_at:
                self._snapshots.remind(now)
            snapshot_ns = self._serve_snapshot() if self._snapshots.is_due else 0
            took_ns = self._spent_clock() - began
            words[ring.FLUSH_NS] += took_ns
            self._governor.flushed(waiting, took_ns, snapshot_ns)
        finally:
            self._shut = False

    @property
    def ring_path(self) -> Path:
        """Where the ring is."""
        return self._ring.path

    @property
    def snapshot_pending(self) -> bool:
        """Whether a reader waits for a snapshot; an idle loop should then flush more often."""
        return self._snapshots.is_due

    @property
    def recording_fault(self) -> str:
        """Why the recording stopped, empty while it goes on or when there is none."""
        recording = self._files.recording
        return recording.fault if recording is not None else ""

    def say(self, text: str) -> None:
        """Show the readers, from now on, what is wrong with what they are told; nothing with an empty text."""
        if self._finalizer.alive:
            self._ring.set_text(ring.STATE, text)

    def know_tree(self, known: bool) -> None:
        """Tell the readers whether the records say, from now on, what is in the tree: they do unless this says no."""
        if self._finalizer.alive:
            self._words[ring.TREE_UNKNOWN] = not known

    def spent_besides(self, took_ns: int) -> None:
        """Count time that watching took and that telling less would not make less: it is told, not judged."""
        self._governor.flushed(0, took_ns, took_ns)

    def record_to(self, path: Path) -> None:
        """Start a recording, in place of one that is on; it begins with the state of the cache.

        Raises RecordingError when the file cannot be written. Later faults stop the recording and are told to the
        readers, never to the cache.
        """
        self.stop_recording("another recording was started")
        self._files.recording = RecordingWriter(path, self.config)
        self._ring.set_text(ring.RECORDING_FAULT, "")
        self._snapshots.add_to(self._files.recording)

    def stop_recording(self, reason: str = "") -> None:
        """Close the recording, if one is on."""
        if self._files.recording is not None:
            self._pace.stop()
            self._files.recording.close(reason, self._clock())
            self._files.recording = None

    def close(self, reason: str = "") -> None:
        """Publish what waits and the pools as they are, tell the readers why it ends, and remove the files."""
        if self._finalizer.alive:
            self._pools_due = self._now
            self.flush()
            self._finalizer.detach()
            self._files.close(reason, self._clock)
            self._shut = True

    def _govern(self, cache: Recorded, now: int) -> None:
        """Say what watching costs, and have the cache tell less or more if need be."""
        before = self._governor.detail
        self.records.append(self._governor.judge(now, cache.telling_ns))
        if self._governor.detail != before:
            cache.set_detail(self._governor.detail)

    def _serve_snapshot(self) -> int:
        """Write the next slice of a snapshot, and return how long that took."""
        began = self._spent_clock()
        self._snapshots.serve(self._next_seq)
        return self._spent_clock() - began

    def _publish_all(self, records: list[RawRecord]) -> None:
        if not self._publish(records):
            write_in_parts(records, self._publish, self._drop, self.options.shape.block_words)
        records.clear()

    def _publish(self, run: Sequence[RawRecord]) -> bool:
        block = self._ring.append(run, self._next_seq, self._now)
        if block is None:
            return False
        self._next_seq += len(run)
        recording = self._files.recording
        if recording is not None and not recording.fault and not recording.append(block, run):
            self._ring.set_text(ring.RECORDING_FAULT, recording.fault)
        return True

    def _drop(self) -> None:
        """Leave a number out of the stream for a record that cannot be written, so that readers see a gap."""
        self._next_seq += 1
        self._words[ring.DROPPED] += 1

    def _let_go(self) -> None:
        """In a forked child: the ring and its files are the parent's, so publish and remove nothing."""
        self._finalizer.detach()
        self._shut = True


@dataclass(slots=True)
class _Files:
    """What a recorder must close, apart from the recorder so that its finalizer can hold it."""

    ring: RingWriter
    snapshots: SnapshotWriter
    recording: RecordingWriter | None = None

    def close(self, reason: str, clock: Callable[[], int]) -> None:
        """Close everything."""
        if self.recording is not None:
            self.recording.close(reason, clock())
        self.snapshots.close()
        self.ring.close(reason)


def _let_go(recorder: weakref.ref[FlightRecorder]) -> None:
    alive = recorder()
    if alive is not None:
        alive._let_go()


def _no_pools() -> None:
    """Stand in for the pools of a cache that has none to tell."""


def _full_config(config: Mapping[str, object], rank: int, now: int) -> Mapping[str, object]:
    """Add what this process knows: its pid and rank, and one moment on both of its clocks."""
    epoch = time.time_ns()
    return {**config, "pid": os.getpid(), "rank": rank, "started": epoch, "anchor": [now, epoch]}
