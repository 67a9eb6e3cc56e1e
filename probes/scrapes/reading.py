"""From a page to the figures of each rank, by the table of its engine."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from probes.ranks import MOST_RANKS
from probes.scrapes.buckets import Buckets, cumulative
from probes.scrapes.figures import SERVER, EngineFigures
from probes.scrapes.metric import EngineMetrics, Selector
from probes.scrapes.page import Page, Series
from probes.scrapes.plausible import set_aside
from probes.scrapes.pools import completed
from probes.scrapes.roles import ROLES

MOST_BOUNDS = 256

_SWITCHES = {"True": 1.0, "False": 0.0}
_PID, _TP_LABEL = "pid", "tp_rank"


@dataclass(frozen=True, slots=True)
class Origin:
    """Whose page it is, and what is known of the server from elsewhere: how many ranks of each kind it has.

    `server` is the name that readers know it by.
    """

    server: str
    dp_ranks: int | None = None
    tp_ranks: int | None = None


def read_figures(page: Page, metrics: EngineMetrics, origin: Origin, at: int) -> list[EngineFigures]:
    """Return what a page tells of each data-parallel rank, by rank, as of `at` (ns of the reader's clock).

    Where there are several ranks, what has no rank is of the server, before them all.
    """
    by_rank = _Ranks(page, metrics, origin).families()
    return [
        _figures_of(families, metrics, origin, rank, at) for rank, families in sorted(by_rank.items()) if families
    ]


Families = dict[str, list[Series]]


class _Ranks:
    """Sorts the series of a page by data-parallel rank."""

    def __init__(self, page: Page, metrics: EngineMetrics, origin: Origin) -> None:
        self._page = page
        self._label = metrics.rank_label
        told = {self._rank(series) for family in page.families.values() for series in family} - {None}
        ranks = sorted(rank for rank in told if rank is not None)[:MOST_RANKS]
        self._ranks = frozenset(ranks)
        several = len(ranks) > 1 or (origin.dp_ranks or 1) > 1
        self._of_none = SERVER if several else ranks[0] if ranks else 0

    def families(self) -> dict[int, Families]:
        """Return the families of each rank."""
        by_rank: dict[int, Families] = {}
        for name, family in self._page.families.items():
            for series in family:
                rank = self._of_none if self._label not in series.labels else self._rank(series)
                if rank == self._of_none or rank in self._ranks:
                    assert rank is not None
                    by_rank.setdefault(rank, {}).setdefault(name, []).append(series)
        return by_rank

    def _rank(self, series: Series) -> int | None:
        return _ordinal(series.labels.get(self._label, ""))


def _figures_of(families: Families, metrics: EngineMetrics, origin: Origin, rank: int, at: int) -> EngineFigures:
    counters: dict[str, float] = {}
    gauges: dict[str, float] = {}
    histograms: dict[str, Buckets] = {}
    is_inexact = False
    for role in metrics.roles:
        if ROLES[role].kind == "histogram":
            if (buckets := _histogram(families, metrics, role)) is not None:
                histograms[role] = buckets
        elif (told := _number(families, metrics, role, origin)) is not None:
            (counters if ROLES[role].kind == "counter" else gauges)[role] = told.number
            is_inexact |= told.is_inexact
    impossible = set_aside(counters, gauges, histograms=histograms)
    return EngineFigures(
        at, origin.server, metrics.engine, rank,
        MappingProxyType(counters), MappingProxyType(completed(gauges, metrics.null_pages)),
        MappingProxyType(histograms), ((_INEXACT,) if is_inexact else ()) + impossible,
    )  # fmt: skip


_INEXACT = "this version counts evicted and moved tokens once for each tensor-parallel rank"


class _Told(NamedTuple):
    """A figure, and whether it counts tensor-parallel ranks of which nobody said how many there are."""

    number: float
    is_inexact: bool


def _number(families: Families, metrics: EngineMetrics, role: str, origin: Origin) -> _Told | None:
    """Return the first figure that is told for a role."""
    for selector in metrics.roles[role]:
        family = families.get(metrics.prefix + selector.name)
        number = _value(family, metrics, role, selector) if family else None
        if not family or number is None:
            continue
        if selector.merges_ranks and _TP_LABEL not in family[0].labels:
            return _Told(number / (origin.tp_ranks or 1), origin.tp_ranks is None)
        return _Told(number, is_inexact=False)
    return None


def _value(family: list[Series], metrics: EngineMetrics, role: str, selector: Selector) -> float | None:
    """Return what the series of a metric tell; None when that is not known.

    Counters add up. A gauge is told once; where another series lingers, as of a model that was served before, the
    larger one is more likely of now.
    """
    if selector.reads_label:
        return next(
            (number for series in family if (number := _read(series.labels.get(selector.reads_label))) is not None),
            None,
        )
    is_counter = ROLES[role].kind == "counter"
    series = _picked(family, selector)
    if not series:
        told = selector.absent_is_zero and any(selector.label in each.labels for each in family)
        return 0.0 if told else None
    if ROLES[role].unit != "bytes":
        series = _one_shard(series, metrics.shard_labels)
    if is_counter:
        return _finite_sum(series) if all(each.value >= 0 for each in series) else None
    return max((each.value for each in _newest_process(series) if math.isfinite(each.value)), default=None)


def _picked(family: Iterable[Series], selector: Selector) -> list[Series]:
    """Return the series that count for a selector."""
    if not selector.label:
        return [*family]
    return [each for each in family if (each.labels.get(selector.label, "") in selector.values) != selector.others]


def _one_shard(family: list[Series], shard_labels: tuple[str, ...]) -> list[Series]:
    """Return the series of the first tensor- and pipeline-parallel rank: all tell the same."""
    if not shard_labels or len(family) < 2:
        return family
    shards = [tuple(_order(each.labels.get(label, "0")) for label in shard_labels) for each in family]
    first = min(shards)
    return [each for each, shard in zip(family, shards, strict=True) if shard == first]


def _newest_process(family: list[Series]) -> list[Series]:
    """Return the series of the process that started last; those of dead ones linger. Process ids count up."""
    if not any(_PID in each.labels for each in family):
        return family
    pids = [_order(each.labels.get(_PID, "")) for each in family]
    known = [pid for pid in pids if pid < math.inf]
    newest = max(known, default=math.inf)
    return [each for each, pid in zip(family, pids, strict=True) if pid == newest]


def _histogram(families: Families, metrics: EngineMetrics, role: str) -> Buckets | None:
    """Return the first histogram that is told for a role."""
    told = (_buckets(families, metrics, role, selector) for selector in metrics.roles[role])
    return next((buckets for buckets in told if buckets is not None), None)


def _buckets(families: Families, metrics: EngineMetrics, role: str, selector: Selector) -> Buckets | None:
    """Return the values of all series of a histogram."""
    buckets, sums, counts = (families.get(name, []) for name in metrics.names(role, selector))
    told: dict[float, float] = {}
    for series in _one_shard(_picked(buckets, selector), metrics.shard_labels):
        bound = _bound(series.labels.get("le", ""))
        if bound is None or not math.isfinite(series.value) or series.value < 0:
            return None
        told[bound] = told.get(bound, 0.0) + series.value
    if len(told) > MOST_BOUNDS or not all(map(math.isfinite, told.values())):
        return None
    total = _total(sums, metrics, selector)
    return cumulative(told, _total(counts, metrics, selector), total)


def _total(family: list[Series], metrics: EngineMetrics, selector: Selector) -> float | None:
    return _finite_sum(_one_shard(_picked(family, selector), metrics.shard_labels))


def _finite_sum(family: list[Series]) -> float | None:
    """Return the sum of some series; None when there are none, or it is no finite number."""
    total = sum(each.value for each in family)
    return total if family and math.isfinite(total) else None


def _bound(text: str) -> float | None:
    """Return the upper bound that a bucket's label tells; None for what is no number."""
    try:
        bound = float(text)
    except ValueError:
        return None
    return None if math.isnan(bound) or bound == -math.inf else bound


def _read(text: str | None) -> float | None:
    """Return the number or the switch that a label tells; None for what is neither."""
    if text is None or text in _SWITCHES:
        return None if text is None else _SWITCHES[text]
    number = _ordinal(text)
    return None if number is None else float(number)


def _ordinal(text: str) -> int | None:
    """Return a label's whole number, None for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None


def _order(text: str) -> float:
    """Return what a label's number is sorted by; what is no number comes last."""
    number = _ordinal(text)
    return math.inf if number is None else number
