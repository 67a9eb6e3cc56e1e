"""What is shown of each rank: what its KV events tell beside what its metrics tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from probes.builtin.engine import EngineRank, EngineSample
from probes.builtin.fleet import FleetRank, FleetSample
from probes.fleet.figures import SERVER, RankName
from probes.scrapes.buckets import Spread
from probes.scrapes.hits import joined_hits
from radixtop.fleet.names import Names

Of = Callable[["RankRow"], float | None]


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
    def ttft(self) -> tuple[Spread | None, bool]:
        """The time to the first token of the last minute, and whether that is of all ranks of the server."""
        own = _ttft(self.engine)
        return (own, False) if own is not None else (_ttft(self.together), True)

    def gauge(self, role: str) -> float | None:
        """Return a gauge of the metrics."""
        return None if self.engine is None else self.engine.gauges.get(role)


def rows_of(sample: FleetSample, engine: EngineSample | None) -> tuple[RankRow, ...]:
    """Return a row for each rank, in the order of the sample."""
    names = Names(rank.name for rank in sample.ranks)
    told = {} if engine is None else {RankName(each.server, each.rank): each for each in engine.ranks}
    return tuple(
        RankRow(
            rank,
            names.short(rank.name),
            told.get(rank.name),
            told.get(RankName(rank.name.server, SERVER)),
            rank.name == sample.followed,
        )
        for rank in sample.ranks
    )


def ordered(rows: Sequence[RankRow], order: str, is_reversed: bool) -> list[RankRow]:
    """Return the rows with the most of something first, the unknown last; names begin as they were told."""
    if order == "name":
        return [*reversed(rows)] if is_reversed else [*rows]
    of = MEASURES[order]
    known = [(value, row) for row in rows if (value := of(row)) is not None]
    known.sort(key=lambda pair: pair[0], reverse=not is_reversed)
    return [*(row for _, row in known), *(row for row in rows if of(row) is None)]


def summed(rows: Sequence[RankRow], of: Of) -> float | None:
    """Return the sum of what ranks tell, where none does of what their server tells of all; None if nobody does."""
    found: list[float] = []
    for server in dict.fromkeys(row.name.server for row in rows):
        its = [row for row in rows if row.name.server == server]
        known = [value for row in its if (value := of(row)) is not None]
        if not known and its[0].together is not None:
            known = [value] if (value := of(RankRow(its[0].rank, "", its[0].together))) is not None else []
        found += known
    return sum(found) if found else None


def hit_rate_of_all(rows: Sequence[RankRow]) -> float | None:
    """Return the hit rate of the last minute over all ranks that tell one, if they count in the same way."""
    windows = [row.engine.hits_minute for row in rows if row.engine is not None]
    together = joined_hits(window for window in windows if window is not None)
    return None if together is None else together.rate


def usage_of_all(rows: Sequence[RankRow]) -> float | None:
    """Return the share of all pools together that is in use; None unless every rank with metrics tells both."""
    used = [(row.gauge("full_used_tokens"), row.gauge("full_total_tokens")) for row in rows if row.engine is not None]
    known = [(some, all_of_it) for some, all_of_it in used if some is not None and all_of_it]
    return sum(some for some, _ in known) / sum(total for _, total in known) if known and used == known else None


def hit_rate(row: RankRow) -> float | None:
    """Return the hit rate of the last minute."""
    return None if row.engine is None or row.engine.hits_minute is None else row.engine.hits_minute.rate


def usage(row: RankRow) -> float | None:
    """Return the share of the pool that is in use."""
    used = row.gauge("full_usage")
    return row.gauge("usage") if used is None else used


def generated(row: RankRow) -> float | None:
    """Return the generated tokens a second, of the last 10 s or else the last minute."""
    return None if row.engine is None else generated_per_s(row.engine)


def generated_per_s(engine: EngineRank) -> float | None:
    """Return the generated tokens a second of a rank, of the last 10 s or else the last minute."""
    for rates in (engine.rates_10s, engine.rates_minute):
        rate = rates.get("decoded_tokens") or rates.get("generation_tokens")
        if rate is not None:
            return rate.per_s
    return None


def lag_s(row: RankRow) -> float | None:
    """Return how long the oldest of its events has waited to be taken."""
    return None if row.rank.state.feed is None else row.rank.state.feed.behind_s


def _ttft(engine: EngineRank | None) -> Spread | None:
    spread = None if engine is None else engine.spreads_minute.get("ttft_seconds")
    return spread if spread is not None and spread.count else None


def _ttft_p99(row: RankRow) -> float | None:
    spread, _ = row.ttft
    return spread.p99.value if spread is not None and spread.p99 is not None else None


MEASURES: dict[str, Of] = {
    "hit": hit_rate,
    "pool": usage,
    "cached": lambda row: row.cached,
    "host": lambda row: row.host,
    "in": lambda row: row.rank.stored_tokens_per_s,
    "out": lambda row: row.rank.removed_tokens_per_s,
    "running": lambda row: row.gauge("running_requests"),
    "waiting": lambda row: row.gauge("waiting_requests"),
    "generated": generated,
    "ttft": _ttft_p99,
    "lag": lag_s,
}
"""What each order goes by, except that of names."""

ORDERS = ("name", *MEASURES)
"""What rows can be ordered by, in the order of the columns."""
