"""Rolling figures over the last minute in buckets of one second.

Time comes with the records and with the caller's `now`; nothing here reads a clock. A record may come a little
late: it counts in its own second as long as that second is still kept. One that is older than that is left out.
"""

from __future__ import annotations

SECOND_NS = 1_000_000_000
HISTORY_SECONDS = 60
_KEPT_SECONDS = HISTORY_SECONDS + 1  # the running second and a minute of whole ones before it


class Counters:
    """A row of counters per second. The caller adds into the row of a record's time."""

    __slots__ = ("_columns", "_first_at", "_newest", "_newest_row", "_rows")

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._rows = [[0] * columns for _ in range(_KEPT_SECONDS)]
        self._newest = -1
        self._newest_row = self._rows[0]
        self._first_at: int | None = None

    def row(self, at: int) -> list[int]:
        """Return the counters of the second that `at` lies in, to be added into."""
        second = at // SECOND_NS
        if second == self._newest:
            return self._newest_row
        return self._turn(at, second)

    def spread(self, since: int, until: int, column: int, amount: int) -> None:
        """Add `amount` evenly over the seconds from `since` to `until`, whole numbers to each."""
        first, last = since // SECOND_NS, until // SECOND_NS
        seconds = last - first + 1
        for second in range(max(first, last - _KEPT_SECONDS + 1), last + 1):
            passed = second - first
            share = amount * (passed + 1) // seconds - amount * passed // seconds
            self.row(max(since, second * SECOND_NS))[column] += share

    def sums(self, now: int, seconds: int) -> list[int]:
        """Return the sums over the newest `seconds` seconds, the running one among them."""
        last = now // SECOND_NS
        rows = [self._at(second) for second in range(last - seconds + 1, last + 1)]
        return [sum(column) for column in zip(*rows, strict=True)]

    def history(self, now: int) -> list[list[int]]:
        """Return a minute of rows, oldest first, the running second last."""
        last = now // SECOND_NS
        return [self._at(second) for second in range(last - HISTORY_SECONDS + 1, last + 1)]

    def rates(self, now: int, column: int) -> tuple[float | None, ...]:
        """Return a minute of whole seconds' sums, oldest first; None before the first record."""
        last = now // SECOND_NS
        first = last if self._first_at is None else self._first_at // SECOND_NS
        seconds = range(last - HISTORY_SECONDS, last)
        return tuple(float(self._at(second)[column]) if second >= first else None for second in seconds)

    def rate_per_s(self, now: int, column: int, seconds: int) -> float | None:
        """Return the mean over the newest `seconds` seconds; None until there is a second to judge by."""
        if self._first_at is None:
            return None
        start = max(self._first_at, (now // SECOND_NS - seconds + 1) * SECOND_NS)
        elapsed = now - start
        if now - self._first_at < SECOND_NS or elapsed <= 0:
            return None
        return self.sums(now, seconds)[column] * SECOND_NS / elapsed

    def _at(self, second: int) -> list[int]:
        if self._newest - _KEPT_SECONDS < second <= self._newest:
            return self._rows[second % _KEPT_SECONDS]
        return [0] * self._columns

    def _turn(self, at: int, second: int) -> list[int]:
        if second <= self._newest:
            return self._at(second)  # a row that is not kept is a blank one that nobody reads
        if self._first_at is None:
            self._first_at = at
        for passed in range(max(self._newest + 1, second - _KEPT_SECONDS + 1), second + 1):
            self._rows[passed % _KEPT_SECONDS][:] = [0] * self._columns
        self._newest = second
        self._newest_row = self._rows[second % _KEPT_SECONDS]
        return self._newest_row


class Gauge:
    """The last value of each second; a second without one keeps the value before it."""

    __slots__ = ("_newest", "_value", "_values")

    def __init__(self) -> None:
        self._values: list[float | None] = [None] * _KEPT_SECONDS
        self._newest = -1
        self._value: float | None = None

    def set(self, at: int, value: float) -> None:
        """State the value as of `at`."""
        second = at // SECOND_NS
        if second > self._newest:
            for passed in range(max(self._newest + 1, second - _KEPT_SECONDS + 1), second):
                self._values[passed % _KEPT_SECONDS] = self._value
            self._newest = second
        elif second <= self._newest - _KEPT_SECONDS:
            return
        self._values[second % _KEPT_SECONDS] = value
        if second == self._newest:
            self._value = value

    def history(self, now: int) -> tuple[float | None, ...]:
        """Return a minute of values, oldest first, the running second last; None before the first one."""
        last = now // SECOND_NS
        return tuple(self._at(second) for second in range(last - HISTORY_SECONDS + 1, last + 1))

    def _at(self, second: int) -> float | None:
        if second > self._newest:
            return self._value
        return self._values[second % _KEPT_SECONDS] if second > self._newest - _KEPT_SECONDS else None


def ratios(rows: list[list[int]], over: int, under: int) -> tuple[float | None, ...]:
    """Return column `over` divided by column `under` for each row; None where the latter is 0."""
    return tuple(row[over] / row[under] if row[under] else None for row in rows)
