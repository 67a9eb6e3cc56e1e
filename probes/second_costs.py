"""The middle and the most of what came in each second of the last minute."""

from __future__ import annotations

from probes.window import HISTORY_SECONDS, SECOND_NS

MOST_KEPT = 512
"""How many values of a second its middle is read off; of more it is one in so many. The most counts them all."""

Points = tuple[float | None, ...]


class SecondCosts:
    """Keeps the values of the running second, and of the seconds before it what they came to.

    A value that comes late, for a second that is over, counts in the running one.
    """

    __slots__ = ("_highest", "_middles", "_mosts", "_newest", "_seen", "_stride", "_values")

    def __init__(self) -> None:
        self._newest = -1
        self._values: list[int] = []
        self._seen = 0
        self._stride = 1
        self._highest = 0
        self._middles: dict[int, float] = {}
        self._mosts: dict[int, float] = {}

    def add(self, at: int, value: int) -> None:
        """Take a value of the second that `at` lies in."""
        second = at // SECOND_NS
        if second > self._newest:
            self._close()
            self._newest = second
        self._seen += 1
        self._highest = max(self._highest, value)
        if self._seen % self._stride == 0:
            self._values.append(value)
            if len(self._values) > MOST_KEPT:
                self._values = self._values[1::2]
                self._stride *= 2

    def history(self, now: int) -> tuple[Points, Points]:
        """Return a minute of middles and of mosts, oldest first, the running second last; None where nothing came."""
        last = now // SECOND_NS
        seconds = range(last - HISTORY_SECONDS + 1, last + 1)
        running = {self._newest: self._middle()} if self._seen else {}
        highest = {self._newest: float(self._highest)} if self._seen else {}
        middles, mosts = self._middles | running, self._mosts | highest
        return tuple(map(middles.get, seconds)), tuple(map(mosts.get, seconds))

    def _close(self) -> None:
        """Note what the running second came to, and forget those that are too old to be shown."""
        if self._seen:
            self._middles[self._newest] = self._middle()
            self._mosts[self._newest] = float(self._highest)
        while len(self._middles) > HISTORY_SECONDS:
            oldest = next(iter(self._middles))
            del self._middles[oldest], self._mosts[oldest]
        self._values.clear()
        self._seen, self._stride, self._highest = 0, 1, 0

    def _middle(self) -> float:
        return float(sorted(self._values)[(len(self._values) - 1) // 2])
