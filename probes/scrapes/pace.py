"""When a server is asked next."""

from __future__ import annotations

from dataclasses import dataclass

RESTS = 5
"""A thread that reads pages rests so many times as long as it reads."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often servers are asked, how long one may take to answer, and how long it is left alone after failures."""

    interval_s: float = 2.0
    deadline_s: float = 5.0
    least_pause_s: float = 1.0
    most_pause_s: float = 30.0

    def wait_s(self, failures: int, took_s: float, read_s: float = 0.0) -> float:
        """Return how long to wait after an answer, or after so many failures in a row.

        Answers come an interval apart, with half an interval between them at least: a slow server is not asked all
        the time. One whose page is so large that it takes long to be read is asked less often. Pauses double.
        """
        rest_s = RESTS * read_s
        if failures:
            return max(rest_s, min(self.most_pause_s, self.least_pause_s * 2.0 ** min(failures - 1, 30)))
        return max(rest_s, self.interval_s / 2, self.interval_s - took_s)
