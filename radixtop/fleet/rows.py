"""What is shown of each rank: what its KV events tell beside what its metrics tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from probes.builtin.engine import EngineRank, EngineSample
from probes.builtin.fleet import FleetRank, FleetSample
from probes.fleet.figures import RankName
from probes.scrapes.buckets import Spread
from probes.scrapes.figures import SERVER
from probes.scrapes.hits import joined_hits
from radixtop.fleet.names import Names
from radixtop.fleet.spread import ToldSpread


@dataclass(frozen=True, slots=True)
class RankRow:
    """One rank. `engine` is what its metrics tell, `together` what its server tells of all its ranks at once."""

    rank: FleetRank
    label: str
    engine: EngineRank | None = None
    together: EngineRank | None = None
    is_followed: bool = False

    @property
    def name(self) -> RankName:
        """The rank's server and number."""
        return self.rank.name

    @property
    def cached(self) -> int | None:
        """Tokens on the device; None where no KV events tell."""
        return None if self.rank.state.badge is None else self.rank.state.device_tokens

    @property
    def host(self) -> int | None:
        """Tokens on the host; None where no KV events tell."""
        return None if self.rank.state.badge is None else self.rank.state.host_tokens

    @property
    def ttft(self) -> ToldSpread | None:
        """The time to the first token of the last minute; None where nobody tells one."""
        for engine, of_all in ((self.engine, False), (self.together, True)):
            spread = _ttft(engine)
            if spread is not None:
                return ToldSpread(spread, of_all)
        return None

    @property
    def lag_s(self) -> float | None:
        """How long the oldest of its events has waited to be taken."""
        return None if self.rank.state.feed is None else self.rank.state.feed.behind_s

    def figure(self, what: str) -> float | None:
        """Return one of MEASURES."""
        return MEASURES[what].of(self)

    def gauge(self, role: str) -> float | None:
        """Return a gauge of the metrics."""
        return None if self.engine is None else self.engine.gauges.get(role)


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a row; `of_server` is the same of what a server tells of all its ranks, where it may."""

    of: Callable[[RankRow], float | None]
    of_server: Callable[[EngineRank], float | None] = lambda server: None


def rows_of(sample: FleetSample, engine: EngineSample | None) -> tuple[RankRow, ...]:
    """Return a row for each rank, in the order of the sample."""
    ranks = tuple(one for rank in sample.ranks for one in _told_of(rank, engine))
    names = Names(rank.name for rank in ranks)
    told = {} if engine is None else {RankName(each.server, each.rank): each for each in engine.ranks}
    return tuple(
        RankRow(
            rank,
            names.short(rank.name),
            told.get(rank.name),
            told.get(RankName(rank.name.server, SERVER)),
            rank.name == sample.followed,
        )
        for rank in ranks
    )


def _told_of(rank: FleetRank, engine: EngineSample | None) -> list[FleetRank]:
    """Return a rank; instead of a server that told of none by KV events, those that its metrics tell of."""
    server = rank.name.server
    is_whole = rank.name.rank != SERVER or rank.state.is_away
    numbers = [] if engine is None or is_whole else [each.rank for each in engine.of(server)]
    if not numbers:
        return [rank]
    return [replace(rank, state=replace(rank.state, name=RankName(server, number))) for number in numbers]


def ordered(rows: Sequence[RankRow], order: str, is_reversed: bool) -> list[RankRow]:
    """Return those away first, then the rows with the most of something, the unknown last.

    Names begin as they were told. Figures that are written alike leave ranks in that order.
    """
    away = [row for row in rows if row.rank.state.is_away]
    there = [row for row in rows if not row.rank.state.is_away]
    if order == "name":
        return [*away, *(reversed(there) if is_reversed else there)]
    known = [(value, row) for row in there if (value := row.figure(order)) is not None]
    known.sort(key=lambda pair: float(f"{pair[0]:.3g}"), reverse=not is_reversed)
    return [*away, *(row for _, row in known), *(row for row in there if row.figure(order) is None)]


class Sum(NamedTuple):
    """A figure of all ranks together. `is_whole` says that servers told it of all theirs at once.

    `is_part` says that some rank that is up did not tell its part.
    """

    value: float | None
    is_whole: bool = False
    is_part: bool = False


def summed(rows: Sequence[RankRow], what: str) -> Sum:
    """Sum a figure over all ranks; of a server whose ranks tell none, take its own total. None if nothing is told."""
    measure = MEASURES[what]
    found: list[float] = []
    is_whole = is_part = False
    for server in dict.fromkeys(row.name.server for row in rows):
        its = [row for row in rows if row.name.server == server]
        known = [value for row in its if (value := measure.of(row)) is not None]
        total = None if known or its[0].together is None else measure.of_server(its[0].together)
        is_whole |= total is not None
        is_part |= total is None and len(known) < sum(row.rank.state.is_up for row in its)
        found += known if total is None else [total]
    return Sum(sum(found), is_whole, is_part) if found else Sum(None)


def hit_rate_of_all(rows: Sequence[RankRow]) -> Sum:
    """Return the hit rate of the last minute over all ranks that tell one, if they count in the same way.

    Where no rank does, it is that of their servers.
    """
    windows = [row.engine.hits_minute for row in rows if row.engine is not None]
    known = [window for window in windows if window is not None]
    if not known:
        servers = {row.name.server: row.together for row in rows if row.together is not None}
        together = joined_hits(each.hits_minute for each in servers.values())
        return Sum(None if together is None else together.rate, is_whole=True)
    together = joined_hits(known)
    is_part = len(known) < sum(row.rank.state.is_up for row in rows)
    return Sum(None if together is None else together.rate, is_part=is_part)


def usage_of_all(rows: Sequence[RankRow]) -> float | None:
    """Return the share of all pools together that is in use; None unless every rank with metrics tells both."""
    used = [(row.gauge("full_used_tokens"), row.gauge("full_total_tokens")) for row in rows if row.engine is not None]
    known = [(some, all_of_it) for some, all_of_it in used if some is not None and all_of_it]
    return sum(some for some, _ in known) / sum(total for _, total in known) if known and used == known else None


def _ttft(engine: EngineRank | None) -> Spread | None:
    spread = None if engine is None else engine.spreads_minute.get("ttft_seconds")
    return spread if spread is not None and spread.count else None


def _ttft_p99(row: RankRow) -> float | None:
    told = row.ttft
    return told.spread.p99.value if told is not None and told.spread.p99 is not None else None


def _by_metrics(of: Callable[[EngineRank], float | None]) -> Measure:
    return Measure(lambda row: None if row.engine is None else of(row.engine), of)


MEASURES: dict[str, Measure] = {
    "hit": _by_metrics(lambda engine: engine.hit_rate_minute),
    "pool": _by_metrics(lambda engine: engine.usage),
    "cached": Measure(lambda row: row.cached),
    "host": Measure(lambda row: row.host),
    "in": Measure(lambda row: row.rank.stored_tokens_per_s),
    "out": Measure(lambda row: row.rank.removed_tokens_per_s),
    "running": _by_metrics(lambda engine: engine.gauges.get("running_requests")),
    "waiting": _by_metrics(lambda engine: engine.gauges.get("waiting_requests")),
    "generated": _by_metrics(lambda engine: engine.generated_per_s),
    "ttft": Measure(_ttft_p99),
    "lag": Measure(lambda row: row.lag_s),
}
"""What each order goes by, except that of names, in the order of the columns."""

ORDERS = ("name", *MEASURES)
"""What rows can be ordered by."""
