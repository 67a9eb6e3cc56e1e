"""Slot pools: what is handed out once cannot be given back twice, and a refused call changes nothing."""

from __future__ import annotations

from array import array

import pytest

from cache_core.errors import ConfigError, DoubleFreeError, OutOfSlotsError
from cache_core.pools.page import PagePool
from cache_core.pools.paired import PairedPool


def free_pages(pool: PagePool) -> list[int]:
    return pool.free_pages.tolist()


def test_slot_zero_is_never_handed_out() -> None:
    assert PagePool("full", 4, 1).take(4).tolist() == [1, 2, 3, 4]


def test_pages_are_handed_out_whole() -> None:
    pool = PagePool("full", 16, 4)
    assert pool.take(8).tolist() == [4, 5, 6, 7, 8, 9, 10, 11]
    assert pool.free_tokens() == 8


def test_the_last_page_given_back_is_the_next_one_out() -> None:
    pool = PagePool("full", 8, 1)
    slots = pool.take(5)
    pool.release(slots[1:3])
    assert pool.take(2).tolist() == [2, 3]


def test_a_short_pool_refuses_and_keeps_what_it_has() -> None:
    pool = PagePool("full", 8, 4)
    before = free_pages(pool)
    with pytest.raises(OutOfSlotsError, match="full pool: 12 slots wanted, 8 of 8 free"):
        pool.take(12)
    assert free_pages(pool) == before


@pytest.mark.parametrize("again", [[3], [3, 3], [99], [-1]], ids=["free", "twice", "beyond", "negative"])
def test_giving_back_what_is_not_out_is_refused(again: list[int]) -> None:
    pool = PagePool("full", 8, 1)
    slots = pool.take(4)
    pool.release(slots[2:3])
    before = free_pages(pool)
    with pytest.raises(DoubleFreeError):
        pool.release(array("i", [1, *again]))
    assert free_pages(pool) == before
    pool.release(array("i", [1]))


def test_loose_slots_of_a_page_are_refused() -> None:
    pool = PagePool("full", 8, 4)
    pool.take(8)
    with pytest.raises(DoubleFreeError, match="whole pages of 4"):
        pool.release(array("i", [4, 5, 6, 8]))


def test_a_pool_of_no_whole_pages_is_refused() -> None:
    with pytest.raises(ConfigError, match="10 slots"):
        PagePool("full", 10, 4)


def test_peers_are_taken_together_or_not_at_all() -> None:
    pool = PairedPool(16, 12, 1)
    pool.take(5)
    assert (pool.free_tokens(0), pool.free_tokens(1)) == (11, 7)
    with pytest.raises(OutOfSlotsError, match="swa pool"):
        pool.take(8)
    assert (pool.free_tokens(0), pool.free_tokens(1)) == (11, 7)


def test_the_window_goes_first_and_the_full_slot_after() -> None:
    pool = PairedPool(16, 12, 1)
    slots = pool.take(5)
    pool.release_window(slots[:2])
    assert (pool.free_tokens(0), pool.free_tokens(1)) == (11, 9)
    assert pool.window_slots(slots).tolist() == [0, 0, 3, 4, 5]
    pool.release_full(slots[:2])
    assert (pool.free_tokens(0), pool.free_tokens(1)) == (13, 9)


def test_a_window_peer_cannot_be_given_back_twice() -> None:
    pool = PairedPool(16, 12, 1)
    slots = pool.take(5)
    pool.release_window(slots[:2])
    with pytest.raises(DoubleFreeError, match="given back twice"):
        pool.release_window(slots[1:4])
    assert pool.free_tokens(1) == 9 and pool.window_slots(slots[2:]).tolist() == [3, 4, 5]


def test_a_full_slot_with_a_live_peer_cannot_go_alone() -> None:
    pool = PairedPool(16, 12, 1)
    slots = pool.take(2)
    with pytest.raises(DoubleFreeError, match="still live"):
        pool.release_full(slots)
    assert pool.free_tokens(0) == 14


@pytest.mark.parametrize("page", [1, 4])
def test_moving_peers_keeps_each_owned_once(page: int) -> None:
    pool = PairedPool(32, 32, page)
    source, target = pool.take(8), pool.take(8)
    peers = pool.window_slots(source)
    pool.release_window(target)
    pool.move_window(source, target)
    assert pool.window_slots(target) == peers
    assert not any(pool.window_slots(source))


def test_a_slot_moved_to_itself_keeps_its_peer() -> None:
    pool = PairedPool(8, 8, 1)
    slots = pool.take(3)
    peers = pool.window_slots(slots)
    pool.move_window(slots, slots)
    assert pool.window_slots(slots) == peers
