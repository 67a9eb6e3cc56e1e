"""Which rank of several is unlike the others, in what, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

from probes.builtin.engine import EngineRank, EngineSample
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import RankName

What = Literal["queue", "usage", "hit rate", "cached", "turnover", "throughput"]

FEWEST_RANKS = 2
_TIMES = 2.0
"""A rank with twice as much as the median of the others, or half of it, is unlike them."""

_POINTS = 0.10
"""So is one whose hit rate is ten points away from it."""


@dataclass(frozen=True, slots=True)
class Imbalance:
    """A rank whose `value` is far from `others`: the median of the ranks of its model, or the other one of two."""

    name: RankName
    what: What
    value: float
    others: float


@dataclass(frozen=True, slots=True)
class _Metric:
    """A figure of the metrics of ranks, see _Measure."""

    what: What
    least: float
    of: Callable[[EngineRank], float | None]


@dataclass(frozen=True, slots=True)
class _Measure:
    """What is compared, of each rank that tells it.

    `least` is what one of two has to be at least for a difference to matter.
    """

    what: What
    least: float
    values: Mapping[RankName, float]

    def among(self, names: Collection[RankName]) -> _Measure:
        """Return the same of some ranks alone."""
        return replace(self, values={name: value for name, value in self.values.items() if name in names})

    def matters(self, value: float, others: float) -> bool:
        """Say whether a value is unlike another one, and one of the two is large enough."""
        return max(value, others) >= self.least and _differs(self.what, value, others)


def imbalances(fleet: FleetSample, engine: EngineSample | None = None) -> tuple[Imbalance, ...]:
    """Return what is out of balance, the largest differences first; ranks are compared with those of their model."""
    names_of: dict[str | None, set[RankName]] = {}
    for rank in fleet.ranks:
        names_of.setdefault(rank.state.model, set()).add(rank.name)
    measures = [*_by_events(fleet), *(_by_metrics(fleet, engine) if engine is not None else ())]
    found = [one for measure in measures for names in names_of.values() for one in _unlike(measure.among(names))]
    return tuple(sorted(found, key=_distance, reverse=True))


def _by_events(fleet: FleetSample) -> Iterable[_Measure]:
    """Yield what KV events tell of each rank that is read up to now."""
    joined = [rank for rank in fleet.ranks if rank.state.badge is not None and rank.state.is_read]
    yield _Measure("cached", 1_000, {rank.name: float(rank.state.device_tokens) for rank in joined})
    yield _Measure("turnover", 100, _known({rank.name: rank.removed_tokens_per_s for rank in joined}))


def _by_metrics(fleet: FleetSample, engine: EngineSample) -> Iterable[_Measure]:
    """Yield what the metrics of each rank tell."""
    ranks = {RankName(rank.server, rank.rank): rank for rank in engine.ranks}
    told = [rank.name for rank in fleet.ranks if rank.name in ranks]
    for metric in _METRICS:
        yield _Measure(metric.what, metric.least, _known({name: metric.of(ranks[name]) for name in told}))


def _known(values: Mapping[RankName, float | None]) -> dict[RankName, float]:
    return {name: value for name, value in values.items() if value is not None}


def _unlike(measure: _Measure) -> Iterable[Imbalance]:
    values = measure.values
    if len(values) == FEWEST_RANKS:
        yield from _of_two(measure)
    elif len(values) > FEWEST_RANKS:
        middle = median(values.values())
        for name, value in values.items():
            if measure.matters(value, middle):
                yield Imbalance(name, measure.what, value, middle)


def _of_two(measure: _Measure) -> Iterable[Imbalance]:
    """Yield the one that has more, of hit rate the one that has less: that is where to look."""
    (worse, low), (better, high) = sorted(measure.values.items(), key=lambda one: one[1])
    if not measure.matters(high, low):
        return
    if measure.what == "hit rate":
        yield Imbalance(worse, measure.what, low, high)
    else:
        yield Imbalance(better, measure.what, high, low)


def _differs(what: What, value: float, others: float) -> bool:
    if what == "hit rate":
        return abs(value - others) >= _POINTS
    return value >= _TIMES * others or others >= _TIMES * value


def _distance(one: Imbalance) -> float:
    """Return how far a rank is from the others, to be compared over all measures."""
    if one.what == "hit rate":
        return abs(one.value - one.others) / _POINTS
    low, high = sorted((one.value, one.others))
    return high / max(low, high / 100) / _TIMES


_METRICS = (
    _Metric("queue", 4, lambda rank: rank.gauges.get("waiting_requests")),
    _Metric("hit rate", 0, lambda rank: rank.hit_rate_minute),
    _Metric("usage", 0.5, lambda rank: rank.usage),
    _Metric("throughput", 50, lambda rank: rank.generated_per_s),
)
