"""What a cache tells consumers of its blocks, change by change."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey, kv_hashes
from cache_core.key import PLAIN, namespace
from cache_core.kv_blocks import AllBlocksCleared, BlockRemoved, BlockStored, Group, KVEvent
from cache_core.kv_events import KVEvents
from cache_core.node import Node
from tests.support.caches import full_cache, insert, key, swa_cache
from tests.support.kv_consumer import Mirror
from tests.support.kv_naive import blocks, chain


def watched(cache: PrefixCache, groups: bool = False, limit_blocks: int = 10_000) -> KVEvents:
    """Return the events of a cache from now on."""
    events = KVEvents(cache, groups=groups, limit_blocks=limit_blocks)
    events.take()
    return events


def stored(events: list[KVEvent]) -> list[BlockStored]:
    """Return events that must all be stores."""
    found = [event for event in events if isinstance(event, BlockStored)]
    assert found == events
    return found


def removed(events: list[KVEvent]) -> list[BlockRemoved]:
    """Return events that must all be removals."""
    found = [event for event in events if isinstance(event, BlockRemoved)]
    assert found == events
    return found


def hashes(text: str, page: int = 4, extra_key: str | None = None, salt: str | None = None) -> tuple[int, ...]:
    """Return the hash of each page of a key."""
    return tuple(chain(key(text).tokens, 4 * page, namespace(extra_key, salt)))


def put(cache: PrefixCache, tokens: list[int]) -> None:
    """Insert tokens on slots of their own."""
    cache.insert(RadixKey(tokens), cache.allocate(len(tokens)))


def test_stores_that_go_on_from_each_other_are_one_event() -> None:
    cache = full_cache()
    events = watched(cache)
    for text in ("A4", "A8", "A12"):
        insert(cache, text)
    (event,) = stored(events.take())
    assert event.block_hashes == hashes("A12", page=1)
    assert event.token_ids == list(range(12))


@pytest.mark.parametrize("names", [{"extra_key": "lora"}, {"cache_salt": "salt"}])
def test_stores_of_two_namespaces_stay_apart(names: dict[str, str]) -> None:
    cache = full_cache()
    events = watched(cache)
    insert(cache, "A4")
    insert(cache, "A4", **names)
    plain, named = stored(events.take())
    assert plain.cache_salt is plain.lora_name is None
    assert (named.lora_name, named.cache_salt) == (names.get("extra_key"), names.get("cache_salt"))
    assert not set(plain.block_hashes) & set(named.block_hashes)


def test_a_store_elsewhere_is_an_event_of_its_own() -> None:
    cache = full_cache()
    events = watched(cache)
    insert(cache, "A4")
    insert(cache, "A2 B2")
    first, second = stored(events.take())
    assert second.parent_block_hash == first.block_hashes[1]


def test_a_take_ends_an_event() -> None:
    cache = full_cache()
    events = watched(cache)
    insert(cache, "A4")
    first = stored(events.take())
    insert(cache, "A8")
    (second,) = stored(events.take())
    assert second.parent_block_hash == first[0].block_hashes[-1]
    assert second.block_hashes == hashes("A8", page=1)[4:]


def test_a_removed_block_that_comes_back_has_its_name_again() -> None:
    cache = full_cache(page=4)
    events = watched(cache)
    insert(cache, "A8")
    cache.evict(8)
    insert(cache, "A8")
    first, gone, again = events.take()
    assert first == again
    assert isinstance(first, BlockStored) and isinstance(gone, BlockRemoved)
    assert gone.block_hashes == first.block_hashes


def test_what_is_in_the_tree_already_tells_nothing() -> None:
    cache = full_cache(page=4)
    insert(cache, "A8")
    events = watched(cache)
    insert(cache, "A8")
    insert(cache, "A4")
    cache.unlock(cache.lock(cache.match(key("A8")).node))
    assert events.take() == []


def test_a_partial_page_is_no_block() -> None:
    cache = full_cache(page=4)
    events = watched(cache)
    insert(cache, "A14")
    (event,) = stored(events.take())
    assert len(event.block_hashes) == 3


def test_events_of_a_cache_in_use_begin_with_what_it_holds() -> None:
    cache = full_cache(page=4)
    for text in ("A12", "A4 B8", "C8"):
        insert(cache, text)
    mirror = Mirror()
    first, *others = KVEvents(cache).take()
    assert first == AllBlocksCleared()
    mirror.replay(others)
    assert mirror.blocks() == blocks(cache)


def test_window_state_tells_nothing_without_groups() -> None:
    cache = swa_cache(window=4, slots=64)
    events = watched(cache)
    insert(cache, "A16", swa_from=8)
    (event,) = stored(events.take())
    assert event.group is None
    cache.evict(swa_tokens=4)
    insert(cache, "A16")
    assert cache.stats()["tombstones"] == 0
    assert events.take() == []


def test_groups_tell_of_tombstones_and_recoveries() -> None:
    cache = swa_cache(page=2, window=4, slots=64)
    events = watched(cache, groups=True)
    insert(cache, "A8", swa_from=4)
    full, windowed = stored(events.take())
    assert full.group is not None and windowed.group is not None
    assert (full.group.index, full.group.kind, full.group.window) == (0, "full_attention", None)
    assert (windowed.group.index, windowed.group.kind, windowed.group.window) == (1, "sliding_window", 4)
    assert full.block_hashes == hashes("A8", page=2)
    assert (windowed.block_hashes, windowed.parent_block_hash) == (full.block_hashes[2:], full.block_hashes[1])

    insert(cache, "A8")
    (recovered,) = stored(events.take())
    assert (recovered.group, recovered.block_hashes) == (windowed.group, full.block_hashes[:2])
    assert recovered.parent_block_hash is None

    receipt = cache.lock(cache.match(key("A8")).node)
    cache.evict(swa_tokens=4)
    (dead,) = removed(events.take())
    assert dead == BlockRemoved(full.block_hashes[:2], "GPU", windowed.group)

    cache.unlock(receipt)
    cache.evict(100)
    assert {event.group for event in removed(events.take())} == {full.group, windowed.group}


def test_bigram_blocks_list_pairs() -> None:
    cache = PrefixCache(CacheConfig(page_size=2, components=("full",), full_slots=64, bigram=True))
    events = watched(cache)
    pairs = RadixKey([1, 2, 3, 4, 5])
    cache.insert(pairs, cache.allocate(4))
    (event,) = stored(events.take())
    assert (event.token_ids, event.block_size) == ([[1, 2], [2, 3], [3, 4], [4, 5]], 2)
    assert event.block_hashes == tuple(chain(pairs.pairs(), 16, PLAIN))
    cache.evict(4)
    assert removed(events.take()) == [BlockRemoved(event.block_hashes)]


def test_a_state_is_one_block_at_the_end_of_its_node() -> None:
    settings = {"full_slots": 64, "mamba_slots": 8, "mamba_chunk_tokens": 4}
    cache = PrefixCache(CacheConfig(page_size=2, components=("full", "mamba"), **settings))  # type: ignore[arg-type]
    events = watched(cache, groups=True)
    request = cache.admit(key("A8"))
    request.prefill(8)
    request.finish()
    full, state = stored(events.take())
    assert state.group == Group(1, "mamba")
    assert (state.block_hashes, state.parent_block_hash) == (full.block_hashes[-1:], full.block_hashes[-2])
    assert state.token_ids == [6, 7]

    cache.match(key("A4"))
    assert events.take() == []
    cache.evict(full_tokens=64)
    gone = removed(events.take())
    assert [event.block_hashes for event in gone if event.group == state.group] == [state.block_hashes]
    assert {name for event in gone for name in event.block_hashes} == set(full.block_hashes)


def test_a_page_is_hashed_once_however_deep_and_however_often_split(monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []
    sha256 = kv_hashes.sha256
    monkeypatch.setattr(kv_hashes, "sha256", lambda raw: hashed.append(1) or sha256(raw))
    cache = full_cache(page=4, slots=4096)
    events = watched(cache)
    for depth in range(1, 51):
        insert(cache, f"A{16 * depth}")
        events.take()
    for cut in range(4, 800, 12):
        cache.match(key(f"A{cut}"))
    cache.evict(4096)
    events.take()
    assert len(hashed) == 200


def test_what_nobody_takes_is_bounded_counted_and_stated_anew() -> None:
    cache = full_cache(slots=64)
    events = watched(cache, limit_blocks=20)
    insert(cache, "A16")
    insert(cache, "B8")
    insert(cache, "C8")
    cache.evict(10)
    mirror = Mirror()
    mirror.replay(events.take())
    assert mirror.blocks() == blocks(cache)
    assert events.dropped_blocks == 48
    assert events.take() == []


def test_what_was_closed_hears_nothing() -> None:
    cache = full_cache()
    events = watched(cache)
    events.close()
    insert(cache, "A4")
    assert events.take() == []


class TestHostTier:
    """Copies in host memory are blocks of a medium of their own. The tier's calls are made by hand here."""

    def test_a_backup_is_a_store_and_a_demotion_leaves_it(self) -> None:
        _, events, node = with_one_node()
        events.backed_up(node, 0)
        (backup,) = stored(events.take())
        assert (backup.medium, backup.block_hashes, backup.token_ids) == ("CPU_PINNED", hashes("A8"), list(range(8)))
        events.demoted(node)
        assert removed(events.take()) == [BlockRemoved(hashes("A8"), "GPU")]
        events.restored(node)
        (back,) = stored(events.take())
        assert (back.medium, back.block_hashes) == ("GPU", hashes("A8"))
        events.host_dropped(node, 0)
        assert removed(events.take()) == [BlockRemoved(hashes("A8"), "CPU_PINNED")]

    def test_what_leaves_the_tree_leaves_every_medium(self) -> None:
        cache, events, node = with_one_node()
        events.backed_up(node, 0)
        events.take()
        cache.evict(8)
        assert removed(events.take()) == [BlockRemoved(hashes("A8"), "GPU"), BlockRemoved(hashes("A8"), "CPU_PINNED")]

    def test_a_split_divides_the_copies(self) -> None:
        cache, events, node = with_one_node()
        events.backed_up(node, 0)
        cache.match(key("A4"))
        events.take()
        events.host_dropped(node, 0)
        assert removed(events.take()) == [BlockRemoved(hashes("A8")[1:], "CPU_PINNED")]

    def test_what_is_known_is_not_told_twice(self) -> None:
        _, events, node = with_one_node()
        for _ in range(2):
            events.backed_up(node, 0)
        for _ in range(2):
            events.demoted(node)
        events.recovered(node, 1)
        assert len(events.take()) == 2

    def test_a_restatement_tells_of_every_medium(self) -> None:
        _, events, node = with_one_node()
        events.backed_up(node, 0)
        events.demoted(node)
        events.take()
        events.restate()
        cleared, copy = events.take()
        assert cleared == AllBlocksCleared()
        assert isinstance(copy, BlockStored) and copy.medium == "CPU_PINNED"


def with_one_node() -> tuple[PrefixCache, KVEvents, Node]:
    """Return a cache with one node of two pages, its events, and the node."""
    cache = full_cache(page=4)
    events = watched(cache)
    insert(cache, "A8")
    events.take()
    (node,) = cache.tree.descend()
    return cache, events, node
