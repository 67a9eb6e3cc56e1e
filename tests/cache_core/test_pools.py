"""Slot pools: pages off a stack, in the order of positions; a refused call changes nothing."""

from __future__ import annotations

from array import array

import pytest

from cache_core.errors import CacheIntegrityError, ConfigError, OutOfSlotsError
from cache_core.pool import SlotPool

pytestmark = pytest.mark.one_backend("no tree")


def test_slot_zero_is_never_handed_out() -> None:
    assert SlotPool("full", 4, 1).take(4).tolist() == [1, 2, 3, 4]


def test_pages_are_handed_out_whole() -> None:
    pool = SlotPool("full", 16, 4)
    assert pool.take(8).tolist() == [4, 5, 6, 7, 8, 9, 10, 11]
    assert pool.free_slots == 8


@pytest.mark.parametrize("page", [1, 4])
def test_the_last_pages_given_back_are_the_next_ones_out_in_the_same_order(page: int) -> None:
    pool = SlotPool("full", 8 * page, page)
    slots = pool.take(5 * page)
    pool.give(slots[page : 3 * page])
    assert pool.take(2 * page) == slots[page : 3 * page]


def test_nothing_is_taken_for_nothing() -> None:
    pool = SlotPool("full", 8, 1)
    assert (pool.take(0).tolist(), pool.free_slots) == ([], 8)


def test_a_short_pool_refuses_and_keeps_what_it_has() -> None:
    pool = SlotPool("full", 8, 4)
    before = pool.bases.tolist()
    with pytest.raises(OutOfSlotsError, match="full pool: 12 slots wanted, 8 of 8 free"):
        pool.take(12)
    assert pool.bases.tolist() == before


def test_more_than_is_out_cannot_be_given_back() -> None:
    pool = SlotPool("full", 8, 1)
    slots = pool.take(4)
    with pytest.raises(CacheIntegrityError, match="5 slots given back, only 4 are out"):
        pool.give(slots + array("i", [1]))
    assert pool.free_slots == 4


@pytest.mark.parametrize(
    ("slots", "whole"),
    [([4, 5, 6, 7], True), ([8, 9, 10, 11, 4, 5, 6, 7], True), ([4, 5, 6], False), ([5, 6, 7, 8], False), ([], True)],
)
def test_whole_pages_are_told_from_loose_slots(slots: list[int], whole: bool) -> None:
    assert SlotPool("full", 16, 4).are_whole(array("i", slots)) is whole


def test_a_pool_of_no_whole_pages_is_refused() -> None:
    with pytest.raises(ConfigError, match="10 slots"):
        SlotPool("full", 10, 4)
