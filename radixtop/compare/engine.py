"""What carries out the jobs of a sweep, and the table of engines.

Results depend on the jobs alone: every engine, with any number of workers, yields the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cache_core.registry import Registry


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job: what it came to, as JSON, or why there is nothing."""

    result: str | None
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """How far a job has come: so many requests, or to its end."""

    job: int
    requests: int
    is_over: bool = False


class SweepEngine(ABC):
    """Carries out jobs on `workers` at a time. `address` is where, for engines that are elsewhere."""

    def __init__(self, workers: int, address: str | None = None) -> None:
        self.workers = workers
        self.address = address

    def require(self) -> None:
        """Raise RadixtopError where what it takes is not installed."""

    @abstractmethod
    def outcomes(self, jobs: Sequence[str], told: Callable[[Step], None]) -> list[Outcome]:
        """Return what became of each job, in their order; `told` hears how far they are, on this thread.

        A job that cannot be carried out has a failure, and the others go on. What was started is ended before this
        returns or raises, KeyboardInterrupt among the errors.
        """


SWEEP_ENGINES: Registry[type[SweepEngine]] = Registry(
    "engine",
    {
        "local": "radixtop.compare.engines.local:LocalEngine",
        "ray": "radixtop.compare.engines.ray:RayEngine",
    },
)
