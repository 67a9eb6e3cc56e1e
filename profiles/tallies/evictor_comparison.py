"""Two ways to find victims, compared call by call on the same operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probes.histogram import Histogram
from profiles.tallies.leaf_costs import CostCloud, LeafCosts, bin_of, edges_of


@dataclass(frozen=True, slots=True)
class LeafRatio:
    """The calls that found [low, high) evictable leaves: how many times as much a rebuild cost, of each call.

    The costs are medians in ns per call.
    """

    low: int
    high: int
    calls: int
    rebuild_ns: float
    incremental_ns: float
    ratio_p50: float
    ratio_p90: float


@dataclass(frozen=True, slots=True)
class EvictorComparison:
    """The same operations with both evictors. `calls` are those that both made and that took a victim.

    `first_difference` is the first call that did not pick the same victims in the same order, None when there was
    none. `hit_agreement` is the share of the recorded hit tokens that the replay hits as well; `refused` operations
    could not be replayed. `whole` says that the stream was replayed to its end and not only as long as was allowed.
    """

    calls: int
    victims: int
    first_difference: int | None
    whole: bool
    requests: int
    operations: int
    refused: int
    recorded_tokens: int
    hit_tokens: int
    hit_agreement: float | None
    rebuild_ns: int
    incremental_ns: int
    rebuild: CostCloud
    incremental: CostCloud
    ratios: tuple[LeafRatio, ...]


@dataclass(frozen=True, slots=True)
class Calls:
    """What an evictor did in each call, a number per call in every column."""

    leaves: Sequence[int]
    victims: Sequence[int]
    ns: Sequence[int]
    build_ns: Sequence[int]
    picks: Sequence[int]


class _Ratio:
    __slots__ = ("incremental", "ratio", "rebuild")

    def __init__(self) -> None:
        self.rebuild, self.incremental, self.ratio = Histogram(), Histogram(), Histogram()


_PARTS = 1000
"""Ratios are counted in thousandths."""


def clouds(rebuild: Calls, incremental: Calls) -> tuple[CostCloud, CostCloud, tuple[LeafRatio, ...]]:
    """Return the cost of a victim with both evictors, and the ratios call by call, against evictable leaves."""
    costs = LeafCosts(), LeafCosts()
    bins: dict[int, _Ratio] = {}
    for place in range(min(len(rebuild.ns), len(incremental.ns))):
        leaves, victims = rebuild.leaves[place], rebuild.victims[place]
        slow, fast = rebuild.ns[place], incremental.ns[place]
        if victims <= 0 or victims != incremental.victims[place] or slow <= 0 or fast <= 0:
            continue
        costs[0].add(leaves, victims, slow, rebuild.build_ns[place])
        costs[1].add(leaves, victims, fast, incremental.build_ns[place])
        into = bins.setdefault(bin_of(leaves), _Ratio())
        into.rebuild.add(slow)
        into.incremental.add(fast)
        into.ratio.add(slow * _PARTS // fast)
    ratios = tuple(_frozen(place, into) for place, into in sorted(bins.items()))
    return costs[0].cloud(), costs[1].cloud(), ratios


def first_difference(rebuild: Calls, incremental: Calls) -> int | None:
    """Return the first call that did not pick the same victims, or None."""
    pairs = zip(rebuild.picks, incremental.picks, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), None)


def _frozen(place: int, into: _Ratio) -> LeafRatio:
    low, high = edges_of(place)
    slow, fast = into.rebuild.quantile(0.5), into.incremental.quantile(0.5)
    p50, p90 = into.ratio.quantile(0.5), into.ratio.quantile(0.9)
    assert slow is not None and fast is not None and p50 is not None and p90 is not None
    return LeafRatio(low, high, into.ratio.count, slow, fast, p50 / _PARTS, p90 / _PARTS)
