"""Worked example B12: which part of a window is copied to the host, and by which transfer."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import CacheConfig, PrefixCache
from tests.support.caches import insert
from tests.support.observe import shape


def chain(window: int, ends: range) -> PrefixCache:
    """Return a cache whose Full data is on the host and whose windows are on the device alone."""
    config = CacheConfig(window=window, full_slots=256, host_slots=256, swa_eviction="lru")
    cache = PrefixCache(config)
    for end in ends:
        insert(cache, f"A{end}")
    acknowledge(cache)
    assert cache.host is not None
    cache.host.evict(swa_tokens=max(ends))
    assert shape(cache) == " ".join(f"{end - 2}+2Sf" for end in ends)
    return cache


def queued(cache: PrefixCache) -> list[tuple[int, dict[str, list[int]]]]:
    """Take the transfers that are queued; return number and device slots of each."""
    assert cache.host is not None
    return [
        (transfer.id, {name: list(device) for name, (device, _) in transfer.parts.items()})
        for transfer in cache.host.take_transfers()
    ]


def acknowledge(cache: PrefixCache) -> None:
    """Make every transfer that is queued."""
    assert cache.host is not None
    for number, _ in queued(cache):
        cache.host.complete(number)


@pytest.mark.parametrize(("window", "copied"), [(2, 2), (3, 4), (4, 4), (5, 6), (12, 12), (40, 12)])
def test_b12_whole_nodes_are_copied_until_they_cover_a_window(window: int, copied: int) -> None:
    cache = chain(window, range(2, 14, 2))
    insert(cache, "A12")
    ((_, parts),) = queued(cache)
    assert {name: len(slots) for name, slots in parts.items()} == {"swa": copied}
    assert shape(cache).count("Sfs") == copied // 2


def test_b12_what_the_host_has_already_is_not_copied_again() -> None:
    cache = chain(6, range(2, 14, 2))
    insert(cache, "A10")
    acknowledge(cache)
    insert(cache, "A12")
    assert [len(parts["swa"]) for _, parts in queued(cache)] == [2]


def test_b12_a_node_that_a_copy_under_way_covers_is_left_to_it_with_all_above() -> None:
    cache = chain(6, range(2, 14, 2))
    transfers = []
    for text in ("A8", "A12", "A10", "A12", "A4", "A6"):
        insert(cache, text)
        transfers += queued(cache)
    claimed = Counter(slot for _, parts in transfers for slot in parts["swa"])
    assert set(claimed.values()) == {1}, "two acknowledgements claim one slot"
    assert [len(parts["swa"]) for _, parts in transfers] == [6, 4]
    assert cache.host is not None
    for number, _ in reversed(transfers):
        cache.host.complete(number)
    assert shape(cache).count("Sfs") == 5
