"""What watching costs the cache's thread, and how much the cache tells."""

from __future__ import annotations

from dataclasses import dataclass

from cache_core.events import FULL_DETAIL, SPARSE, UNTIMED, ProbeCost
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe

DETAILS = {FULL_DETAIL: "full", UNTIMED: "untimed", SPARSE: "sparse"}


@dataclass(frozen=True, slots=True)
class OverheadSample:
    """The share of the thread's time at the last judgement, and on average since the watch began; None before one.

    `detail` is how much the cache tells, one of DETAILS.
    """

    ratio: float | None
    mean_ratio: float | None
    spent_ns: int
    elapsed_ns: int
    detail: str


class Overhead(Probe):
    """Adds up what the recorder says of itself."""

    needs = frozenset({ProbeCost})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._last: ProbeCost | None = None
        self._spent_ns = 0
        self._elapsed_ns = 0

    def folds(self) -> Folds:
        """See Probe."""
        return {ProbeCost: self._judged}

    def sample(self, now: int) -> OverheadSample:
        """See Probe."""
        last = self._last
        return OverheadSample(
            ratio=last.spent_ns / last.elapsed_ns if last else None,
            mean_ratio=self._spent_ns / self._elapsed_ns if last else None,
            spent_ns=self._spent_ns,
            elapsed_ns=self._elapsed_ns,
            detail=DETAILS.get(last.detail, "unknown") if last else "unknown",
        )

    def _judged(self, record: ProbeCost) -> None:
        if record.elapsed_ns > 0 <= record.spent_ns:
            self._last = record
            self._spent_ns += record.spent_ns
            self._elapsed_ns += record.elapsed_ns
