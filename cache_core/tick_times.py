"""About when a tick was: a cache counts its operations, and those who join late ask for times."""

from __future__ import annotations

from bisect import bisect_right

MOST_TIMES = 4096
STEP_NS = 10_000_000


class TickTimes:
    """Times of ticks, noted at most every STEP_NS; of more than MOST_TIMES every second one is dropped."""

    __slots__ = ("_ticks", "_times")

    def __init__(self) -> None:
        self._ticks: list[int] = []
        self._times: list[int] = []

    def note(self, tick: int, at: int) -> None:
        """Note that it is `at` (ns) when the tick is `tick`; both only ever grow."""
        times = self._times
        if not times or at - times[-1] >= STEP_NS:
            self._ticks.append(tick)
            times.append(at)
            if len(times) > MOST_TIMES:
                del self._ticks[1:-1:2], times[1:-1:2]

    def of(self, tick: int) -> int:
        """Return about when a tick was, in ns, or -1 if that was before the first note."""
        index = bisect_right(self._ticks, tick)
        return self._times[index - 1] if index else -1
