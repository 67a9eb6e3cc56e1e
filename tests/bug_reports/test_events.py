"""Reports B46 and B48: what events tell of blocks adds up, for who listens from the start and for who comes late."""

from __future__ import annotations

import random

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.events import NodeRemoved
from cache_core.kv_blocks import AllBlocksCleared, BlockRemoved, BlockStored
from cache_core.kv_events import KVEvents
from probes.mirror import Mirror as TreeMirror
from tests.support.cache_runs import CacheRun
from tests.support.caches import full_cache, hits, insert, swa_cache
from tests.support.checked_cache import checked_full, checked_swa
from tests.support.kv_consumer import Mirror
from tests.support.kv_naive import blocks
from tests.support.records import added, record

SETTINGS = {
    "full": CacheConfig(components=("full",), full_slots=160, page_size=4),
    "full+swa": CacheConfig(window=6, full_slots=160, swa_slots=80, page_size=2),
}


def put(cache: PrefixCache, tokens: list[int]) -> None:
    """Insert tokens on slots of their own."""
    cache.insert(RadixKey(tokens), cache.allocate(len(tokens)))


def told_from_now(cache: PrefixCache) -> KVEvents:
    """Return the events of a cache from now on."""
    events = KVEvents(cache)
    events.take()
    return events


def told_of(events: KVEvents) -> list[BlockStored]:
    """Return the stores since the last call; there must be nothing else."""
    found = events.take()
    assert all(isinstance(event, BlockStored) for event in found)
    return [event for event in found if isinstance(event, BlockStored)]


# ---- B46: splits and repeated blocks


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
def test_b46_a_split_removes_nothing_and_stores_nothing_again(make: object) -> None:
    cache = make(page=4, slots=64)
    events = told_from_now(cache)
    put(cache, list(range(12)))
    put(cache, [*range(4), *range(90, 98)])
    first, second = told_of(events)
    assert [len(event.block_hashes) for event in (first, second)] == [3, 2]
    assert second.parent_block_hash == first.block_hashes[0]
    assert len({*first.block_hashes, *second.block_hashes}) == 5
    assert (first.block_size, second.block_size) == (4, 4)


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
def test_b46_equal_pages_are_blocks_of_their_own_each_below_the_one_before(make: object) -> None:
    cache = make(page=2, slots=64)
    events = told_from_now(cache)
    told = []
    for length in (2, 4, 6):
        put(cache, [7] * length)
        told += told_of(events)
    names = [name for event in told for name in event.block_hashes]
    assert len(set(names)) == 3
    assert [event.parent_block_hash for event in told] == [None, *names[:2]]


def test_b46_a_node_of_many_pages_is_told_of_in_blocks_of_one_size() -> None:
    cache = full_cache(page=4)
    events = told_from_now(cache)
    insert(cache, "A40")
    (event,) = events.take()
    assert (len(event.block_hashes), event.block_size, len(event.token_ids)) == (10, 4, 40)


@pytest.mark.parametrize("page", [1, 4, 16])
@pytest.mark.parametrize("seed", range(3))
def test_b46_a_router_that_heard_everything_knows_the_blocks_of_the_cache(page: int, seed: int) -> None:
    dice = random.Random(seed)
    cache = swa_cache(page=page, window=8, slots=32 * page)
    events, mirror = told_from_now(cache), Mirror()
    mirror.partial = False
    for _ in range(120):
        action = dice.random()
        if action < 0.6:
            insert(cache, " ".join(f"{dice.choice('AB')}{dice.randrange(8) * page}" for _ in range(2)))
        elif action < 0.8:
            hits(cache, f"A{dice.randrange(1, 16 * page)}")
        else:
            cache.evict(dice.randrange(1, 8 * page), dice.randrange(1, 8 * page))
        mirror.replay(events.take())
        assert mirror.blocks() == blocks(cache)


def test_b46_windows_that_come_and_go_tell_nothing() -> None:
    cache = swa_cache()
    events = told_from_now(cache)
    insert(cache, "A12")
    events.take()
    cache.evict(swa_tokens=8)
    insert(cache, "A8")
    assert events.take() == []


# ---- B48: parents that were never sent, mirrors that grow


@pytest.mark.parametrize("config", SETTINGS.values(), ids=SETTINGS)
def test_b48_who_comes_late_is_told_parents_first_and_ends_with_the_same_blocks(config: CacheConfig) -> None:
    run = CacheRun(config, None, seed=3)
    events = KVEvents(run.cache)
    for _ in range(400):
        run.step()
    events.take()
    events.restate()
    first, *others = events.take()
    assert first == AllBlocksCleared()
    late = Mirror()
    late.replay([first])
    for event in others:
        late.replay([event])
        assert late.orphans == []
    assert late.blocks() == blocks(run.cache)


def test_b48_a_block_without_its_parent_is_an_orphan_until_the_parent_comes() -> None:
    cache = checked_full(page=4, slots=64)
    events = told_from_now(cache)
    put(cache, list(range(4)))
    parent = told_of(events)
    put(cache, list(range(8)))
    child = told_of(events)
    consumer = Mirror()
    consumer.replay(child)
    assert (consumer.orphans, consumer.partial) == ([child[0].block_hashes[0]], True)
    consumer.replay(parent)
    assert consumer.orphans == []


def test_b48_nothing_is_kept_of_chains_that_are_gone() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=1000))
    events = KVEvents(cache)
    consumer = Mirror()
    for chain in range(1000):
        put(cache, [chain, *range(139)])
        consumer.replay(events.take())
    cache.evict(1000)
    consumer.replay(events.take())
    assert (len(consumer.copies), len(consumer.parents), events.nodes) == (0, 0, 0)


def test_b48_every_parent_was_sent_before_its_child_even_when_it_came_back() -> None:
    cache = full_cache(page=4, slots=32)
    events = told_from_now(cache)
    known: set[int | None] = {None}
    dice = random.Random(1)
    for _ in range(200):
        insert(cache, f"{dice.choice('ABC')}{4 * dice.randrange(1, 9)}")
        for event in events.take():
            if isinstance(event, BlockStored):
                assert event.parent_block_hash in known
                known.update(event.block_hashes)
            elif isinstance(event, BlockRemoved):
                known.difference_update(event.block_hashes)


def test_b48_a_mirror_leaves_out_a_node_whose_parent_it_does_not_know_until_it_does() -> None:
    mirror = TreeMirror(("full",))
    parent, child = added(1, 0, 8), added(3, 1, 8, start=8)
    mirror.apply(child)
    assert (len(mirror.nodes), mirror.leaves) == (1, 0), "the root alone"
    mirror.apply(parent)
    mirror.apply(child)
    assert mirror.nodes[3].parent == mirror.nodes[1]


def test_b48_a_mirror_of_records_frees_the_nodes_of_chains_that_are_gone() -> None:
    mirror = TreeMirror(("full",))
    nodes = 14
    for chain in range(1_000):
        first = 1 + chain * nodes
        for step in range(nodes):
            mirror.apply(added(first + step, first + step - 1 if step else 0, 10, start=10 * step))
        for step in reversed(range(nodes)):
            mirror.apply(record(NodeRemoved, node=first + step))
    assert (len(mirror.nodes), mirror.leaves, mirror.depth, mirror.root.subtree_tokens) == (1, 0, 0, 0)
