"""Reports B13 to B19: what a lock covers, that it ends once, and that splits keep the tree whole."""

from __future__ import annotations

import random

import pytest

from cache_core import LockError, RadixKey, pretty_print
from tests.support.caches import hits, insert, key
from tests.support.checked_cache import checked_full, checked_swa
from tests.support.observe import everything, ledger, locks, rows, shape

CACHES = {
    "full": lambda page=1, **more: checked_full(page=page, **more),
    "full+swa": lambda page=1, **more: checked_swa(page=page, window=4, **more),
}


@pytest.fixture(params=CACHES)
def make(request: pytest.FixtureRequest) -> object:
    """A way to make a cache that checks itself, without and with windows."""
    return CACHES[request.param]


# ---- B13, B14: a lock and its end


def protected(cache: object) -> tuple[int, int]:
    """Return the protected and the evictable tokens of the Full pool."""
    pool = ledger(cache)["full"]
    return pool.protected, pool.evictable


@pytest.mark.parametrize("page", [1, 4])
def test_b13_the_matched_node_itself_is_locked(make: object, page: int) -> None:
    cache = make(page)
    insert(cache, "A4")
    insert(cache, "A8")
    found = cache.match(key("A8"))
    assert found.hit_tokens == 8
    cache.lock(found.node)
    assert protected(cache) == (8, 0)
    assert cache.evict(full_tokens=8).full_tokens == 0
    assert hits(cache, "A8")[0] == 8


@pytest.mark.parametrize("depth", range(1, 7))
def test_b13_a_lock_covers_its_node_and_all_above_and_none_below(make: object, depth: int) -> None:
    cache = make()
    for end in range(4, 28, 4):
        insert(cache, f"A{end}")
    cache.lock(cache.match(key(f"A{4 * depth}")).node)
    assert protected(cache) == (4 * depth, 24 - 4 * depth)
    assert cache.evict(full_tokens=100).full_tokens == 24 - 4 * depth
    assert hits(cache, "A24")[0] == 4 * depth


def test_b14_counts_come_back_to_zero_and_go_no_lower(make: object) -> None:
    cache = make()
    insert(cache, "A8")
    receipt = cache.lock(cache.match(key("A8")).node)
    cache.unlock(receipt)
    assert protected(cache) == (0, 8)
    before = everything(cache)
    with pytest.raises(LockError):
        cache.unlock(receipt)
    assert everything(cache) == before
    receipt = cache.lock(cache.match(key("A8")).node)
    assert protected(cache) == (8, 0)
    cache.unlock(receipt)
    assert protected(cache) == (0, 8)


@pytest.mark.parametrize("seed", range(5))
def test_b14_many_locks_in_any_order_of_ends_leave_none(make: object, seed: int) -> None:
    dice = random.Random(seed)
    cache = make()
    for text in ("A12", "A8 B8", "A20", "C6"):
        insert(cache, text)
    receipts = []
    for _ in range(40):
        if receipts and dice.random() < 0.45:
            cache.unlock(receipts.pop(dice.randrange(len(receipts))))
        else:
            text = dice.choice(("A5", "A12", "A8 B3", "A20", "A8 B8", "C4", "D2"))
            receipts.append(cache.lock(cache.match(key(text)).node))
    for receipt in receipts:
        cache.unlock(receipt)
    assert set(locks(cache).split()) == {"0/0"}
    assert protected(cache)[0] == 0


# ---- B16, B17: locks and splits


def test_b16_a_partial_match_locks_what_it_matched(make: object) -> None:
    cache = make()
    insert(cache, "A100")
    found = cache.match(key("A40 X1"))
    assert found.hit_tokens == 40
    receipt = cache.lock(found.node)
    assert protected(cache)[0] == 40
    insert(cache, "A40 B60")
    assert protected(cache)[0] == 40
    cache.unlock(receipt)
    assert protected(cache) == (0, 160)


@pytest.mark.parametrize("cut", [1, 39, 40, 41, 60, 99])
def test_b16_a_split_under_a_lock_keeps_what_is_locked(make: object, cut: int) -> None:
    cache = make()
    insert(cache, "A100")
    receipt = cache.lock(cache.match(key("A60")).node)
    insert(cache, f"A{cut} B10")
    assert protected(cache)[0] == 60
    cache.unlock(receipt)
    assert protected(cache) == (0, 110)


def test_b17_each_half_of_a_split_is_found_under_its_own_first_page() -> None:
    cache = checked_full(page=4)
    insert(cache, "A16")
    insert(cache, "A8 B8")
    assert shape(cache) == "0+8 8+8 8+8"
    insert(cache, "A12 C4")
    assert shape(cache) == "0+8 8+4 12+4 12+4 8+8"
    assert len(pretty_print(cache).splitlines()) == 5
    assert cache.evict(full_tokens=256).full_tokens == 28
    assert (rows(cache), ledger(cache)["full"].evictable) == ([], 0)


@pytest.mark.parametrize("page", [1, 2, 4, 16])
@pytest.mark.parametrize("seed", range(3))
def test_b17_splits_at_every_page_keep_the_tree_whole(make: object, page: int, seed: int) -> None:
    dice = random.Random(seed)
    cache = make(page, slots=4096)
    for _ in range(30):
        parts = [f"{dice.choice('AB')}{dice.randrange(0, 10) * page}" for _ in range(dice.randrange(1, 4))]
        insert(cache, " ".join(parts))
        cache.match(RadixKey(list(range(dice.randrange(1, 8 * page)))))
        pretty_print(cache)
    cache.evict(full_tokens=4096)
    assert (rows(cache), ledger(cache)["full"].evictable) == ([], 0)
