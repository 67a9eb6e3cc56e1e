"""What the cache refuses: each misuse raises the error it deserves, says what to do, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cache_core import (
    CacheError,
    DoubleFreeError,
    KeyRangeError,
    LockError,
    OutOfSlotsError,
    PrefixCache,
    StaleNodeError,
    check_integrity,
)
from tests.support.caches import admit, full_cache, insert, key, swa_cache
from tests.support.observe import everything, ledger, rows


def refused(cache: PrefixCache, error: type[CacheError], text: str, call: Callable[[], object]) -> None:
    """Assert that `call` raises `error` with `text` in its message and leaves the cache as it was."""
    before = everything(cache)
    with pytest.raises(error, match=text):
        call()
    assert everything(cache) == before
    check_integrity(cache)


@pytest.fixture(params=["full", "full+swa"])
def cache(request: pytest.FixtureRequest) -> PrefixCache:
    """A cache of pages of 4 that holds A16, and whose caller holds slots."""
    made = full_cache(page=4, slots=64) if request.param == "full" else swa_cache(page=4, slots=64)
    insert(made, "A16")
    return made


# ---- slots


def test_slots_are_freed_once(cache: PrefixCache) -> None:
    slots = cache.allocate(8)
    cache.free(slots)
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.free(slots))


def test_a_slot_is_named_once_per_call(cache: PrefixCache) -> None:
    slots = cache.allocate(4)
    refused(cache, DoubleFreeError, "twice", lambda: cache.free(slots + slots))
    cache.free(slots)


def test_slots_of_the_tree_are_not_the_callers(cache: PrefixCache) -> None:
    owned = cache.match(key("A16")).slots()
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.free(owned))
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.free_window(owned))
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.insert(key("B16"), owned))


def test_slots_of_a_request_are_not_the_callers(cache: PrefixCache) -> None:
    request = cache.admit(key("B8"))
    request.prefill(8, cache=False)
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.free(request.row()))


@pytest.mark.parametrize("slot", [0, -1, 68, 1_000_000])
def test_slots_that_do_not_exist_are_refused(cache: PrefixCache, slot: int) -> None:
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.free([slot]))


def test_part_of_a_page_cannot_be_freed(cache: PrefixCache) -> None:
    slots = cache.allocate(8)
    refused(cache, DoubleFreeError, "whole pages", lambda: cache.free(slots[:6]))
    refused(cache, DoubleFreeError, "whole pages", lambda: cache.free(slots[1:5]))


def test_part_of_a_page_without_window_cannot_be_freed() -> None:
    cache = swa_cache(page=4, slots=64)
    slots = cache.allocate(8)
    cache.free_window(slots[4:])
    refused(cache, DoubleFreeError, "whole pages", lambda: cache.free(slots[:6]))


def test_windows_are_freed_once() -> None:
    cache = swa_cache(page=4, slots=64)
    slots = cache.allocate(8)
    cache.free_window(slots[:4])
    refused(cache, DoubleFreeError, "swa pool", lambda: cache.free_window(slots[:4]))
    refused(cache, DoubleFreeError, "swa pool", lambda: cache.free_window(slots))


def test_inserted_slots_are_the_caches(cache: PrefixCache) -> None:
    slots = cache.allocate(8)
    cache.insert(key("B8"), slots)
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.free(slots))
    refused(cache, DoubleFreeError, "not the caller's", lambda: cache.insert(key("C8"), slots))


def test_more_slots_than_there_are_evicts_nothing(cache: PrefixCache) -> None:
    held = cache.allocate(32)
    refused(
        cache,
        OutOfSlotsError,
        "full pool: 36 slots wanted, 16 free and 16 evictable of 64",
        lambda: cache.allocate(36),
    )
    cache.free(held)


def test_a_negative_number_of_slots_cannot_be_handed_out(cache: PrefixCache) -> None:
    refused(cache, KeyRangeError, "-1 slots", lambda: cache.allocate(-1))


def test_a_prefill_that_finds_no_room_changes_nothing_but_evictions(cache: PrefixCache) -> None:
    cache.allocate(48)
    request = cache.admit(key("B32"))
    with pytest.raises(OutOfSlotsError, match="slots wanted"):
        request.prefill(32)
    assert (request.length, len(request.row()), rows(cache)) == (0, 0, [])
    assert ledger(cache)["full"].held == 48
    check_integrity(cache)
    request.prefill(16)


def test_a_decode_that_finds_no_room_keeps_the_request_whole(cache: PrefixCache) -> None:
    request = admit(cache, "B16")
    cache.allocate(cache.stats()["components"]["full"]["free"])
    cache.evict(full_tokens=100)
    cache.allocate(cache.stats()["components"]["full"]["free"])
    refused(cache, OutOfSlotsError, "slots wanted", lambda: request.decode(1))
    assert (request.length, len(request.tokens)) == (16, 16)


# ---- insert


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"owned_tokens": 3}, "owned_tokens 3"),
        ({"owned_tokens": -4}, "owned_tokens -4"),
        ({"owned_tokens": 12}, "owned_tokens 12"),
        ({"swa_from": 2}, "swa_from 2"),
        ({"swa_from": -4}, "swa_from -4"),
    ],
)
def test_positions_outside_the_key_are_refused(cache: PrefixCache, options: dict[str, int], text: str) -> None:
    slots = cache.allocate(8)
    refused(cache, KeyRangeError, text, lambda: cache.insert(key("B8"), slots, **options))


def test_every_whole_page_needs_its_slots(cache: PrefixCache) -> None:
    slots = cache.allocate(4)
    refused(cache, KeyRangeError, "4 slots for 8 tokens", lambda: cache.insert(key("B8"), slots))


def test_owned_tokens_must_be_in_the_tree(cache: PrefixCache) -> None:
    slots = cache.allocate(8)
    refused(cache, DoubleFreeError, "owned_tokens 4", lambda: cache.insert(key("B8"), slots, owned_tokens=4))


def test_what_is_said_to_be_the_trees_must_be_in_the_tree(cache: PrefixCache) -> None:
    slots = cache.allocate(20)
    refused(cache, DoubleFreeError, "owned_tokens 16", lambda: cache.insert(key("A12 B8"), slots, owned_tokens=16))


def test_slots_below_owned_tokens_stay_the_callers(cache: PrefixCache) -> None:
    slots = cache.allocate(20)
    cache.insert(key("A16 B4"), slots, owned_tokens=16)
    check_integrity(cache)
    cache.free(slots[:16])


def test_slots_must_have_their_windows_from_swa_from_on() -> None:
    cache = swa_cache(page=4, slots=64)
    slots = cache.allocate(12)
    cache.free_window(slots[:8])
    refused(cache, DoubleFreeError, "swa_from 4", lambda: cache.insert(key("B12"), slots, swa_from=4))
    cache.insert(key("B12"), slots, swa_from=8)


# ---- locks


def test_a_lock_is_undone_once(cache: PrefixCache) -> None:
    receipt = cache.lock(cache.match(key("A16")).node)
    cache.unlock(receipt)
    refused(cache, LockError, "once", lambda: cache.unlock(receipt))


def test_a_receipt_belongs_to_its_cache(cache: PrefixCache) -> None:
    other = full_cache(page=4)
    insert(other, "A16")
    receipt = other.lock(other.match(key("A16")).node)
    refused(cache, LockError, "another cache", lambda: cache.unlock(receipt))
    other.unlock(receipt)


def test_a_node_belongs_to_its_cache(cache: PrefixCache) -> None:
    other = full_cache(page=4)
    insert(other, "A16")
    refused(cache, LockError, "another cache", lambda: cache.lock(other.match(key("A16")).node))


def test_an_evicted_node_cannot_be_locked(cache: PrefixCache) -> None:
    found = cache.match(key("A16"))
    cache.evict(full_tokens=16)
    refused(cache, StaleNodeError, "left the tree", lambda: cache.lock(found.node))


def test_a_node_of_before_a_reset_cannot_be_locked(cache: PrefixCache) -> None:
    found = cache.match(key("A16"))
    cache.reset()
    refused(cache, StaleNodeError, "left the tree", lambda: cache.lock(found.node))


def test_the_root_can_be_locked_and_holds_nothing(cache: PrefixCache) -> None:
    found = cache.match(key("Z8"))
    assert found.hit_tokens == 0
    receipt = cache.lock(found.node)
    assert cache.evict(full_tokens=16).full_tokens == 16
    cache.unlock(receipt)


def test_a_reset_is_refused_while_something_is_held(cache: PrefixCache) -> None:
    receipt = cache.lock(cache.match(key("A16")).node)
    refused(cache, LockError, "1 receipts", cache.reset)
    cache.unlock(receipt)
    request = admit(cache, "B8")
    refused(cache, LockError, "1 requests", cache.reset)
    request.finish()
    cache.reset()
    assert rows(cache) == []


# ---- requests


def test_a_request_needs_a_token(cache: PrefixCache) -> None:
    refused(cache, KeyRangeError, "at least one token", lambda: cache.admit(key("")))


def test_a_request_id_is_used_once_at_a_time(cache: PrefixCache) -> None:
    cache.admit(key("B8"), request_id=7)
    refused(cache, LockError, "request 7", lambda: cache.admit(key("A16"), request_id=7))


@pytest.mark.parametrize("upto", [17, -1, 7])
def test_a_prefill_goes_forward_and_within_the_prompt(cache: PrefixCache, upto: int) -> None:
    request = cache.admit(key("B16"))
    request.prefill(8)
    refused(cache, KeyRangeError, f"up to {upto}", lambda: request.prefill(upto))


def test_decoding_starts_after_the_prompt(cache: PrefixCache) -> None:
    request = cache.admit(key("B16"))
    request.prefill(8)
    refused(cache, KeyRangeError, "8 of 16", lambda: request.decode(1))


@pytest.mark.parametrize("wrong", [0.0, 4.0, "4", None, 1e300])
@pytest.mark.parametrize("name", ["owned_tokens", "swa_from"])
def test_a_position_is_an_integer(cache: PrefixCache, name: str, wrong: Any) -> None:
    slots = cache.allocate(8)
    refused(cache, KeyRangeError, f"{name} is", lambda: cache.insert(key("B8"), slots, **{name: wrong}))


class Small(int):
    """An integer of another type, as numpy's are."""


def test_positions_may_be_integers_of_any_type(cache: PrefixCache) -> None:
    cache.insert(key("B8"), cache.allocate(8), owned_tokens=Small(0), swa_from=Small(4))
    check_integrity(cache)


@pytest.mark.parametrize("token", [-1, 2**31, 1.5, "a", None])
def test_an_output_is_a_token(cache: PrefixCache, token: object) -> None:
    request = admit(cache, "B16")
    refused(cache, KeyRangeError, "token ids are integers", lambda: request.decode(token))  # type: ignore[arg-type]


@pytest.mark.parametrize("end", ["finish", "retract"])
@pytest.mark.parametrize("call", ["prefill", "decode", "finish", "retract", "release_window"])
def test_a_request_ends_once(cache: PrefixCache, end: str, call: str) -> None:
    request = admit(cache, "B16")
    getattr(request, end)()
    arguments = {"prefill": (16,), "decode": (1,)}.get(call, ())
    refused(cache, LockError, "has ended", lambda: getattr(request, call)(*arguments))


@pytest.mark.parametrize("reason", [0, -1, 99, "aborted", None])
def test_a_retraction_without_a_known_reason_is_refused(cache: PrefixCache, reason: Any) -> None:
    request = admit(cache, "A8")
    refused(cache, KeyRangeError, "reason", lambda: request.retract(reason))
