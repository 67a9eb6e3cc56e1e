"""What watchers, events and records say of the two tiers, and when."""

from __future__ import annotations

from typing import Any

from cache_core import CacheConfig, PrefixCache
from cache_core.events import Lock, Match, NodeTiers, RequestAdmitted, RequestFinished, Unlock
from cache_core.kv_blocks import BlockRemoved, BlockStored
from cache_core.kv_events import KVEvents
from tests.support.caches import insert, key
from tests.support.sinks import Sink


def hosted(sink: Sink | None = None, **more: Any) -> PrefixCache:
    """Return a cache with the Full component and a host tier."""
    config = CacheConfig(components=("full",), full_slots=64, **{"host_slots": 64, "load_back_tokens": 1} | more)
    return PrefixCache(config, sink=sink)


def take(cache: PrefixCache) -> list[int]:
    """Take the transfers that are queued; return their numbers."""
    assert cache.host is not None
    return [transfer.id for transfer in cache.host.take_transfers()]


def settle(cache: PrefixCache) -> None:
    """Make every transfer."""
    assert cache.host is not None
    for number in take(cache):
        cache.host.complete(number)


def told(events: KVEvents) -> list[str]:
    """Return what was stored and removed since the last call: medium and number of blocks."""
    return [
        f"{'+' if isinstance(event, BlockStored) else '-'}{event.medium} {len(event.block_hashes)}"
        for event in events.take()
        if isinstance(event, BlockStored | BlockRemoved)
    ]


def test_blocks_are_on_the_host_from_when_the_copy_is_complete() -> None:
    cache = hosted()
    events = KVEvents(cache)
    insert(cache, "A8")
    assert told(events) == ["+GPU 8"]
    settle(cache)
    assert told(events) == ["+CPU_PINNED 8"]


def test_a_demotion_removes_from_the_device_and_an_insert_stores_again() -> None:
    cache = hosted()
    insert(cache, "A8")
    settle(cache)
    events = KVEvents(cache)
    told(events)
    cache.evict(full_tokens=8)
    assert told(events) == ["-GPU 8"]
    insert(cache, "A8")
    assert told(events) == ["+GPU 8"]


def test_a_load_back_stores_each_node_when_it_is_queued() -> None:
    cache = hosted()
    insert(cache, "A4")
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    events = KVEvents(cache)
    told(events)
    assert cache.admit(key("A8 B1")).load_back() == 8
    assert told(events) == ["+GPU 8"]


def test_a_host_leaf_that_goes_is_removed_from_the_host() -> None:
    cache = hosted()
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    events = KVEvents(cache)
    told(events)
    assert cache.host is not None
    cache.host.evict(full_tokens=64)
    assert told(events) == ["-CPU_PINNED 8"]


def test_who_begins_to_listen_is_told_of_complete_copies() -> None:
    cache = hosted()
    insert(cache, "A8")
    settle(cache)
    insert(cache, "B4")
    assert sorted(told(KVEvents(cache))) == ["+CPU_PINNED 8", "+GPU 4", "+GPU 8"]


def test_a_copy_counts_once_what_it_goes_on_from_is_somewhere() -> None:
    """Written back, a child is copied before its parent and both leave the device."""
    cache = hosted(write_policy="write_back")
    insert(cache, "A4")
    insert(cache, "A8")
    cache.evict(full_tokens=8)
    assert cache.host is not None
    child, parent = take(cache)
    events = KVEvents(cache)
    told(events)
    cache.host.complete(child)
    assert told(events) == []
    cache.host.complete(parent)
    assert told(events) == ["+CPU_PINNED 8"]


def test_a_copy_does_not_count_while_its_parent_is_nowhere() -> None:
    cache = hosted(write_policy="write_back")
    insert(cache, "A4")
    insert(cache, "A8")
    cache.evict(full_tokens=4)
    settle(cache)
    events = KVEvents(cache)
    assert told(events) == ["+GPU 4", "+CPU_PINNED 4"]
    cache.evict(full_tokens=4)
    assert told(events) == ["-CPU_PINNED 4", "-GPU 4"]
    insert(cache, "A4")
    assert told(events) == ["+GPU 4", "+CPU_PINNED 4"], "the parent is back, from elsewhere"


def test_records_say_where_a_nodes_data_is() -> None:
    sink = Sink()
    cache = hosted(sink)
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    insert(cache, "A8")
    sink.flush()
    assert [(tiers.live, tiers.copied) for tiers in sink.of(NodeTiers)] == [(1, 1), (0, 1), (1, 1)]


def test_a_split_states_the_copies_of_the_upper_part() -> None:
    sink = Sink()
    cache = hosted(sink)
    node = insert(cache, "A8").node
    settle(cache)
    cache.match(key("A4"))
    sink.flush()
    assert [(tiers.node, tiers.copied) for tiers in sink.of(NodeTiers)] == [(node.id, 1), (node.id + 1, 1)]


def test_transfers_lock_and_unlock_in_the_records() -> None:
    sink = Sink()
    cache = hosted(sink)
    node = insert(cache, "A8").node
    settle(cache)
    sink.flush()
    assert [(lock.node, lock.moved_tokens) for lock in sink.of(Lock)] == [(node.id, (8,))]
    assert [(unlock.node, unlock.moved_tokens) for unlock in sink.of(Unlock)] == [(node.id, (8,))]


def test_matches_and_requests_state_host_hits() -> None:
    sink = Sink()
    cache = hosted(sink)
    insert(cache, "A4")
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=4)
    request = cache.admit(key("A8 B4"))
    assert request.load_back() == 4
    request.prefill(12)
    request.finish()
    sink.flush()
    (match,) = sink.of(Match)
    assert (match.device_hit_tokens, match.host_hit_tokens, match.full_hit_tokens) == (4, 4, 8)
    (admitted,), (finished,) = sink.of(RequestAdmitted), sink.of(RequestFinished)
    classes = (admitted.device_hit_tokens, admitted.host_hit_tokens, admitted.recomputed_tokens, admitted.new_tokens)
    assert classes == (4, 4, 0, 4)
    assert (finished.device_hit_tokens, finished.host_hit_tokens) == (4, 4)


def test_a_request_that_loads_nothing_back_ends_without_host_hits() -> None:
    sink = Sink()
    cache = hosted(sink)
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    request = cache.admit(key("A8 B4"))
    request.prefill(12)
    request.finish()
    sink.flush()
    (admitted,), (finished,) = sink.of(RequestAdmitted), sink.of(RequestFinished)
    assert (admitted.host_hit_tokens, finished.host_hit_tokens) == (8, 0)
