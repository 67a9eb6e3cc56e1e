"""When a recording gets its next snapshot of the tree."""

from __future__ import annotations

EVERY_NS = 30_000_000_000
"""At least so long after the last one, unless told."""

NEVER = 1 << 63
"""A time that does not come."""


class SnapshotPace:
    """Paces the snapshots of one recording, by the clock of its records. None is due before the first is noted.

    A snapshot is due when `every_ns` went by since the last one (0: never), when that one's cost is no more than
    `share` of the time since, and when as many bytes were written as it took: a recording of an idle cache stays
    small, and snapshots are never most of a file.
    """

    __slots__ = ("_bytes_due", "_every_ns", "_share", "due_at")

    def __init__(self, every_ns: int, share: float) -> None:
        self._every_ns = every_ns
        self._share = share
        self._bytes_due = 0
        self.due_at = NEVER

    def stated(self, at: int, written_bytes: int, *, stated_bytes: int = 0, spent_ns: int = 0) -> None:
        """Note when the tree was known, what was written by then, and what of it, and of time, was spent on that."""
        if self._every_ns > 0:
            self.due_at = at + max(self._every_ns, int(spent_ns / self._share))
            self._bytes_due = written_bytes + stated_bytes

    def is_due(self, at: int, written_bytes: int) -> bool:
        """Say whether it is time for the next one."""
        return at >= self.due_at and written_bytes >= self._bytes_due

    def stop(self) -> None:
        """Let none be due until the next one is noted."""
        self.due_at = NEVER
