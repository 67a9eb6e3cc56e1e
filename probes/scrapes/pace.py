"""When a server is asked next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pace:
    """How often servers are asked, how long one may take to answer, and how long it is left alone after failures."""

    interval_s: float = 2.0
    deadline_s: float = 5.0
    least_pause_s: float = 1.0
    most_pause_s: float = 30.0

    def wait_s(self, failures: int, took_s: float) -> float:
        """Return how long to wait after an answer, or after so many failures in a row.

        Answers come an interval apart, with half an interval between them at least: a slow server is not asked all
        the time. Pauses double.
        """
        if failures:
            return min(self.most_pause_s, self.least_pause_s * 2.0 ** min(failures - 1, 30))
        return max(self.interval_s / 2, self.interval_s - took_s)
