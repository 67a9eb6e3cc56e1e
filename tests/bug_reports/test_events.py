"""Reports B46 and B48: what events tell of blocks adds up, for who listens from the start and for who comes late."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.kv_blocks import AllBlocksCleared, BlockStored
from cache_core.kv_events import KVEvents
from tests.support.cache_runs import CacheRun
from tests.support.checked_cache import checked_full, checked_swa
from tests.support.kv_consumer import Mirror
from tests.support.kv_naive import blocks

SETTINGS = {
    "full": CacheConfig(components=("full",), full_slots=160, page_size=4),
    "full+swa": CacheConfig(window=6, full_slots=160, swa_slots=80, page_size=2),
}


def put(cache: PrefixCache, tokens: list[int]) -> None:
    """Insert tokens on slots of their own."""
    cache.insert(RadixKey(tokens), cache.allocate(len(tokens)))


def told_of(events: KVEvents) -> list[BlockStored]:
    """Return the stores since the last call; there must be nothing else."""
    found = events.take()
    assert all(isinstance(event, BlockStored) for event in found)
    return [event for event in found if isinstance(event, BlockStored)]


# ---- B46: splits and repeated blocks


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
def test_b46_a_split_removes_nothing_and_stores_nothing_again(make: object) -> None:
    cache = make(page=4, slots=64)
    events = KVEvents(cache)
    events.take()
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
    events = KVEvents(cache)
    events.take()
    told = []
    for length in (2, 4, 6):
        put(cache, [7] * length)
        told += told_of(events)
    names = [name for event in told for name in event.block_hashes]
    assert len(set(names)) == 3
    assert [event.parent_block_hash for event in told] == [None, *names[:2]]


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
    events = KVEvents(cache)
    events.take()
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
