"""How often a node was hit, second by second, from when somebody first looked at it."""

from __future__ import annotations

from collections import deque

SECONDS = 120
"""How far back a history reaches."""

_SECOND = 1_000_000_000


class History:
    """The hits of one node per second, told as a total now and then."""

    def __init__(self) -> None:
        self._hits: deque[int | None] = deque(maxlen=SECONDS)
        self._second = 0
        self._total = -1

    def with_hits(self, now: int, total: int) -> tuple[int | None, ...]:
        """Take in how many hits there are by `now`, and return those of each second, oldest first.

        Seconds in which nobody looked are unknown, and what was hit in them counts for the one after. When time goes
        back, or the count does, the history starts again.
        """
        second = now // _SECOND
        if self._total < 0 or second < self._second or total < self._total:
            self._hits.clear()
            self._hits.append(0)
        else:
            skipped = second - self._second
            self._hits.extend([None] * min(SECONDS, max(0, skipped - 1)))
            if skipped:
                self._hits.append(0)
            self._hits[-1] = (self._hits[-1] or 0) + total - self._total
        self._second, self._total = second, total
        return tuple(self._hits)
