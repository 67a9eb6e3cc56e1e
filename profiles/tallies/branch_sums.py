"""Sums over branching points, and the points that rank highest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from probes.histogram import Histogram
from probes.prefill_rate import PrefillRate
from profiles.tallies.best import Best
from profiles.tallies.branch_point import LOST, BranchPoint, Outcome
from profiles.tallies.distribution import Distribution, distribution

MOST_POINTS = 10_000
"""How many points that ended are kept; sums count them all."""

Sort = Literal["gap", "saved", "time"]


@dataclass(frozen=True, slots=True)
class BranchingReport:
    """Sums over all points, and those that rank highest by `sort`; `points_left_out` others are in the sums alone.

    `gap_tokens` were computed again at these points, `recomputed_tokens` in all, with the gaps that no point could
    have closed, None where the source does not tell full hits. `outcomes` counts how points ended; `open_now` and
    `kept` are those still there at the end.
    """

    sort: str
    opened: int
    filled: int
    lost: int
    open_now: int
    kept: int
    outcomes: Mapping[str, int]
    gap_tokens: int
    recomputed_tokens: int | None
    later_requests: int
    saved_tokens: int
    saved_ms: float | None
    prefill_tokens_per_s: float | None
    prefill_steps: int
    prefill_alone: bool
    fill_delay_ns: Distribution
    kept_ns: Distribution
    points_left_out: int
    points: tuple[BranchPoint, ...]


class BranchSums:
    """Counts points as they are opened, filled, used and ended; `rate` is told of the engine's steps."""

    def __init__(self, sort: Sort, top: int | None) -> None:
        self._sort = sort
        self._top = MOST_POINTS if top is None else min(top, MOST_POINTS)
        self._ended: Best[BranchPoint] = Best(MOST_POINTS, self._rank)
        self._outcomes: Counter[Outcome] = Counter()
        self._opened = self._filled = self._gap_tokens = self._later = self._saved_tokens = 0
        self._delays, self._kept_ns = Histogram(), Histogram()
        self._recomputed_tokens: int | None = 0
        self.rate = PrefillRate()

    def missed(self, gap_tokens: int | None) -> None:
        """Count what a request computed again, at a point or where there was none; None where that is not told."""
        total = self._recomputed_tokens
        self._recomputed_tokens = None if total is None or gap_tokens is None else total + gap_tokens

    def opened(self, point: BranchPoint) -> None:
        """Count a point that a request met."""
        self._opened += 1
        self._gap_tokens += point.gap_tokens

    def filled(self, delay_ns: int) -> None:
        """Count a point that was filled so long after it was met."""
        self._filled += 1
        self._delays.add(delay_ns)

    def used(self, point: BranchPoint) -> None:
        """Count a later request that landed on a point."""
        self._later += 1
        self._saved_tokens += point.saves_tokens

    def ended(self, point: BranchPoint, ended_ns: int) -> None:
        """Count a point that came to its end, and keep it if it ranks high."""
        self._outcomes[point.outcome] += 1
        if point.filled_ns is not None:
            self._kept_ns.add(ended_ns - point.filled_ns)
        self._ended.add(replace(point, ended_ns=ended_ns))

    def report(self, alive: Iterable[BranchPoint]) -> BranchingReport:
        """Return what was counted, with the points that have not ended."""
        best: Best[BranchPoint] = Best(self._top, self._rank)
        for point in self._ended.values():
            best.add(point)
        outcomes = Counter(self._outcomes)
        for point in alive:
            best.add(point)
            outcomes[point.outcome] += 1
        points, rate = best.values(), self.rate.tokens_per_s
        return BranchingReport(
            sort=self._sort,
            opened=self._opened,
            filled=self._filled,
            lost=sum(count for outcome, count in outcomes.items() if outcome in LOST),
            open_now=outcomes["open"],
            kept=outcomes["kept"],
            outcomes=dict(outcomes.most_common()),
            gap_tokens=self._gap_tokens,
            recomputed_tokens=self._recomputed_tokens,
            later_requests=self._later,
            saved_tokens=self._saved_tokens,
            saved_ms=_ms(self._saved_tokens, rate),
            prefill_tokens_per_s=rate,
            prefill_steps=self.rate.steps,
            prefill_alone=self.rate.alone,
            fill_delay_ns=distribution(self._delays),
            kept_ns=distribution(self._kept_ns),
            points_left_out=self._opened - len(points),
            points=tuple(replace(point, saved_ms=_ms(point.saved_tokens, rate)) for point in points),
        )

    def _rank(self, point: BranchPoint) -> int:
        if self._sort == "time":
            return -point.opened_ns
        return point.gap_tokens if self._sort == "gap" else point.saved_tokens


def _ms(tokens: int, tokens_per_s: float | None) -> float | None:
    return None if tokens_per_s is None else tokens * 1e3 / tokens_per_s
