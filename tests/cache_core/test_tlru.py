"""tlru by hand: what a next prompt can miss without being slow goes first, whatever its age."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import CacheIntegrityError, PrefixCache, check_integrity
from cache_core.view import walk
from tests.support.caches import STREAM, full_cache, hits, insert, key, swa_cache
from tests.support.checked_cache import checked_full
from tests.support.hosted import hosted

TLRU = {"policy": "tlru", "policy_options": {"threshold_tokens": 12, "next_prompt_tokens": 4}}
"""A node is tail-safe where no more than 8 tokens lie from its start to as far as its branch ever reached."""

EVICTORS = pytest.mark.parametrize("evictor", ["incremental", "rebuild"])


def left(cache: Any) -> set[str]:
    """Return the nodes by letter and start."""
    return {f"{chr(ord('A') + row.first_token // STREAM)}{row.start}" for row in walk(cache)}


def order(cache: Any, victims: int = 100) -> str:
    """Evict leaf by leaf and return which ones went."""
    gone: list[str] = []
    before = left(cache)
    while before and len(gone) < victims:
        cache.evict(full_tokens=1)
        now = left(cache)
        gone += before - now
        before = now
    return " ".join(gone)


@EVICTORS
def test_a_short_conversation_goes_before_an_old_long_one_but_for_its_tail(evictor: str) -> None:
    cache = checked_full(evictor=evictor, **TLRU)
    insert(cache, "C20")  # 20 + 4 - 0 = 24 tokens anew: not safe, and the oldest
    for turn in ("A10", "A16", "A20"):
        insert(cache, turn)  # from 0: 24, from 10: 14, from 16: 8 tokens, which is safe
    insert(cache, "B9")  # 13 tokens: just not safe
    insert(cache, "D8")  # 12 tokens: safe
    assert order(cache) == "A16 D0 C0 A10 A0 B0"


@EVICTORS
def test_an_evicted_tail_still_counts_for_how_long_the_next_prompt_will_be(evictor: str) -> None:
    cache = checked_full(evictor=evictor, **TLRU)
    insert(cache, "B20")
    for turn in ("A10", "A16", "A20"):
        insert(cache, turn)
    assert order(cache, 3) == "A16 B0 A10"  # of a conversation of 16 tokens, the last 6 would be safe


@EVICTORS
def test_a_leaf_that_was_safe_is_not_once_its_branch_grew(evictor: str) -> None:
    cache = checked_full(evictor=evictor, **TLRU)
    insert(cache, "B20")
    insert(cache, "A8")
    insert(cache, "A12")
    assert order(cache) == "A8 B0 A0"


@EVICTORS
def test_one_long_branch_keeps_what_it_shares_with_a_short_one(evictor: str) -> None:
    cache = checked_full(evictor=evictor, **TLRU)
    insert(cache, "A6 B2")
    insert(cache, "A6 C14")  # cuts A6 off, which reaches to 20 now: 24 tokens; C from 6 on: 18
    insert(cache, "D20")
    assert order(cache) == "B6 C6 A0 D0"


@EVICTORS
def test_the_end_of_a_node_that_is_cut_may_be_safe_though_the_whole_was_not(evictor: str) -> None:
    cache = checked_full(evictor=evictor, **TLRU)
    insert(cache, "B12")
    insert(cache, "A12")
    assert hits(cache, "A4")[0] == 4
    assert order(cache) == "A4 B0 A0"


@EVICTORS
def test_a_cut_under_a_lock_counts_when_the_lock_is_gone(evictor: str) -> None:
    cache = checked_full(evictor=evictor, **TLRU)
    insert(cache, "B12")
    insert(cache, "A12")
    receipt = cache.lock(cache.match(key("A12")).node)
    assert hits(cache, "A4")[0] == 4
    cache.unlock(receipt)
    assert order(cache) == "A4 B0 A0"


@pytest.mark.parametrize("write_policy", ["write_through", "write_back"])
def test_a_copy_whose_node_is_cut_on_the_host_goes_by_its_new_rank(write_policy: str) -> None:
    cache = hosted(write_policy=write_policy, **TLRU)
    for text in ("B12", "A12"):
        insert(cache, text)
        for transfer in cache.host.take_transfers():
            cache.host.complete(transfer.id)
    cache.evict(full_tokens=24)
    for transfer in cache.host.take_transfers():
        cache.host.complete(transfer.id)
    assert cache.match(key("A4")).host_hit_tokens == 4
    assert left(cache) == {"A0", "A4", "B0"}
    cache.host.evict(full_tokens=1)
    assert left(cache) == {"A0", "B0"}


def test_what_comes_back_from_the_host_keeps_how_far_it_reached() -> None:
    cache = hosted(write_policy="write_back", **TLRU)
    insert(cache, "B20")
    for turn in ("A10", "A16", "A20"):
        insert(cache, turn)
    cache.evict(full_tokens=100)
    for transfer in cache.host.take_transfers():
        cache.host.complete(transfer.id)
    insert(cache, "B20")
    insert(cache, "A16")
    nodes = {(node.first_token, node.end): node for node in walk(cache)}
    assert {node.high_water for node in cache.tree.descend()} == {20}
    assert len(nodes) == 4


def test_other_orders_have_nodes_without_the_field() -> None:
    cache = full_cache()
    assert not hasattr(insert(cache, "A4").node, "high_water")
    assert (cache.attach_hooks, cache.tree.make_hooks, cache.tree.split_hooks) == ((), (), ())


@pytest.fixture
def conversation() -> PrefixCache:
    """A conversation of two turns, sound."""
    cache = swa_cache(**TLRU)
    insert(cache, "A10")
    insert(cache, "A20")
    check_integrity(cache)
    return cache


@pytest.mark.parametrize(
    ("start", "high_water", "complaint"),
    [(16, 19, "high water 19, it ends at 20"), (16, 21, "high water 21 above its parent's 20")],
)
def test_integrity_finds_a_wrong_high_water(
    conversation: PrefixCache, start: int, high_water: int, complaint: str
) -> None:
    (end,) = (node for node in conversation.tree.descend() if node.start == start)
    end.high_water = high_water  # type: ignore[attr-defined]
    with pytest.raises(CacheIntegrityError, match=complaint):
        check_integrity(conversation)
