"""What reports tell of servers and ranks: each of them, what is out of balance, and what they have in common."""

from __future__ import annotations

from probes.builtin.engine import EngineSample
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import SERVER, Overlap, RankName
from probes.fleet.imbalance import imbalances
from probes.scrapes.buckets import Spread
from probes.snapshot import Snapshot
from radixtop.fleet.names import hex_of
from radixtop.fleet.rows import RankRow, generated, hit_rate, rows_of, usage

Document = dict[str, object]


def fleet_document(snapshot: Snapshot) -> Document | None:
    """Return the part of a report on the fleet; None where there is none. What is not known is null."""
    sample, engine = snapshot.get(FleetSample), snapshot.get(EngineSample)
    if sample is None:
        return None
    return {
        "followed": None if sample.followed is None else _name(sample.followed),
        "ranks": [_rank(row, sample.at) for row in rows_of(sample, engine)],
        "imbalances": [
            {**_name(one.name), "what": one.what, "value": one.value, "others": one.others}
            for one in imbalances(sample, engine)
        ],
        "overlap": None if sample.overlap is None else _overlap(sample.overlap),
    }


def _name(name: RankName) -> Document:
    return {"server": name.server, "rank": None if name.rank == SERVER else name.rank}


def _rank(row: RankRow, now: int) -> Document:
    state = row.rank.state
    badge, feed = state.badge, state.feed
    spread, is_shared = row.ttft
    return {
        **_name(state.name),
        "engine": state.engine or None,
        "version": state.version,
        "model": state.model,
        "state": state.state,
        "message": state.message,
        "known": None if badge is None else badge.word,
        "known_since_s": None if badge is None or badge.since is None else round((now - badge.since) / 1e9, 3),
        "why": None if badge is None else badge.why,
        "cached_tokens": row.cached,
        "host_tokens": row.host,
        "capacity_tokens": state.capacity_tokens,
        "stored_tokens_per_s": row.rank.stored_tokens_per_s,
        "removed_tokens_per_s": row.rank.removed_tokens_per_s,
        "hit_rate_last_minute": hit_rate(row),
        "pool_usage": usage(row),
        "running": row.gauge("running_requests"),
        "waiting": row.gauge("waiting_requests"),
        "generated_tokens_per_s": generated(row),
        "ttft_s": None if spread is None or is_shared else _quantiles(spread),
        "gaps": None if feed is None else feed.gaps,
        "missing_batches": None if feed is None else feed.missing,
        "repaired_batches": None if feed is None else feed.repaired,
        "restarts": None if feed is None else feed.restarts,
        "behind_s": None if feed is None else feed.behind_s,
    }


def _quantiles(spread: Spread) -> Document:
    quantiles = {"p50": spread.p50, "p95": spread.p95, "p99": spread.p99}
    return {"count": spread.count, **{name: one.value if one else None for name, one in quantiles.items()}}


def _overlap(overlap: Overlap) -> Document:
    return {
        "names": [_name(name) for name in overlap.names],
        "shared_tokens": [[*row] for row in overlap.shared],
        "alone_tokens": [*overlap.alone],
        "held_tokens": overlap.held,
        "distinct_tokens": overlap.distinct,
        "duplicate_tokens": overlap.duplicates,
        "prefixes": [{"name": hex_of(prefix), "tokens": [*prefix.tokens]} for prefix in overlap.prefixes],
    }
