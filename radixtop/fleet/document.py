"""What reports tell of servers and ranks: each of them, what is out of balance, and what they have in common."""

from __future__ import annotations

from probes.builtin.engine import EngineRank, EngineSample
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import Overlap, RankName
from probes.fleet.imbalance import imbalances
from probes.scrapes.figures import SERVER
from probes.snapshot import Snapshot
from radixtop.fleet.metrics_document import metrics_document, quantiles
from radixtop.fleet.names import hex_of
from radixtop.fleet.rows import RankRow, rows_of

Document = dict[str, object]


def fleet_document(snapshot: Snapshot) -> Document | None:
    """Return the part of a report on the fleet; None where there is none. What is not known is null."""
    sample, engine = snapshot.get(FleetSample), snapshot.get(EngineSample)
    if sample is None:
        return None
    return {
        "followed": None if sample.followed is None else _name(sample.followed),
        "ranks": [_rank(row, sample.at) for row in rows_of(sample, engine)],
        "servers": [] if engine is None else [_server(one, sample.at) for one in engine.ranks if one.rank == SERVER],
        "imbalances": [
            {**_name(one.name), "what": one.what, "value": one.value, "others": one.others}
            for one in imbalances(sample, engine)
        ],
        "overlap": None if sample.overlap is None else _overlap(sample.overlap),
    }


def _name(name: RankName) -> Document:
    return {"server": name.server, "rank": None if name.rank == SERVER else name.rank}


def _server(together: EngineRank, now: int) -> Document:
    """Return what a server tells of all its ranks at once, and of none of them."""
    return {"server": together.server, "engine": together.engine, "metrics": metrics_document(together, now)}


def _rank(row: RankRow, now: int) -> Document:
    state = row.rank.state
    badge, feed = state.badge, state.feed
    ttft = row.ttft
    return {
        **_name(state.name),
        "engine": state.engine or None,
        "version": state.version,
        "model": state.model,
        "state": state.state,
        "message": state.message or state.remark,
        "known": None if badge is None else badge.word,
        "known_since_s": None if badge is None or badge.since is None else round((now - badge.since) / 1e9, 3),
        "why": None if badge is None else badge.why,
        "is_read": badge is not None and state.is_read,
        "cached_tokens": row.cached,
        "host_tokens": row.host,
        "capacity_tokens": state.capacity_tokens,
        "stored_tokens_per_s": row.rank.stored_tokens_per_s,
        "removed_tokens_per_s": row.rank.removed_tokens_per_s,
        "hit_rate_last_minute": row.figure("hit"),
        "pool_usage": row.figure("pool"),
        "running": row.figure("running"),
        "waiting": row.figure("waiting"),
        "generated_tokens_per_s": row.figure("generated"),
        "ttft_s": None if ttft is None or ttft.of_all else quantiles(ttft.spread),
        "gaps": None if feed is None else feed.gaps,
        "missing_batches": None if feed is None else feed.missing,
        "repaired_batches": None if feed is None else feed.repaired,
        "restarts": None if feed is None else feed.restarts,
        "behind_s": None if feed is None else feed.behind_s,
        "metrics": None if row.engine is None else metrics_document(row.engine, now),
    }


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
