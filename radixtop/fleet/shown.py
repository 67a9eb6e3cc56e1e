"""Whose metrics are on screen: those of the rank whose tree is, or what its server tells of all ranks at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from probes.builtin.engine import EngineRank, EngineSample, Rates
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import RankName
from probes.scrapes.figures import SERVER
from probes.snapshot import Snapshot
from radixtop.fleet.names import Names, is_one_server
from radixtop.fleet.spread import ToldSpread

OF_ALL = "Σ"
"""Marks what is told of all ranks of a server at once, where the rest is of one."""


@dataclass(frozen=True, slots=True)
class ShownEngine:
    """What the metrics of a rank tell, and what its server tells of all its ranks.

    `name` says whose that is, "" where there is only one.
    """

    name: str
    rank: EngineRank
    together: EngineRank | None = None

    def gauge(self, role: str) -> float | None:
        """Return a gauge of the rank."""
        return self.rank.gauges.get(role)

    def per_s(self, role: str, rates: Rates) -> float | None:
        """Return how fast a counter grows."""
        return rates[role].per_s if role in rates else None

    def who_counts(self, counter: str) -> EngineRank | None:
        """Return who tells of a counter: the rank, else its server for all ranks."""
        told = (who for who in (self.rank, self.together) if who is not None and counter in who.rates_total)
        return next(told, None)

    def spread(self, role: str) -> ToldSpread | None:
        """Return a distribution of the last minute, or of all time; None where nobody tells one."""
        for rank, of_all in ((self.rank, False), (self.together, True)):
            for spreads in (rank.spreads_minute, rank.spreads_total) if rank is not None else ():
                if role in spreads and spreads[role].count:
                    return ToldSpread(spreads[role], of_all)
        return None


def shown_engine(snapshot: Snapshot) -> ShownEngine | None:
    """Return the metrics of the rank that is followed, else of the first one that tells any."""
    sample, fleet = snapshot.get(EngineSample), snapshot.get(FleetSample)
    if sample is None or not sample.ranks:
        return None
    ranks = {RankName(rank.server, rank.rank): rank for rank in sample.ranks}
    followed = fleet.followed if fleet is not None else None
    server = None if followed is None else ranks.get(RankName(followed.server, SERVER))
    is_told = followed in ranks and (bool(ranks[followed].gauges) or server is None)
    chosen = followed if followed is not None and is_told else _first(ranks, followed)
    whole = RankName(chosen.server, SERVER)
    names = Names([rank.name for rank in fleet.ranks] if fleet is not None else ranks)
    whose = f"all of {names.short(chosen)}" if chosen.rank == SERVER else names.spoken(chosen)
    if len(fleet.ranks if fleet is not None else ranks) == 1:
        whose = ""
    return ShownEngine(whose, ranks[chosen], ranks.get(whole) if whole != chosen else None)


def followed_words(snapshot: Snapshot) -> str:
    """Return which of several ranks the tree is of, for the title; "" where there is one, or none."""
    fleet = snapshot.get(FleetSample)
    if fleet is None or fleet.followed is None or len(fleet.ranks) < 2:
        return ""
    names = [rank.name for rank in fleet.ranks]
    if is_one_server(names):
        return f"rank {fleet.followed.rank} of {len(names)}"
    return Names(names).spoken(fleet.followed)


def _first(ranks: Iterable[RankName], followed: RankName | None) -> RankName:
    """Return what the server of the followed rank tells of all, else any rank of it, else any."""
    of_server = sorted(name for name in ranks if followed is not None and name.server == followed.server)
    return of_server[0] if of_server else min(ranks)
