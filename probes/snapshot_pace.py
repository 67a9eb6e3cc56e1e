"""When a recording gets its next snapshot of the tree."""

from __future__ import annotations

from probes.recording_writer import RecordingWriter

NEVER = 1 << 63
"""A time that does not come."""

_RETRY_NS = 1_000_000_000


class SnapshotPace:
    """Paces the snapshots of one recording: `every_ns`, but none before the thread has the time for it again.

    A snapshot is due when `every_ns` went by since the last one, when that one's cost is no more than `share` of the
    time since, and when as many bytes of records were written as it took: a recording of an idle cache stays small,
    and snapshots are never most of a file.
    """

    def __init__(self, every_ns: int, share: float) -> None:
        self._every_ns = every_ns
        self._share = share
        self._recording: RecordingWriter | None = None
        self._size_due = 0
        self.due_at = NEVER

    def ended(self, recording: RecordingWriter, spent_ns: int, stated_bytes: int, now: int) -> None:
        """Note that a snapshot went to `recording`, what it cost and how long it is; the next one is due later."""
        if self._every_ns > 0 and not recording.fault:
            self._recording = recording
            self.due_at = now + max(self._every_ns, int(spent_ns / self._share))
            self._size_due = recording.size_bytes + stated_bytes

    def stop(self) -> None:
        """Forget the recording."""
        self._recording = None
        self.due_at = NEVER

    def claim(self, now: int) -> RecordingWriter | None:
        """Return the recording if its next snapshot is due at `now`, which is then the caller's to take."""
        recording = self._recording
        if recording is None or now < self.due_at:
            return None
        if recording.size_bytes < self._size_due:
            self.due_at = now + _RETRY_NS
            return None
        self.stop()
        return recording
