"""A clock that stands still until it is told how much time passed."""

from __future__ import annotations

START_NS = 1_000_000_000
"""Where it begins: to many readers of records a time of 0 is none."""


class VirtualClock:
    """The time of a run in which nothing waits. Call it for the ns, like `time.perf_counter_ns`."""

    __slots__ = ("now",)

    def __init__(self, now: int = START_NS) -> None:
        self.now = now

    def __call__(self) -> int:
        """Return the time."""
        return self.now

    def idle(self, seconds: float) -> None:
        """Let so much time pass at once."""
        self.now += round(seconds * 1e9)

    def advance_to(self, at: int) -> None:
        """Let time pass until `at`; time never goes back."""
        if at > self.now:
            self.now = at
