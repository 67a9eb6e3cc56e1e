"""Whether more than one process publishes at an address, so that their batches may be mixed."""

from __future__ import annotations

from collections import deque

_MANY_RESTARTS = 3
_LATE_IN_A_ROW = 64


class Rivals:
    """Remembers for `contested_ns` what tells of two processes: batches that contradict each other, many restarts."""

    def __init__(self, contested_ns: int) -> None:
        self._contested_ns = contested_ns
        self._restarted_at: deque[int] = deque(maxlen=_MANY_RESTARTS)
        self._conflict_at: int | None = None
        self._late_seq, self._late_in_a_row = -1, 0

    def are_there(self, now: int) -> bool:
        """Say whether there seem to be several."""
        times, conflict_at = self._restarted_at, self._conflict_at
        often = len(times) == _MANY_RESTARTS and now - times[0] < self._contested_ns
        return often or (conflict_at is not None and now - conflict_at < self._contested_ns)

    def conflict(self, now: int) -> None:
        """Note a batch that differs from the one of its number."""
        self._conflict_at = now

    def came_late(self, seq: int) -> bool:
        """Note a batch that is flushed too early to be news; say whether so many in a row are of a new process."""
        self._late_in_a_row = self._late_in_a_row + 1 if seq == self._late_seq + 1 else 1
        self._late_seq = seq
        return self._late_in_a_row >= _LATE_IN_A_ROW

    def restart(self, now: int) -> None:
        """Note that another process took over: what spoke for two before is explained by that."""
        self._restarted_at.append(now)
        self._conflict_at = None
        self._late_seq, self._late_in_a_row = -1, 0
