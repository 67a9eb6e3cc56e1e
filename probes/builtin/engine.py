"""What an inference server tells of itself: hits, pools, moves between tiers, queue and latencies of each rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe
from probes.scrapes.buckets import Spread, spread_of
from probes.scrapes.counter_windows import CounterWindows, Increase
from probes.scrapes.figures import SERVER, EngineFigures
from probes.scrapes.histogram_windows import HistogramWindows
from probes.scrapes.hits import Grown, HitWindow, best_view, hit_window, joined_hits
from probes.scrapes.metric import ENGINES
from probes.scrapes.steps import History, Step, Steps
from probes.window import SECOND_NS

MOST_RANKS = 1_024

STALE_NS = 15 * SECOND_NS
"""A gauge that nobody told anew for so long is not known any more."""
_GENERATED = ("decoded_tokens", "generation_tokens")
_USAGE = ("full_usage", "usage")

T = TypeVar("T")
Rates = Mapping[str, Increase]


def _first_told(roles: Iterable[str], told: Mapping[str, T]) -> T | None:
    """Return what the first role that is told says."""
    return next((told[role] for role in roles if role in told), None)


@dataclass(frozen=True, slots=True)
class EngineRank:
    """One rank of a server as of its newest scrape, at `at`; rank -1 is what the server tells of all together.

    What is not told has no entry and no window, which is not 0. `hits_*` are of the best count that there is.
    `spreads_minute` is what came in the last minute or little more. `resets` counts scrapes in which counters had
    started anew, as those of a restarted server; `notes` say what is inexact.
    """

    server: str
    engine: str
    rank: int
    at: int
    gauges: Mapping[str, float]
    hits_10s: HitWindow | None
    hits_minute: HitWindow | None
    hits_total: HitWindow | None
    rates_10s: Rates
    rates_minute: Rates
    rates_total: Rates
    spreads_minute: Mapping[str, Spread]
    spreads_total: Mapping[str, Spread]
    hit_rate_history: History
    generation_history: History
    usage_history: History
    resets: int = 0
    notes: tuple[str, ...] = ()

    @property
    def usage(self) -> float | None:
        """Share (0..1) of its pool that is in use, by the first gauge that tells one."""
        return _first_told(_USAGE, self.gauges)

    @property
    def hit_rate_minute(self) -> float | None:
        """Share (0..1) of the tokens queried in the last minute that hit."""
        return None if self.hits_minute is None else self.hits_minute.rate

    @property
    def generated_per_s(self) -> float | None:
        """Generated tokens a second, of the last 10 s or else of the last minute."""
        rate = _first_told(_GENERATED, self.rates_10s) or _first_told(_GENERATED, self.rates_minute)
        return None if rate is None else rate.per_s


@dataclass(frozen=True, slots=True)
class EngineSample:
    """Every rank of every server, by name and rank."""

    ranks: tuple[EngineRank, ...]

    @property
    def servers(self) -> tuple[str, ...]:
        """The names of the servers."""
        return tuple(dict.fromkeys(rank.server for rank in self.ranks))

    def of(self, server: str) -> tuple[EngineRank, ...]:
        """Return the data-parallel ranks of a server, without what it tells of all together."""
        return tuple(rank for rank in self.ranks if rank.server == server and rank.rank != SERVER)

    def hits_of(self, server: str) -> HitWindow | None:
        """Return the hits of all ranks of a server in the last minute; None where one does not tell."""
        together = joined_hits(rank.hits_minute for rank in self.of(server))
        if together is not None:
            return together
        return next((each.hits_minute for each in self.ranks if (each.server, each.rank) == (server, SERVER)), None)


class Engine(Probe):
    """Keeps what successive scrapes of each rank told."""

    needs = frozenset({EngineFigures})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._ranks: dict[tuple[str, int], _Rank] = {}

    def folds(self) -> Folds:
        """See Probe."""
        return {EngineFigures: self._told}

    def sample(self, now: int) -> EngineSample | None:
        """See Probe."""
        if not self._ranks:
            return None
        return EngineSample(tuple(rank.sample(now) for _, rank in sorted(self._ranks.items())))

    def _told(self, figures: EngineFigures) -> None:
        key = figures.server, figures.rank
        rank = self._ranks.get(key)
        if rank is None:
            if len(self._ranks) >= MOST_RANKS:
                return
            rank = self._ranks[key] = _Rank(figures)
        rank.told(figures)


class _Rank:
    """What is kept of one rank."""

    def __init__(self, figures: EngineFigures) -> None:
        self._figures = figures
        self._views = ENGINES.load(figures.engine).views if figures.engine in ENGINES else ()
        self._counters = CounterWindows()
        self._histograms = HistogramWindows()
        self._steps = Steps()
        self._sample: tuple[int, int, EngineRank] | None = None

    def told(self, figures: EngineFigures) -> None:
        """Take a scrape; what comes late is left out."""
        is_first = self._figures is figures
        if not is_first and figures.at <= self._figures.at:
            return
        since = figures.at if is_first else self._figures.at
        self._figures = figures
        self._counters.add(figures.at, figures.counters)
        self._histograms.add(figures.at, figures.histograms)
        self._steps.add(self._step(since))

    def sample(self, now: int) -> EngineRank:
        """Return the rank as of `now`; within a second nothing changes but by a scrape."""
        made = self._sample
        second = now // SECOND_NS
        if made is None or made[:2] != (second, self._figures.at):
            made = self._sample = (second, self._figures.at, self._made(now))
        return made[2]

    def _made(self, now: int) -> EngineRank:
        figures = self._figures
        windows = (10, 60, None)
        hits_10s, hits_minute, hits_total = (
            self._hits(partial(self._counters.increases, now, seconds)) for seconds in windows
        )
        rates_10s, rates_minute, rates_total = (
            MappingProxyType(self._counters.each(now, seconds)) for seconds in windows
        )
        hit_rates, generated, usage = self._steps.histories(now)
        return EngineRank(
            server=figures.server, engine=figures.engine, rank=figures.rank, at=figures.at,
            gauges=figures.gauges if now - figures.at < STALE_NS else MappingProxyType({}),
            hits_10s=hits_10s, hits_minute=hits_minute, hits_total=hits_total,
            rates_10s=rates_10s, rates_minute=rates_minute, rates_total=rates_total,
            spreads_minute=self._spreads_minute(now), spreads_total=self._spreads_total(),
            hit_rate_history=hit_rates, generation_history=generated, usage_history=usage,
            resets=self._counters.resets, notes=figures.notes,
        )  # fmt: skip

    def _hits(self, grown: Grown) -> HitWindow | None:
        view = best_view(self._views, self._counters.last)
        return None if view is None else hit_window(view, self._counters.last, grown)

    def _spreads_minute(self, now: int) -> Mapping[str, Spread]:
        came = {role: self._histograms.last_minute(now, role) for role in self._histograms.roles}
        return MappingProxyType({role: spread_of(buckets) for role, buckets in came.items() if buckets is not None})

    def _spreads_total(self) -> Mapping[str, Spread]:
        return MappingProxyType({role: spread_of(self._histograms.total(role)) for role in self._histograms.roles})

    def _step(self, since: int) -> Step:
        """Return what the newest scrape told of the time since the one before it."""
        until = self._figures.at
        hits = self._hits(self._counters.newest)
        grown = (self._counters.newest((role,)) for role in _GENERATED if role in self._counters.last)
        generated = next((increase[role].per_s for increase in grown if increase for role in increase), None)
        usage = _first_told(_USAGE, self._figures.gauges)
        return Step(since, until, None if hits is None else hits.rate, generated, usage)
