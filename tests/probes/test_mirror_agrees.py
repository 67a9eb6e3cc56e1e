"""Events suffice: what the records say equals what the real cache is, after any run."""

from __future__ import annotations

import random
from collections.abc import Callable
from hashlib import blake2b
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.event_codec import decode
from cache_core.events import KIND_MASK, RawRecord
from cache_core.node import Node
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.branching import BranchingSample
from probes.builtin.hit_rate import HitRateSample, HitTotals
from probes.builtin.occupancy import OccupancySample
from probes.builtin.tree_shape import TreeShapeSample
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from tests.support.cache_runs import RUNS, CacheRun

SEEDS = st.integers(0, 2**32)
Setup = tuple[str, CacheConfig]


def assert_mirrors(mirror: Mirror, cache: PrefixCache) -> None:
    """Compare every node; content keys are computed anew from the tokens."""
    real = {node.id: node for node in cache.tree.descend()}
    assert set(mirror.nodes) == {0, *real}
    prefixes = {cache.tree.root.id: b""}
    for node in real.values():
        assert node.parent is not None
        prefixes[node.id] = prefixes[node.parent.id] + node.edge
        assert _mirrored(mirror.nodes[node.id]) == _real(cache, node, prefixes[node.id]), f"{node.id=}"
        if node.namespace.id:
            assert mirror.namespaces[node.namespace.id] == str(node.namespace)
    assert {node.id: node.segments for node in mirror.nodes.values()} == _stated_segments(cache)


def _mirrored(node: MirrorNode) -> tuple[object, ...]:
    assert node.parent is not None
    return (
        node.parent.id, set(node.children), node.start, node.length, node.content_key, node.namespace, node.live,
        node.copied, node.hit_count, node.priority, node.locks, node.anchored,
    )  # fmt: skip


def _real(cache: PrefixCache, node: Node, tokens: bytes) -> tuple[object, ...]:
    assert node.parent is not None
    digest = blake2b(node.namespace.prefix + tokens, digest_size=8).digest()
    receipts_here = node.lock - sum(child.lock for child in node.children.values())
    return (
        node.parent.id, {child.id for child in cache.tree.children_of(node)}, node.start, node.length,
        int.from_bytes(digest, "little", signed=True), node.namespace.id, cache.live_mask(node),
        0 if cache.host is None else cache.host.settled(node), node.hits, node.priority, node.lock, receipts_here,
    )  # fmt: skip


def _stated_segments(cache: PrefixCache) -> dict[int, tuple[tuple[int, int], ...]]:
    """Return the segments of the tree stated at rest, which the deltas must have led to."""
    stated = Mirror()
    for raw in cache.snapshot_records():
        record = decode(raw[0] & KIND_MASK, raw[1:])
        assert record is not None
        stated.apply(record)
    return {node.id: node.segments for node in stated.nodes.values()}


def bound(
    config: CacheConfig, seed: int, kind: str = "prefix", **options: object
) -> tuple[CacheRun, EmbeddedAdapter, Aggregator]:
    """Return a run whose cache is watched from its first record on."""
    adapter = EmbeddedAdapter(config.describe(), **options)  # type: ignore[arg-type]
    run = CacheRun(config, adapter, seed, kind)
    adapter.bind(run.cache.snapshot_records, run.cache.emit_pools)
    return run, adapter, Aggregator(adapter)


@given(st.sampled_from(RUNS), SEEDS)
@settings(max_examples=60)
def test_a_mirror_that_saw_everything_equals_the_cache(setup: Setup, seed: int) -> None:
    kind, config = setup
    run, adapter, aggregator = bound(config, seed, kind)
    for _ in range(6):
        for _ in range(25):
            run.step()
        adapter.flush()
        aggregator.tick(run.cache.clock())
        assert_mirrors(aggregator.mirror, run.cache)


@given(st.sampled_from(RUNS), SEEDS)
@settings(max_examples=30)
def test_samples_equal_what_the_cache_says_of_itself(setup: Setup, seed: int) -> None:
    kind, config = setup
    run, adapter, aggregator = bound(config, seed, kind)
    for _ in range(120):
        run.step()
    adapter.flush()
    snapshot = aggregator.tick(run.cache.clock())
    stats = run.cache.stats()
    shape, pools = snapshot.get(TreeShapeSample), snapshot.get(OccupancySample)
    assert shape is not None and pools is not None
    for field in ("nodes", "leaves", "tombstones", "depth"):
        assert getattr(shape, field) == stats[field], field  # type: ignore[literal-required]
    assert shape.host_nodes == stats.get("host_nodes")
    if run.cache.host is not None:
        copied = dict.fromkeys(config.components, 0)
        for node in run.cache.tree.descend():
            for number, name in enumerate(config.components):
                copied[name] += run.cache.host.settled(node) >> number & 1
        assert shape.copied_nodes == copied
    for pool in pools.pools:
        figures = stats["components"][pool.name]
        assert (pool.free, pool.evictable, pool.protected) == tuple(figures.values())[:3]
    _assert_hits(run, snapshot.get(HitRateSample), snapshot.get(BranchingSample))


def _assert_hits(run: CacheRun, hits: HitRateSample | None, branching: BranchingSample | None) -> None:
    assert hits is not None and branching is not None
    prompts, found, full = (
        sum(len(request.key) for request in run.admitted),
        sum(request.hit_tokens - request.loaded_tokens for request in run.admitted),
        sum(request.full_hit_tokens for request in run.admitted),
    )
    on_host = sum(request.host_hit_tokens for request in run.admitted)
    assert branching.recomputed_tokens == full - found - on_host
    loaded = hits.total.loaded_tokens
    assert hits.total == HitTotals(len(run.admitted), prompts, found + loaded, full, on_host, loaded)
    told = [request for request in run.admitted if request.receipt is None or request.length > request.hit_tokens]
    assert loaded == sum(request.loaded_tokens for request in told)


@given(st.sampled_from(RUNS), SEEDS, st.floats(0.05, 0.9))
@settings(max_examples=36)
def test_a_reader_that_is_overrun_again_and_again_ends_up_with_the_tree(setup: Setup, seed: int, pace: float) -> None:
    kind, config = setup
    ticks = count(0, 500_000)  # so slow a clock that a slice of the walk holds a few nodes
    run, adapter, aggregator = bound(config, seed, kind, most_runs=8, clock=lambda: next(ticks))
    polling = random.Random(seed)
    for _ in range(150):
        run.step()
        adapter.flush()
        if polling.random() < pace:
            aggregator.tick(0)
    for _ in range(12):
        run.step()
        adapter.flush()
    for _ in range(60):
        aggregator.tick(0)
        run.step()
        adapter.flush()
    source = aggregator.tick(0).source
    assert source.dropped_records > 0
    assert source.state == "live"
    assert_mirrors(aggregator.mirror, run.cache)


def stepwise(cache: PrefixCache, mirror: Mirror, sink: _Sink, between: Callable[[], None]) -> None:
    """Walk the tree record by record into a mirror, with something happening before each one."""
    walk = cache.snapshot_records()
    stated: RawRecord | None = ()
    while stated is not None:
        between()
        sink.into(mirror)
        stated = next(walk, None)
        if stated is not None:
            _apply(mirror, stated)


def _apply(mirror: Mirror, raw: RawRecord) -> None:
    record = decode(raw[0] & KIND_MASK, raw[1:])
    assert record is not None
    mirror.apply(record)


class _Sink:
    """Keeps records until the test takes them."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []

    def flush(self) -> None:
        """Nothing is published."""

    def into(self, mirror: Mirror) -> None:
        """Apply and drop what waits."""
        for raw in self.records:
            _apply(mirror, raw)
        self.records.clear()


@given(st.sampled_from(RUNS), SEEDS)
@settings(max_examples=60)
def test_a_walk_interrupted_between_any_two_records_states_the_tree(setup: Setup, seed: int) -> None:
    sink = _Sink()
    kind, config = setup
    run = CacheRun(config, sink, seed, kind)
    for _ in range(60):
        run.step()
    sink.records.clear()
    mirror = Mirror(config.components)
    budget = iter(range(150))
    pace = random.Random(seed)
    stepwise(
        run.cache,
        mirror,
        sink,
        lambda: run.step() if pace.random() < 0.4 and next(budget, None) is not None else None,
    )
    assert_mirrors(mirror, run.cache)


@pytest.mark.parametrize("kind", ["hit_tokens", "recomputed_tokens"])
def test_tokens_per_node_add_up_to_what_requests_reused_and_recomputed(kind: str) -> None:
    run, adapter, aggregator = bound(CacheConfig(window=6, full_slots=5000, swa_slots=5000), seed=5)
    for _ in range(60):
        run.admit()
        request = run.requests.pop()
        request.prefill(len(request.key))
        request.finish()
    adapter.flush()
    aggregator.tick(run.cache.clock())
    expected = {
        "hit_tokens": sum(request.hit_tokens for request in run.admitted),
        "recomputed_tokens": sum(request.full_hit_tokens - request.hit_tokens for request in run.admitted),
    }
    assert expected[kind] > 0
    assert sum(getattr(node, kind) for node in aggregator.mirror.nodes.values()) == expected[kind]


def test_nodes_are_described_by_the_segments_of_the_prompts_that_made_them() -> None:
    run, adapter, aggregator = bound(CacheConfig(components=("full",), full_slots=100), seed=1)
    for turn in (7, 8):
        key = RadixKey([1, 2, 3, 4, turn, turn], segments=((0, "system prompt"), (4, f"turn {turn}")))
        request = run.cache.admit(key)
        request.prefill(6)
        request.finish()
    adapter.flush()
    aggregator.tick(run.cache.clock())
    mirror = aggregator.mirror
    described = {mirror.describe(node): (node.start, node.end) for node in mirror.nodes.values()}
    assert described == {"root": (0, 0), "system prompt": (0, 4), "turn 7": (4, 6), "turn 8": (4, 6)}


def test_a_branching_point_of_the_real_cache_is_opened_filled_and_lost_with_its_window() -> None:
    run, adapter, aggregator = bound(CacheConfig(window=8, full_slots=500, swa_slots=200), seed=1)
    shared = [index % 3 + 1 for index in range(60)]
    for turn in (7, 8, 9):
        key = RadixKey([*shared, *[turn] * 10], segments=((0, "system prompt"), (60, f"turn {turn}")))
        request = run.cache.admit(key)
        request.prefill(len(key))
        request.finish()
    run.cache.evict(swa_tokens=200)
    adapter.flush()
    branching = aggregator.tick(run.cache.clock()).get(BranchingSample)
    assert branching is not None
    assert (branching.opened, branching.filled, branching.lost, branching.open_now) == (1, 1, 1, 0)
    assert branching.recomputed_tokens == 60  # the second request's; the third found the window kept
    events = [(event.kind, event.position, event.label) for event in branching.recent]
    assert events == [(kind, 60, "system prompt") for kind in ("lost", "filled", "opened")]
