"""Keeps what watching costs within a budget: measures it, and has the cache tell less when it is too much.

What a flush takes and what it takes to put changes into records is measured. For the rest, the building of a record
and the two readings of the clock around an operation, the price is calibrated on this machine when a recorder starts.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from cache_core.event_codec import head
from cache_core.events import FULL_DETAIL, SPARSE, Match, ProbeCost, RawRecord

BUDGET = 0.01
"""Watching may take this share of the time of the cache's thread."""

JUDGE_EVERY_NS = 1_000_000_000
OVER_TIMES = 5
"""The median of so many judgements must be too much before less is told. One of them is no reason: a thread that was
interrupted in a flush seems to have spent long in it."""

UNDER_TIMES = 10
"""The median of so many must be below half the budget before more is told again."""

CALIBRATION_RECORDS = 2_000
_COST = head(ProbeCost)
_MATCH = head(Match)


class Governor:
    """Judges once a second, at a flush. `detail` is how much the cache is to tell from now on."""

    def __init__(self, clock: Callable[[], int], budget: float = BUDGET, record_ns: float | None = None) -> None:
        """`record_ns` is what a record costs before its flush; measured here unless it is given."""
        self.detail = FULL_DETAIL
        self.budget = budget
        self._records = self._flush_ns = self._snapshot_ns = 0
        self._record_ns = calibrate() if record_ns is None else record_ns
        self._began = clock()
        self._telling_ns = 0
        self._shares: deque[float] = deque(maxlen=UNDER_TIMES)

    def flushed(self, records: int, took_ns: int, snapshot_ns: int) -> None:
        """Count a flush: the records it published, how long it took, and how much of that went into a snapshot."""
        self._records += records
        self._flush_ns += took_ns
        self._snapshot_ns += snapshot_ns

    def is_due(self, now: int) -> bool:
        """Whether it is time to judge."""
        return now - self._began >= JUDGE_EVERY_NS

    def judge(self, now: int, telling_ns: int) -> RawRecord:
        """Settle `detail` by what was spent, start over, and return the record that says so.

        `telling_ns` is what the cache took to put changes to nodes into records, since it has a sink.
        """
        spent_ns = self._flush_ns + round(self._records * self._record_ns) + telling_ns - self._telling_ns
        elapsed_ns = now - self._began
        self._settle((spent_ns - self._snapshot_ns) / elapsed_ns)  # telling less makes no snapshot cheaper
        self._records = self._flush_ns = self._snapshot_ns = 0
        self._began, self._telling_ns = now, telling_ns
        return (_COST, now, spent_ns, elapsed_ns, self.detail)

    def _settle(self, share: float) -> None:
        shares = self._shares
        shares.append(share)
        latest = sorted(list(shares)[-OVER_TIMES:])
        step = 0
        if len(latest) == OVER_TIMES and latest[OVER_TIMES // 2] > self.budget and self.detail < SPARSE:
            step = 1
        elif len(shares) == UNDER_TIMES and self.detail > FULL_DETAIL:
            step = -(sorted(shares)[UNDER_TIMES // 2] < self.budget / 2)
        if step:
            self.detail += step
            shares.clear()


def calibrate(clock: Callable[[], int] = time.perf_counter_ns) -> float:
    """Return what it takes to time an operation and to append its record, in ns, on this machine now."""
    records: list[RawRecord] = []
    append = records.append
    best = float("inf")
    for _ in range(5):  # the least of several: what else the machine does is not the price of a record
        records.clear()
        began = clock()
        for number in range(CALIBRATION_RECORDS // 5):
            before = clock()
            at = clock()
            append((_MATCH, at, at - before, number, number, number, 0, number, -1, number, number, number, number))
        best = min(best, (clock() - began) / (CALIBRATION_RECORDS // 5))
    return best
