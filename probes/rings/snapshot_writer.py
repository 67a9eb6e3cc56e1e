"""Answers requests for a snapshot of the tree: a slice at every flush, to a side file, to a recording, or both.

Each slice is a block that states the sequence number it is true at. A snapshot begins and ends with an empty block,
so that its reader knows a whole one. The side file of a snapshot stays until the next one begins.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from cache_core.events import RawRecord
from probes.block_stream import write_all
from probes.blocks import SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END
from probes.recordings.pace import SnapshotPace
from probes.recordings.writer import RecordingWriter
from probes.rings import ring
from probes.rings.folder import side_path
from probes.rings.ring import RingWriter
from probes.rings.slices import snapshot_block, write_slice
from probes.rings.walk import SnapshotSource, SnapshotWalk


class SnapshotWriter:
    """One walk at a time, taken in slices of about `slice_ns` that together use at most `share` of the thread."""

    def __init__(
        self, out: RingWriter, slice_ns: int, share: float, pace: SnapshotPace, clock: Callable[[], int]
    ) -> None:
        self.source: SnapshotSource | None = None
        self._ring = out
        self._slice_ns = slice_ns
        self._pause = 1 / share - 1
        self._clock = clock
        self._walk: SnapshotWalk | None = None
        self._number = 0
        self._not_before = 0
        self._pace = pace
        self._spent_ns = 0
        self._stated_bytes = 0
        self._waiting_recording: RecordingWriter | None = None
        self._recording: RecordingWriter | None = None
        self._paced_recording: RecordingWriter | None = None
        self._side_path: Path | None = None
        self._side_fd = -1

    @property
    def is_due(self) -> bool:
        """Whether someone waits for a snapshot or for the rest of one."""
        if self.source is None:
            return False
        waiting = self._walk is not None or self._waiting_recording is not None
        return waiting or self._ring.words[ring.REQUESTED] != self._number

    def add_to(self, recording: RecordingWriter) -> None:
        """Let the next snapshot go to `recording`, and more of them at its pace."""
        self._pace.stop()
        self._waiting_recording = recording

    def remind(self, now: int) -> None:
        """Let the next snapshot go to the last recording again, if it is time for that."""
        recording = self._paced_recording
        if recording is not None and self._pace.is_due(now, recording.size_bytes):
            self.add_to(recording)

    def serve(self, next_seq: int) -> None:
        """Write the next slice, true at `next_seq`, if it is due. Never raises: a snapshot that fails is given up."""
        if not self.is_due or self._clock() < self._not_before:
            return
        started = self._clock()
        try:
            walk = self._walk or self._begin(next_seq)
            self._write_slice(walk, next_seq)
        except OSError as error:
            self._give_up(f"no room for a snapshot: {error.strerror}")
        now = self._clock()
        self._spent_ns += now - started
        self._not_before = now + int((now - started) * self._pause)
        if self._walk is None and self._recording is not None:
            size_bytes, stated_bytes = self._recording.size_bytes, self._stated_bytes
            self._pace.stated(now, size_bytes, stated_bytes=stated_bytes, spent_ns=self._spent_ns)
            self._paced_recording, self._recording = self._recording, None

    def close(self) -> None:
        """Give up the walk and remove the side file."""
        self._walk = self._recording = None
        self._pace.stop()
        self.source = None
        self._close_side_file()
        if self._side_path is not None:
            self._side_path.unlink(missing_ok=True)

    def _begin(self, next_seq: int) -> SnapshotWalk:
        assert self.source is not None
        requested = self._ring.words[ring.REQUESTED]
        self._recording, self._waiting_recording = self._waiting_recording, None
        if requested != self._number:
            self._number = requested
            self._open_side_file(requested)
        self._spent_ns = self._stated_bytes = 0
        self._walk = SnapshotWalk(self.source, self._clock)
        self._write(SNAPSHOT_BEGIN, next_seq, [])
        if self._side_fd >= 0:
            self._ring.words[ring.BEGUN] = requested
        return self._walk

    def _write_slice(self, walk: SnapshotWalk, next_seq: int) -> None:
        write_slice(walk.slice(self._slice_ns), partial(self._write, SLICE, next_seq), self._drop)
        if walk.fault:
            self._give_up(walk.fault)
        elif walk.finished:
            self._write(SNAPSHOT_END, next_seq, [])
            self._finish(ring.FINISHED)

    def _write(self, kind: int, next_seq: int, run: Sequence[RawRecord]) -> bool:
        block = snapshot_block(kind, run, next_seq, self._clock())
        if block is None:
            return False
        if self._side_fd >= 0:
            write_all(self._side_fd, block)
        if self._recording is not None:
            self._record(self._recording, block)
        return True

    def _record(self, recording: RecordingWriter, block: bytes) -> None:
        if recording.append(block):
            self._stated_bytes += len(block)
        else:
            self._ring.set_text(ring.RECORDING_FAULT, recording.fault)
            self._recording = None

    def _drop(self) -> None:
        self._ring.words[ring.DROPPED] += 1

    def _give_up(self, fault: str) -> None:
        self._ring.set_text(ring.SNAPSHOT_FAULT, fault)
        self._finish(ring.FAILED)

    def _finish(self, word: int) -> None:
        self._ring.words[word] = self._number
        self._walk = None
        self._close_side_file()

    def _open_side_file(self, number: int) -> None:
        if self._side_path is not None:
            self._side_path.unlink(missing_ok=True)
        self._side_path = side_path(self._ring.path.parent, self._ring.pid, self._ring.rank, number)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        self._side_fd = os.open(self._side_path, flags, 0o600)

    def _close_side_file(self) -> None:
        if self._side_fd >= 0:
            os.close(self._side_fd)
            self._side_fd = -1
