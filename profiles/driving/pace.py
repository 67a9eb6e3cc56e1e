"""How fast prompts go out and when a run stops."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from cache_core.errors import ConfigError

_SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Pace:
    """At most `concurrency` requests outstanding or, with a `rate_per_s`, random arrivals however many wait.

    A run stops after `requests` requests, follow-ups included, once they are answered, or at `duration_ns`
    whatever is still running. `pondering` is how many conversations wait for their user (see Outbox).
    """

    concurrency: int = 4
    rate_per_s: float | None = None
    requests: int | None = None
    duration_ns: int | None = None
    pondering: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise ConfigError for a pace at which nothing would ever be sent."""
        if self.concurrency < 1:
            raise ConfigError(f"concurrency is {self.concurrency}; at least 1 request must be outstanding")
        if self.rate_per_s is not None and not 0 < self.rate_per_s < float("inf"):
            raise ConfigError(f"the rate is {self.rate_per_s} requests/s; it must be above 0")


class Arrivals:
    """The times at which prompts arrive: a Poisson process of a rate, the same for the same seed."""

    def __init__(self, rate_per_s: float, seed: int, start: int) -> None:
        self._rate_per_s = rate_per_s
        self._rng = Random(f"{seed}/arrivals")
        self.next = start
        self.advance()

    def advance(self) -> None:
        """Move `next`, in ns of the run's clock, to the arrival after it."""
        self.next += round(self._rng.expovariate(self._rate_per_s) * _SECOND_NS)
