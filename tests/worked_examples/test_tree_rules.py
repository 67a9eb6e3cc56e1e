"""Worked examples A11 to A14, A16 and A17: splits, namespaces, recency, the control, the seven orders, cascades."""

from __future__ import annotations

import pytest

from cache_core import NamespaceMismatchError, PrefixCache, RadixKey
from cache_core.control import build
from cache_core.key import common_tokens
from tests.support.caches import full_cache, hits, insert, key
from tests.support.observe import free, rows, shape


def put(cache: PrefixCache, *numbers: int) -> None:
    """Insert literal tokens."""
    cache.insert(RadixKey(numbers), cache.allocate(len(numbers)))


def test_a11_a_match_splits_the_edge_in_which_it_ends() -> None:
    cache = full_cache()
    for numbers in ((1, 2, 3), (1, 2, 3), (1, 2, 4, 5), (1, 2, 4, 5, 6, 7), (8, 9, 10, 11, 12)):
        put(cache, *numbers)
    assert cache.match(RadixKey((1, 2, 3, 13, 14))).hit_tokens == 3
    assert [row.key for row in rows(cache)] == [
        (1, 2), (1, 2, 3), (1, 2, 4, 5), (1, 2, 4, 5, 6, 7), (8, 9, 10, 11, 12),
    ]  # fmt: skip


@pytest.mark.parametrize("names", [{"extra_key": "lora"}, {"cache_salt": "salt"}], ids=["extra_key", "cache_salt"])
def test_a12_namespaces_share_nothing(names: dict[str, str]) -> None:
    cache = full_cache()
    insert(cache, "A8")
    assert cache.match(key("A8", **names)).hit_tokens == 0
    insert(cache, "A8", **names)
    assert (cache.match(key("A8", **names)).hit_tokens, hits(cache, "A8")[0]) == (8, 8)
    assert not set(cache.match(key("A8", **names)).slots()) & set(cache.match(key("A8")).slots())


def test_a12_comparing_keys_of_two_namespaces_is_a_clear_error() -> None:
    cache = full_cache()
    insert(cache, "A8")
    assert hits(cache, "A8")[0] == common_tokens(key("A8"), key("A8")) == 8
    with pytest.raises(NamespaceMismatchError, match="use the same extra_key and cache_salt"):
        common_tokens(key("A8"), key("A8", extra_key="lora"))


def test_a13_a_lookup_refreshes_the_interior_of_its_path() -> None:
    cache = full_cache()
    insert(cache, "A4")
    insert(cache, "A8")
    insert(cache, "B4")
    assert hits(cache, "A4")[0] == 4  # touches the interior node alone
    assert [evicted(cache) for _ in range(3)] == ["A4:8", "B0:4", "A0:4"]


def evicted(cache: PrefixCache) -> str:
    """Evict one node and name it by stream and range."""
    before = rows(cache)
    cache.evict(full_tokens=1)
    (gone,) = set(before) - set(rows(cache))
    return f"{chr(ord('A') + gone.key[0] // 100_000)}{gone.start}:{gone.start + gone.length}"


def test_a14_the_chunk_cache_is_a_control_that_reuses_nothing() -> None:
    cache = full_cache()
    control = build("chunk", cache.config)
    for target in (cache, control):
        for _ in range(2):
            request = target.admit(key("A20"))
            request.prefill(20)
            request.finish()
    assert (cache.match(key("A20")).hit_tokens, control.match(key("A20")).hit_tokens) == (20, 0)
    assert (free(cache), free(control)) == ((236,), (256,))


A16_ORDERS = {
    "lru": "DACB",
    "mru": "BCAD",
    "fifo": "ABCD",
    "filo": "DCBA",
    "lfu": "DBAC",
    "slru": "DBAC",
    "priority": "CBAD",
}


@pytest.mark.parametrize("evictor", ["incremental", "rebuild"])
@pytest.mark.parametrize("policy", A16_ORDERS)
def test_a16_each_order_evicts_the_smallest_key_first(policy: str, evictor: str) -> None:
    cache = full_cache(policy=policy, evictor=evictor)
    for text, priority in (("A4", 5), ("B4", 1), ("C4", 1), ("D4", 9), ("A4", 0), ("C4", 0), ("C4", 0)):
        insert(cache, text, priority=priority)
    assert hits(cache, "B4")[0] == 4
    assert "".join(evicted(cache)[0] for _ in range(4)) == A16_ORDERS[policy]


@pytest.mark.parametrize("evictor", ["incremental", "rebuild"])
def test_a17_a_dead_branch_cascades_away_in_one_call(evictor: str) -> None:
    cache = full_cache(evictor=evictor)
    for text in ("A4", "A8", "A12", "A16", "B4"):
        insert(cache, text)
    assert hits(cache, "B4")[0] == 4  # most recent, so it stays
    gone = cache.evict(full_tokens=16)
    assert (gone.full_tokens, shape(cache)) == (16, "0+4")
    assert (hits(cache, "A16")[0], hits(cache, "B4")[0]) == (0, 4)


def test_a17_a_locked_parent_stops_the_cascade() -> None:
    cache = full_cache()
    for text in ("A4", "A8", "A12"):
        insert(cache, text)
    receipt = cache.lock(cache.match(key("A8")).node)
    assert cache.evict(full_tokens=100).full_tokens == 4
    cache.unlock(receipt)
    assert cache.evict(full_tokens=100).full_tokens == 8
