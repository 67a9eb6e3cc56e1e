"""When a tape states the tree again, so that who reads the file need not start at its beginning to be anywhere."""

from __future__ import annotations

EVERY_NS = 30_000_000_000
"""At least so long after the last statement."""

SHARE = 0.05
"""And not before the last one's cost is no more of the tape's time since than this."""


class StatementPace:
    """Paces statements by the time of the stream. They are never most of a file: as many bytes come between."""

    __slots__ = ("_due_at", "_every_ns", "_share", "_since_bytes", "_stated_bytes")

    def __init__(self, every_ns: int = EVERY_NS, share: float = SHARE) -> None:
        self._every_ns = every_ns
        self._share = share
        self._due_at: int | None = None
        self._since_bytes = 0
        self._stated_bytes = 0

    def add(self, size: int) -> None:
        """Count a block of records."""
        self._since_bytes += size

    def stated(self, at: int, spent_ns: int, size: int) -> None:
        """Note that the tree was told until `at`, what that cost and how long it is."""
        self._due_at = at + max(self._every_ns, int(spent_ns / self._share))
        self._since_bytes = 0
        self._stated_bytes = size

    def is_due(self, at: int) -> bool:
        """Say whether it is time; the first call begins the count."""
        if self._due_at is None:
            self._due_at = at + self._every_ns
        return at >= self._due_at and self._since_bytes >= self._stated_bytes
