"""Who holds, hits and evicts whose, of a cache that runs; held against the real tree."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.miss_kinds import MissKindsSample
from probes.builtin.request_log import RequestLogSample
from probes.builtin.tenants import MOST_TENANTS, TenantsSample
from probes.lives.misses import MISS_CLASSES
from probes.lives.tenants import OTHERS, PLAIN
from tests.support.cache_runs import CONFIGS, HOSTED, CacheRun

CONFIG = CacheConfig(components=("full",), full_slots=128)


class Watched:
    """A cache, and who watches it."""

    def __init__(self, config: CacheConfig = CONFIG) -> None:
        self.adapter = EmbeddedAdapter(config.describe())
        self.cache = PrefixCache(config, sink=self.adapter)
        self.aggregator = Aggregator(self.adapter)
        self.adapter.bind(self.cache.snapshot_records, None)
        self.served = 0

    def serve(self, tokens: range, tenant: str | None = None) -> None:
        self.served += 1
        key = RadixKey([*tokens], tenant, segments=((0, f"question {self.served}"),))
        request = self.cache.admit(key, request_id=self.served)
        request.prefill(len(key))
        request.finish()

    def sample(self) -> TenantsSample:
        self.adapter.flush()
        sample = self.aggregator.tick(0).get(TenantsSample)
        assert sample is not None
        return sample


def test_who_floods_is_told_from_who_is_flooded() -> None:
    watched = Watched()
    for number in range(3):
        watched.serve(range(64), "small")
        watched.serve(range(1000 * number, 1000 * number + 100), "flood")
    flood, small = watched.sample().tenants
    assert (flood.namespace, flood.requests, flood.asked_share, flood.resident_share) == ("flood", 3, 300 / 492, 1.0)
    assert (small.namespace, small.evicted_for_others_tokens, small.computed_again_tokens) == ("small", 192, 126)
    cells = {(each.evictor, each.victim): each for each in watched.sample().matrix}
    assert {pair: cell.evicted_tokens for pair, cell in cells.items()} == {
        ("flood", "small"): 192, ("small", "flood"): 200,
    }  # fmt: skip
    assert cells["flood", "small"].computed_again_tokens == 126


def test_of_many_tenants_the_largest_are_told_apart_and_sums_stay() -> None:
    watched = Watched(CacheConfig(components=("full",), full_slots=4_000))
    for number in range(40):
        watched.serve(range(60 - number), f"tenant {number}")
    sample = watched.sample()
    assert len(sample.tenants) == MOST_TENANTS + 1
    *told, rest = sample.tenants
    assert [each.namespace for each in told] == [f"tenant {place}" for place in range(MOST_TENANTS)]
    assert rest.namespace == OTHERS
    assert sum(each.requests for each in sample.tenants) == 40
    assert sum(each.resident_tokens for each in sample.tenants) == sample.resident_tokens


@pytest.mark.parametrize("config", [*CONFIGS[:2], *HOSTED[:2]])
@pytest.mark.parametrize("joins_late", [False, True])
def test_what_is_held_is_what_the_tree_has(config: CacheConfig, joins_late: bool) -> None:
    adapter = EmbeddedAdapter(config.describe())
    run = CacheRun(config, adapter, 7)
    for _ in range(150):
        run.step()
    adapter.flush()
    if joins_late:
        adapter.poll()
        adapter.bind(run.cache.snapshot_records, None)
    aggregator = Aggregator(adapter)
    if joins_late:
        aggregator.probes["tenants"].lost()
        for record in run.cache.snapshot_records():
            aggregator.mirror.apply(record)
    for _ in range(150):
        run.step()
    adapter.flush()
    sample = aggregator.tick(0).get(TenantsSample)
    assert sample is not None
    held: Counter[str] = Counter()
    for node in run.cache.tree.descend():
        if not node.is_away:
            held[str(node.namespace) or PLAIN] += node.length
    assert {each.namespace: each.resident_tokens for each in sample.tenants if each.resident_tokens} == held


def test_kinds_of_segments_have_the_missed_tokens_of_all_requests() -> None:
    watched = Watched()
    for number in range(5):
        watched.serve(range(10 * number, 10 * number + 30))
    watched.adapter.flush()
    snapshot = watched.aggregator.tick(0)
    kinds, log = snapshot.get(MissKindsSample), snapshot.get(RequestLogSample)
    assert kinds is not None and log is not None
    assert [each.name for each in kinds.kinds] == ["question"]
    assert all(kinds.kinds[0].total.of(miss) == log.total.of(miss) for miss in MISS_CLASSES)
