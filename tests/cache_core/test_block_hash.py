"""The block-hash cache: what is hit, in which order blocks are taken, and the bug reports about such caches."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import CacheConfig, ConfigError, DoubleFreeError, OutOfSlotsError, RadixKey, check_integrity
from cache_core.control import build
from cache_core.controls.block_hash.cache import BlockHashCache
from tests.support.caches import admit, insert, key, run
from tests.support.observe import everything, free, ledger, reusable

pytestmark = pytest.mark.one_backend("no tree")

PAGE = 4


def blocks(count: int = 64, **more: Any) -> BlockHashCache:
    """Return a cache of `count` blocks without windows."""
    cache = build("block_hash", CacheConfig(PAGE, components=("full",), full_slots=count * PAGE, **more))
    assert isinstance(cache, BlockHashCache)
    return cache


def windowed(count: int = 64, swa_count: int = 64, window: int = 2 * PAGE) -> BlockHashCache:
    """Return a cache with blocks of both kinds; a window of two blocks unless told otherwise."""
    cache = build("block_hash", CacheConfig(PAGE, window=window, full_slots=count * PAGE, swa_slots=swa_count * PAGE))
    assert isinstance(cache, BlockHashCache)
    return cache


def hit(cache: BlockHashCache, text: str) -> int:
    """Return how many blocks of a key are usable."""
    return cache.match(key(text)).hit_tokens // PAGE


# ---- hits


def test_only_full_blocks_are_hit() -> None:
    cache = blocks()
    run(cache, "A10", outputs="Z1")
    assert [hit(cache, text) for text in ("A3", "A4", "A10", "A8 B4", "A7 B9")] == [0, 1, 2, 2, 1]


def test_the_same_tokens_after_another_beginning_are_another_block() -> None:
    cache = blocks()
    run(cache, "A4 B4")
    assert [hit(cache, text) for text in ("A4 B4", "C4 B4", "B4")] == [2, 0, 0]


def test_namespaces_share_no_block() -> None:
    cache = blocks()
    insert(cache, "A8", extra_key="lora")
    assert [cache.match(key("A8", *names)).hit_tokens for names in ((None, None), ("lora", None))] == [0, 8]


def test_a_missing_ancestor_ends_a_match() -> None:
    cache = blocks()
    run(cache, "A16")
    second = cache.match(key("A8")).node
    digest = next(digest for digest, block in cache.table.blocks.items() if block is second)
    del cache.table.blocks[digest]
    assert hit(cache, "A16") == 1


def test_a_running_request_shares_what_it_has_decoded() -> None:
    cache = blocks()
    request = admit(cache, "A6")
    for token in (11, 12, 13):
        request.decode(token)
    assert cache.match(RadixKey([*range(6), 11, 12])).hit_tokens == 8


def test_a_second_copy_of_a_block_is_given_back() -> None:
    cache = blocks()
    first, second = admit(cache, "A8", prefilled=False), admit(cache, "A8", prefilled=False)
    first.prefill(8)
    second.prefill(8)
    assert second.row() == first.row()
    assert ledger(cache)["full"][:4] == ((64 - 2) * PAGE, 0, 2 * PAGE, 0)


class WeaklyHashed(BlockHashCache):
    """Hashes of a byte: of a few hundred blocks, many share one."""

    digest_bytes = 1


def test_blocks_of_one_hash_are_told_apart() -> None:
    cache = WeaklyHashed(CacheConfig(PAGE, components=("full",), full_slots=4000))
    given = {}
    for number in range(500):
        given[number] = cache.allocate(PAGE)
        cache.insert(RadixKey([number] * PAGE), given[number])
    found = {number: cache.match(RadixKey([number] * PAGE)).slots() for number in given}
    kept = {number: slots for number, slots in found.items() if slots}
    assert kept == {number: given[number] for number in kept}
    assert 100 < len(kept) <= 256
    assert free(cache) == (4000 - len(kept) * PAGE,)
    check_integrity(cache)


# ---- the order in which blocks are taken


def test_blocks_are_taken_in_the_order_of_last_release_and_tail_first() -> None:
    cache = blocks(count=8)
    run(cache, "A12")
    run(cache, "B12")
    admit(cache, "A12").finish()  # A is let go last now
    left = []
    for _ in range(6):
        cache.evict(full_tokens=1)
        left.append((hit(cache, "A12"), hit(cache, "B12")))
    assert left == [(3, 2), (3, 1), (3, 0), (2, 0), (1, 0), (0, 0)]


def test_a_look_does_not_renew_what_it_sees() -> None:
    cache = blocks(count=8)
    run(cache, "A8")
    run(cache, "B8")
    assert hit(cache, "A8") == 2
    cache.evict(full_tokens=2 * PAGE)
    assert (hit(cache, "A8"), hit(cache, "B8")) == (0, 2)


def test_what_is_inserted_behind_a_block_is_taken_before_it() -> None:
    cache = blocks(count=8)
    insert(cache, "A4")
    insert(cache, "B4")
    insert(cache, "A8")
    left = []
    for _ in range(3):
        cache.evict(full_tokens=1)
        left.append((hit(cache, "A8"), hit(cache, "B4")))
    assert left == [(2, 0), (1, 0), (0, 0)]


def test_a_held_block_stays_and_a_request_that_finds_none_changes_nothing() -> None:
    cache = blocks(count=4)
    request = admit(cache, "A9")
    with pytest.raises(OutOfSlotsError):
        admit(cache, "B8")
    cache.requests[2].retract()
    assert cache.evict(full_tokens=100).full_tokens == 0
    request.finish()
    assert (hit(cache, "A9"), reusable(cache)) == (2, (16,))


def test_an_allocation_takes_no_more_hashes_than_it_needs() -> None:
    cache = blocks(count=4)
    run(cache, "A12")
    admit(cache, "B4", prefilled=False).prefill(4, cache=False)
    assert hit(cache, "A12") == 3
    cache.requests[2].finish(insert=False)
    admit(cache, "B5", prefilled=False).prefill(5, cache=False)
    assert hit(cache, "A12") == 2


@pytest.mark.parametrize("make", [blocks, windowed])
def test_b09_a_block_given_back_twice_is_refused(make: Any) -> None:
    cache = make()
    block = cache.allocate(PAGE)
    before = everything(cache)
    with pytest.raises(DoubleFreeError):
        cache.free([*block, *block])
    assert everything(cache) == before
    cache.free(block)
    with pytest.raises(DoubleFreeError):
        cache.free(block)
    assert free(cache)[0] == 64 * PAGE
    assert not set(cache.allocate(PAGE)) & set(cache.allocate(PAGE))


def test_b09_a_block_of_the_table_is_nobodys_to_give_back() -> None:
    cache = blocks()
    insert(cache, "A8")
    slots = cache.match(key("A8")).slots()
    before = everything(cache)
    with pytest.raises(DoubleFreeError):
        cache.free(slots)
    assert everything(cache) == before


# ---- windows


def test_a_match_needs_the_blocks_of_its_last_window() -> None:
    cache = windowed()
    insert(cache, "A24", swa_from=16)
    found = cache.match(key("A24"))
    assert (found.hit_tokens, found.full_hit_tokens, found.branching_point) == (24, 24, None)
    assert [hit(cache, text) for text in ("A20", "A16", "A8")] == [0, 0, 0]


def test_blocks_behind_the_window_can_be_hit_until_they_are_taken() -> None:
    cache = windowed()
    run(cache, "A40")
    assert [hit(cache, text) for text in ("A40", "A24", "A8")] == [10, 6, 2]
    cache.evict(swa_tokens=7 * PAGE)
    assert [hit(cache, text) for text in ("A40", "A36", "A24", "A8")] == [10, 9, 0, 0]
    assert cache.match(key("A24")).full_hit_tokens == 24


def test_a_running_request_holds_its_window_and_no_more() -> None:
    cache = windowed()
    request = admit(cache, "A40")
    assert ledger(cache)["swa"][:4] == (54 * PAGE, 7 * PAGE, 3 * PAGE, 0)
    cache.evict(swa_tokens=1000)
    assert list(request.swa_row(28)) == list(request.swa_row()[28:]) and all(request.swa_row(28))
    assert not any(request.swa_row()[:28])


def test_a_window_that_was_lost_comes_back_with_the_next_request() -> None:
    cache = windowed()
    run(cache, "A24")
    cache.evict(swa_tokens=1000)
    assert (hit(cache, "A24"), cache.match(key("A24")).full_hit_tokens) == (0, 24)
    run(cache, "A24")
    assert hit(cache, "A24") == 6
    assert ledger(cache)["full"].evictable == ledger(cache)["swa"].evictable == 6 * PAGE


def test_a_block_that_loses_its_hash_frees_its_window_too() -> None:
    cache = windowed()
    run(cache, "A24")
    gone = cache.evict(full_tokens=PAGE)
    assert (gone.victims, gone.cascades, gone.swa_tokens) == (1, 1, PAGE)


@pytest.mark.parametrize("spared", range(4))
def test_b39_the_blocks_behind_a_window_are_taken_before_it(spared: int) -> None:
    cache = windowed(count=100, swa_count=100, window=4 * PAGE)
    chat = 25
    for start in (0, 1000):
        admit(cache, f"A{start}:{start + chat * PAGE}").finish()
    behind = chat - 5  # the window, and the page before it that a repeat ends on
    cache.evict(swa_tokens=(behind - spared) * PAGE)
    assert hit(cache, f"A{chat * PAGE}") == chat
    cache.evict(swa_tokens=(spared + 2) * PAGE)
    assert hit(cache, f"A{chat * PAGE}") < chat


# ---- what it has nothing like


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"policy": "lfu"}, "policy 'lfu'.*use 'lru'"),
        ({"components": ("full", "mamba"), "mamba_slots": 4}, "has only: full, swa"),
        ({"bigram": True}, "bigram"),
    ],
)
def test_settings_it_cannot_follow_are_refused(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        build("block_hash", CacheConfig(**{"components": ("full",), **settings}))


def test_a_reset_leaves_nothing() -> None:
    cache = windowed()
    run(cache, "A24")
    cache.reset()
    assert (hit(cache, "A24"), free(cache)) == (0, (256, 256))
    run(cache, "A24")
    assert hit(cache, "A24") == 6
    check_integrity(cache)
