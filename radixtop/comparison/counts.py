"""What is compared of a moment: all that was counted so far, and how things stood; what lies between two of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from probes.builtin.evictions import EvictionSample
from probes.builtin.hit_rate import HitRateSample
from probes.builtin.occupancy import OccupancySample
from probes.builtin.requests import RequestsSample
from probes.builtin.throughput import ThroughputSample
from probes.builtin.tree_shape import TreeShapeSample
from probes.histogram import Quantiles

if TYPE_CHECKING:
    from probes.snapshot import Snapshot


_MAY_FALL = "recomputed"
"""The sum that falls when a request loads from the host what it was counted to lack."""


@dataclass(frozen=True, slots=True)
class Counts:
    """One moment. `sums` only grow while one watches from `since` on; what is not known is in neither mapping."""

    at: int
    since: int
    sums: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    levels: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    ttft: Quantiles | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """What was counted between two moments; a sum that is not known of both is not in `sums`."""

    ns: int
    sums: Mapping[str, int]
    ttft: Quantiles | None = None

    def per_s(self, name: str) -> float | None:
        """Return a sum for each second; None when that is not known."""
        return self.sums[name] * 1e9 / self.ns if name in self.sums and self.ns > 0 else None

    def ratio(self, over: str, under: str) -> float | None:
        """Return one sum in terms of another; None where there was none of that."""
        below = self.sums.get(under, 0)
        return self.sums[over] / below if over in self.sums and below else None


NOTHING = Stretch(0, MappingProxyType({}))
"""A stretch of which nothing is known."""


def counts_of(snapshot: Snapshot) -> Counts:
    """Return what a snapshot has to compare."""
    sums: dict[str, int] = {}
    levels: dict[str, float] = {}
    hits = snapshot.get(HitRateSample)
    if hits is not None:
        total = hits.total
        sums |= {"queries": total.queries, "queried": total.queried_tokens, "hit": total.hit_tokens}
        if total.full_hit_tokens is not None and total.gap_tokens is not None:
            sums |= {"full hit": total.full_hit_tokens, "recomputed": total.gap_tokens}
    evictions = snapshot.get(EvictionSample)
    if evictions is not None:
        sums |= {"evict calls": evictions.calls, "evicted": sum(evictions.freed_tokens.values()),
                 "evict ns": evictions.cost.total}  # fmt: skip
        if evictions.victims is not None:
            sums["victims"] = evictions.victims
    requests = snapshot.get(RequestsSample)
    if requests is not None:
        sums |= {"finished": requests.finished, "retracted": requests.retracted, "refused": requests.refused}
        levels |= _known({"waiting": requests.waiting, "running": requests.running})
    steps = snapshot.get(ThroughputSample)
    if steps is not None:
        sums |= {"prefill": steps.prefill_tokens, "decode": steps.decode_tokens}
    tree = snapshot.get(TreeShapeSample)
    if tree is not None:
        levels |= {"nodes": tree.nodes, "tokens": tree.tokens, "tombstones": tree.tombstones}
    pools = snapshot.get(OccupancySample)
    for pool in pools.pools if pools is not None else ():
        if pool.total > 0:
            levels[f"pool {pool.name}"] = 1 - pool.free / pool.total
    return Counts(snapshot.now, snapshot.since, sums, levels, requests.ttft if requests is not None else None)


def _known(levels: Mapping[str, int | None]) -> dict[str, float]:
    return {name: level for name, level in levels.items() if level is not None}


def between(first: Counts, second: Counts) -> Stretch:
    """Return what was counted from one moment to a later one; nothing is known when counting began anew between."""
    ns = second.at - first.at
    if first.since != second.since or ns <= 0:
        return NOTHING
    sums = {name: second.sums[name] - count for name, count in first.sums.items() if name in second.sums}
    if any(count < 0 for name, count in sums.items() if name != _MAY_FALL):
        return NOTHING
    if _MAY_FALL in sums:
        sums[_MAY_FALL] = max(0, sums[_MAY_FALL])
    return Stretch(ns, sums, _ttft_between(first.ttft, second.ttft))


def _ttft_between(first: Quantiles | None, second: Quantiles | None) -> Quantiles | None:
    """Return the distribution of what came between: the mean is exact, quantiles are read off powers of two."""
    if first is None or second is None or second.count <= first.count:
        return None
    count, total = second.count - first.count, second.total - first.total
    before = [*first.octaves, *[0] * (len(second.octaves) - len(first.octaves))]
    octaves = tuple(new - old for new, old in zip(second.octaves, before, strict=False))
    if sum(octaves) != count:
        return Quantiles(count, total / count, total=total)
    return Quantiles(count, total / count, _quantile(octaves, 0.50), _quantile(octaves, 0.99), total, octaves)


def _quantile(octaves: tuple[int, ...], part: float) -> float:
    """Return a quantile as if values lay evenly within each power of two."""
    rank, seen = part * sum(octaves), 0
    for digits, count in enumerate(octaves):
        if count and seen + count >= rank:
            low, high = (1 << digits) >> 1, 1 << digits
            return low + (high - low) * (rank - seen) / count
        seen += count
    return 0.0
