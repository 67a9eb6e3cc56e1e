"""Loans: what `allocate` handed out comes back whole, in parts or mixed, and never twice."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from cache_core import DoubleFreeError, KeyRangeError, OutOfSlotsError, PrefixCache, check_integrity
from tests.support.caches import full_cache, key, swa_cache
from tests.support.observe import everything, free
from tests.support.window_peers import window_peers


@pytest.fixture(params=[1, 4])
def cache(request: pytest.FixtureRequest) -> PrefixCache:
    return swa_cache(page=request.param, slots=64)


@pytest.mark.parametrize("again", ["all", "front", "middle", "twice"])
def test_slots_come_back_once(cache: PrefixCache, again: str) -> None:
    page = cache.config.page_size
    slots = cache.allocate(4 * page)
    cache.free(slots[page : 2 * page])
    parts = {"all": slots, "front": slots[: 2 * page], "middle": slots[page : 2 * page]}
    before = everything(cache)
    with pytest.raises(DoubleFreeError):
        cache.free(parts.get(again, slots[:page] + slots[:page]))
    assert everything(cache) == before


@pytest.mark.parametrize("typecode", "bhilqBHILQ")
def test_slots_may_come_in_arrays_of_any_integers(cache: PrefixCache, typecode: str) -> None:
    page = cache.config.page_size
    lent = cache.allocate(4 * page)
    given = array(typecode, lent)
    assert insert_slots(cache, given[: 2 * page]) == lent[: 2 * page]
    cache.free(given[2 * page :])
    check_integrity(cache)


def insert_slots(cache: PrefixCache, slots: array[int]) -> array[int]:
    """Insert a key into given slots and return those that a match finds."""
    asked = key(f"A{len(slots)}")
    cache.insert(asked, slots)
    return cache.match(asked).slots()


@pytest.mark.parametrize("slots", [["1"], [2**31], [1.0], None, array("d", [1.0])])
@pytest.mark.parametrize("call", ["free", "free_window", "insert"])
def test_what_is_no_slot_is_refused(cache: PrefixCache, call: str, slots: Any) -> None:
    arguments = (key("A1"), slots) if call == "insert" else (slots,)
    with pytest.raises(KeyRangeError, match="slots are int32 numbers"):
        getattr(cache, call)(*arguments)
    check_integrity(cache)


@pytest.mark.parametrize("begin", [0, 1])
def test_what_becomes_of_the_callers_array_is_his_affair(cache: PrefixCache, begin: int) -> None:
    page = cache.config.page_size
    lent = cache.allocate(4 * page)
    given = lent[begin * page : (begin + 2) * page]
    cache.free_window(given)
    given.extend(given)
    check_integrity(cache)
    cache.free(lent)
    check_integrity(cache)


def test_an_insert_that_brings_nothing_breaks_up_no_loan(cache: PrefixCache) -> None:
    page = cache.config.page_size
    own = insert_slots(cache, cache.allocate(2 * page))
    lent = cache.allocate(4 * page)
    cache.insert(key(f"A{2 * page}"), own, owned_tokens=2 * page)
    cache.free(array("i"))
    assert [*cache.loans._by_first] == [lent[0]]


def test_returning_page_by_page_from_the_back_costs_each_page_once(cache: PrefixCache) -> None:
    page = cache.config.page_size
    lent = cache.allocate(16 * page)
    cache.free(lent[page : 2 * page])
    loose = cache.loans._loose
    for at in range(15 * page, 2 * page, -page):
        cache.free(lent[at : at + page])
        assert cache.loans._loose is loose


@pytest.mark.parametrize("slot", [0, -4, 64 + 4, 10_000])
def test_slots_of_nobody_are_refused(cache: PrefixCache, slot: int) -> None:
    slots = cache.allocate(cache.config.page_size)
    with pytest.raises(DoubleFreeError, match=f"slot {slot} is not the caller's"):
        cache.free(array("i", [*slots, slot]))
    cache.free(slots)


def test_loose_slots_of_a_page_are_refused() -> None:
    cache = full_cache(page=4, slots=64)
    slots = cache.allocate(8)
    for part in (slots[:3], slots[1:5], slots[::-1]):
        with pytest.raises(DoubleFreeError, match="whole pages of 4"):
            cache.free(part)
    cache.free(slots)
    assert free(cache) == (64,)


def test_loans_may_be_given_back_mixed(cache: PrefixCache) -> None:
    page = cache.config.page_size
    one, other = cache.allocate(2 * page), cache.allocate(2 * page)
    cache.free(other[page:] + one[:page])
    cache.free(one[page:] + other[:page])
    assert free(cache) == (64, 64)


def test_a_window_slot_comes_back_once(cache: PrefixCache) -> None:
    page = cache.config.page_size
    slots = cache.allocate(3 * page)
    cache.free_window(slots[:page])
    before = everything(cache)
    with pytest.raises(DoubleFreeError, match="given back twice"):
        cache.free_window(slots[: 2 * page])
    assert everything(cache) == before
    assert not any(slot in window_peers(cache) for slot in slots[:page])
    cache.free(slots)
    assert free(cache) == (64, 64)


def test_what_the_caller_does_to_its_array_does_not_matter(cache: PrefixCache) -> None:
    slots = cache.allocate(cache.config.page_size)
    kept = slots[:]
    slots[0] = 9
    cache.free(kept)
    assert free(cache) == (64, 64)


def test_state_slots_are_lent_and_come_back_once() -> None:
    cache = swa_cache(components=("full", "swa", "mamba"), mamba_slots=2)
    slot, other = cache.allocate_state(), cache.allocate_state()
    with pytest.raises(OutOfSlotsError, match="mamba pool"):
        cache.allocate_state()
    cache.free_state(slot)
    with pytest.raises(DoubleFreeError, match=f"state slot {slot}"):
        cache.free_state(slot)
    assert cache.allocate_state() == slot != other
