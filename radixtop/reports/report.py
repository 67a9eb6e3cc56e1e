"""One run in numbers: its last snapshot as a JSON document.

Unknown stays null: a probe that could not be fed has no numbers, which is not the same as zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from probes.builtin.branching import BranchingSample
from probes.builtin.capacity import SIZES, CapacityHits, CapacitySample
from probes.builtin.evictions import EvictionSample
from probes.builtin.hit_rate import HitRateSample, HitTotals
from probes.builtin.occupancy import OccupancySample
from probes.builtin.operations import OperationsSample
from probes.builtin.overhead import OverheadSample
from probes.builtin.request_log import RequestLogSample
from probes.builtin.requests import RequestsSample
from probes.builtin.tenants import TenantsSample
from probes.builtin.throughput import ThroughputSample
from probes.builtin.tree_mirror import TreeSample
from probes.builtin.tree_shape import TreeShapeSample
from probes.histogram import Quantiles
from probes.lives.named_sums import NamedTokens
from probes.snapshot import Snapshot

if TYPE_CHECKING:
    from profiles.evidence.evidence import Evidence

Document = dict[str, object]

SCHEMA = 1
"""The version of the documents: it grows when a field goes or means something else, and stays when one comes."""

_MS_NS = 1e6
_US_NS = 1e3


def document(snapshot: Snapshot, end: Mapping[str, object], evidence: Evidence | None = None) -> Document:
    """Return the report of a run from its last snapshot and from what the worker said when it was over.

    What is wrong is known where `evidence` was gathered.
    """
    return {
        "schema": SCHEMA,
        "at": date_of(snapshot),
        "config": {**snapshot.source.config, "device": end.get("device")},
        "totals": _totals(snapshot, end),
        **_hits(snapshot),
        "misses": _misses(snapshot),
        "tenants": _tenants(snapshot),
        "capacity": _capacity(snapshot),
        "findings": None if evidence is None else _findings(evidence),
        "branching": _branching(snapshot),
        "evictions": _evictions(snapshot),
        "ttft_ms": _ttft(snapshot),
        "schedule": _schedule(snapshot),
        "throughput": _throughput(snapshot, end),
        "operations_us": _operations(snapshot),
        "pools": _pools(snapshot),
        "transfers": _transfers(snapshot),
        "nodes": _nodes(snapshot),
        "fleet": _fleet(snapshot),
        "overhead": _overhead(snapshot),
        "kv_events": end.get("kv_events"),
        "integrity": end.get("integrity"),
        "records": snapshot.seq + 1,
        "dropped": snapshot.source.dropped_records,
        "torn_blocks": snapshot.source.torn_blocks,
        "missing": snapshot.source.missing.document(),
    }


def date_of(snapshot: Snapshot) -> str | None:
    """Return the date of a snapshot, None where its source has no clock that is known by date."""
    from profiles.dates import iso_date, origin_of

    origin = origin_of(snapshot.source.config)
    return iso_date(origin.date_ns(snapshot.now), 3) if origin is not None and snapshot.now else None


def _totals(snapshot: Snapshot, end: Mapping[str, object]) -> Document:
    hits, requests = snapshot.get(HitRateSample), snapshot.get(RequestsSample)
    totals: Document = {"duration_s": end.get("duration_s"), "stopped_by": end.get("stopped_by")}
    if requests is not None:
        totals |= {name: getattr(requests, name) for name in ("admitted", "finished", "retracted", "refused")}
    if hits is not None:
        totals |= asdict(hits.total)
    return totals


def _hits(snapshot: Snapshot) -> Document:
    sample = snapshot.get(HitRateSample)
    if sample is None:
        return {"hit_rate": None, "full_hit_rate": None, "hits": None}
    total = sample.total
    hits: Document = {
        "device_tokens": total.device_hit_tokens,
        "full_tokens": total.full_hit_tokens,
        "gap_tokens": total.gap_tokens,
        "host": _host_hits(total) if sample.has_host_tier else None,
    }
    return {"hit_rate": total.hit_rate, "full_hit_rate": total.full_hit_rate, "hits": hits}


def _host_hits(total: HitTotals) -> Document:
    return {
        "admitted_tokens": total.host_hit_tokens,
        "loaded_tokens": total.loaded_tokens,
        "unloaded_tokens": total.unloaded_tokens,
        "share": total.host_share,
    }


def _misses(snapshot: Snapshot) -> Document | None:
    """Return what became of prompt tokens by class; by namespace and by kind of workload segment as well."""
    sample, tree = snapshot.get(RequestLogSample), snapshot.get(TreeSample)
    if sample is None:
        return None
    names = {} if tree is None else tree.mirror.namespaces

    def named(each: NamedTokens) -> str | None:
        return names.get(each.name, "") if isinstance(each.name, int) else cast("str | None", each.name)

    now = snapshot.now
    parts = {"by_namespace": sample.sums.spaces.tokens(now), "by_segment": sample.sums.kinds.tokens(now)}
    return {
        "total": asdict(sample.total),
        "last_minute": asdict(sample.last_minute),
        "remembers_all": sample.remembers_all,
        **{part: [{"name": named(each), "is_rest": each.is_rest, **asdict(each.total)}
                  for each in sums] for part, sums in parts.items()},
    }  # fmt: skip


def _capacity(snapshot: Snapshot) -> Document | None:
    """Return what LRU hits by capacity, in all and lately, and at some sizes; None where no size was told."""
    sample = snapshot.get(CapacitySample)
    if sample is None or sample.now_tokens is None:
        return None

    def hits(of: CapacityHits) -> Document:
        curve = [
            {"slots": slots, "hit_tokens": tokens}
            for slots, tokens in zip(sample.capacities, of.hit_tokens, strict=True)
            if sample.known_tokens is None or slots <= sample.known_tokens
        ]
        sizes = [size for factor in SIZES if (size := sample.size(factor, of)) is not None]
        return {
            "requests": of.requests,
            "queried_tokens": of.queried_tokens,
            "found_tokens": of.found_tokens,
            "measured_hit_tokens": of.measured_tokens,
            "sizes": [asdict(size) for size in sizes],
            "curve": curve,
        }

    return {
        "policy": "lru",
        "now_slots": sample.now_tokens,
        "block_tokens": sample.block_tokens,
        "known_slots": sample.known_tokens,
        "is_whole": sample.is_whole,
        "total": hits(sample.total),
        "recent": None if sample.recent is None else {"span_s": sample.recent_ns / 1e9, **hits(sample.recent)},
    }


def _tenants(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(TenantsSample)
    return None if sample is None else asdict(sample)


def _findings(evidence: Evidence) -> list[Document]:
    """Return what is wrong as `radixtop why` tells it, the most costly first."""
    from profiles.ranking import diagnose
    from radixtop.why.telling import finding_document

    return [finding_document(finding) for finding in diagnose(evidence)]


def _branching(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(BranchingSample)
    if sample is None:
        return None
    names = ("opened", "filled", "lost", "open_now", "recomputed_tokens", "below_grid", "below_grid_tokens")
    return {name: getattr(sample, name) for name in names}


def _evictions(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(EvictionSample)
    if sample is None:
        return None
    names = ("calls", "victims", "cascades", "leaves_considered", "queue_build_ns", "pops", "stale_pops")
    counts: Document = {name: getattr(sample, name) for name in names}
    return counts | {"freed_tokens": dict(sample.freed_tokens), "cost_us": _in_units(sample.cost, _US_NS)}


def _ttft(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(RequestsSample)
    return None if sample is None else _in_units(sample.ttft, _MS_NS)


def _schedule(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(RequestsSample)
    if sample is None or sample.schedule_passes is None:
        return None
    return {"passes": sample.schedule_passes, "deferrals": sample.deferrals, "fallbacks": sample.fallbacks}


def _throughput(snapshot: Snapshot, end: Mapping[str, object]) -> Document | None:
    sample, requests = snapshot.get(ThroughputSample), snapshot.get(RequestsSample)
    if sample is None:
        return None
    duration_s = end.get("duration_s")
    per_s = requests.finished / duration_s if requests and isinstance(duration_s, float) and duration_s else None
    return {
        "requests_per_s": per_s,
        "prefill_tokens_per_s_last_10s": sample.prefill_tokens_per_s,
        "decode_tokens_per_s_last_10s": sample.decode_tokens_per_s,
        "step_ms": _in_units(sample.step, _MS_NS),
    }


def _operations(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(OperationsSample)
    return None if sample is None else {name: _in_units(cost, _US_NS) for name, cost in sample.cost.items()}


def _pools(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(OccupancySample)
    if sample is None:
        return None
    return {pool.name: {key: value for key, value in asdict(pool).items() if key != "name"} for pool in sample.pools}


def _transfers(snapshot: Snapshot) -> Document | None:
    """Return the copies that were under way at the end, None without a host tier."""
    sample = snapshot.get(OccupancySample)
    return None if sample is None or sample.transfers is None else asdict(sample.transfers)


def _nodes(snapshot: Snapshot) -> Document | None:
    sample = snapshot.get(TreeShapeSample)
    if sample is None:
        return None
    shape: Document = {"total": sample.nodes, "device": sample.device_nodes, "host_only": sample.host_nodes}
    shape |= {name: getattr(sample, name) for name in ("leaves", "tombstones", "depth", "tokens", "host_tokens")}
    for name in ("live_nodes", "live_tokens", "copied_nodes", "copied_tokens"):
        counts = getattr(sample, name)
        shape[name] = None if counts is None else dict(counts)
    return shape


def _fleet(snapshot: Snapshot) -> Document | None:
    """Return every rank of the servers that are watched; None for a cache of this machine."""
    if "fleet" not in snapshot.samples:
        return None
    from radixtop.fleet.document import fleet_document  # of servers only

    return fleet_document(snapshot)


def _overhead(snapshot: Snapshot) -> Document | None:
    """Return the share of the cache's thread that watching took, and how much the cache told at the end."""
    sample = snapshot.get(OverheadSample)
    return None if sample is None else {"mean_ratio": sample.mean_ratio, "detail": sample.detail}


def _in_units(cost: Quantiles, unit_ns: float) -> Document:
    """Return a distribution of nanoseconds in another unit; unknown stays unknown."""

    def scaled(value: float | None) -> float | None:
        return None if value is None else round(value / unit_ns, 3)

    return {"count": cost.count, "mean": scaled(cost.mean), "p50": scaled(cost.p50), "p99": scaled(cost.p99)}
