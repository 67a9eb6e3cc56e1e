"""Which rank of several is unlike the others, in what, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
class _Measure:
    """What is compared: `least` is what one of the two has to be at least for a difference to matter."""

    what: What
    least: float
    of: Callable[[EngineRank], float | None]


def imbalances(fleet: FleetSample, engine: EngineSample | None = None) -> tuple[Imbalance, ...]:
    """Return what is out of balance, the largest differences first; ranks are compared with those of their model."""
    models = {rank.name: rank.state.model for rank in fleet.ranks}
    measured = [*_told(fleet)]
    if engine is not None:
        measured += [(measure.what, measure.least, _values(measure, engine, models)) for measure in _MEASURES]
    found = [
        one
        for what, least, values in measured
        for model in dict.fromkeys(models.values())
        for one in _unlike(what, least, {name: value for name, value in values.items() if models[name] == model})
    ]
    return tuple(sorted(found, key=_distance, reverse=True))


def _told(fleet: FleetSample) -> Iterable[tuple[What, float, dict[RankName, float]]]:
    """Return what KV events tell of each rank."""
    joined = [rank for rank in fleet.ranks if rank.state.badge is not None]
    yield "cached", 1_000, {rank.name: float(rank.state.device_tokens) for rank in joined}
    rates = {rank.name: rank.removed_tokens_per_s for rank in joined}
    yield "turnover", 100, {name: rate for name, rate in rates.items() if rate is not None}


def _values(measure: _Measure, engine: EngineSample, names: Iterable[RankName]) -> dict[RankName, float]:
    """Return what the metrics of each rank say."""
    ranks: Mapping[RankName, EngineRank] = {RankName(rank.server, rank.rank): rank for rank in engine.ranks}
    told = {name: measure.of(ranks[name]) for name in names if name in ranks}
    return {name: value for name, value in told.items() if value is not None}


def _unlike(what: What, least: float, values: Mapping[RankName, float]) -> Iterable[Imbalance]:
    if len(values) == FEWEST_RANKS:
        yield from _of_two(what, least, *values.items())
    elif len(values) > FEWEST_RANKS:
        middle = median(values.values())
        for name, value in values.items():
            if _matters(what, least, value, middle):
                yield Imbalance(name, what, value, middle)


def _of_two(what: What, least: float, *both: tuple[RankName, float]) -> Iterable[Imbalance]:
    """Yield the one that has more, of hit rate the one that has less: that is where to look."""
    (_, low), (_, high) = (worse, better) = sorted(both, key=lambda one: one[1])
    if _matters(what, least, high, low):
        yield Imbalance(worse[0], what, low, high) if what == "hit rate" else Imbalance(better[0], what, high, low)


def _matters(what: What, least: float, value: float, others: float) -> bool:
    return max(value, others) >= least and _differs(what, value, others)


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


_MEASURES = (
    _Measure("queue", 4, lambda rank: rank.gauges.get("waiting_requests")),
    _Measure("hit rate", 0, lambda rank: rank.hit_rate_minute),
    _Measure("usage", 0.5, lambda rank: rank.usage),
    _Measure("throughput", 50, lambda rank: rank.generated_per_s),
)
