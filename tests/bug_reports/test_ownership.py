"""Reports B02 to B12: who owns a slot, that it is freed once, and that nothing stays held."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, DoubleFreeError, LockError, OutOfSlotsError
from tests.support.caches import admit, hits, insert, key, tokens
from tests.support.checked_cache import checked_full, checked_swa
from tests.support.observe import everything, free, ledger, locks, reusable, rows, shape
from tests.support.watching import Watching

PAGES = (1, 4, 16, 64)


def whole(count: int, page: int) -> int:
    """Return `count` tokens in whole pages."""
    return count - count % page


def pages_of(count: int, page: int) -> int:
    """Return the slots that `count` tokens take."""
    return -(-count // page) * page


# ---- B02, B03: the last sampled token, and a second release


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
@pytest.mark.parametrize("page", PAGES)
def test_b02_the_token_that_ends_a_request_has_no_slot_to_lose(make: object, page: int) -> None:
    cache = make(page=page, slots=256)
    request = admit(cache, "A10")
    for token in tokens("B5")[:-1]:  # the fifth is sampled, ends the request and is never computed
        request.decode(token)
    request.finish()
    cached = whole(14, page)
    assert cache.match(key("A10 B5")).full_hit_tokens == cached
    assert (free(cache)[0], ledger(cache)["full"].held) == (256 - cached, 0)


def test_b02_the_numbers_of_the_report() -> None:
    cache = checked_full()
    request = admit(cache, "A10")
    for token in tokens("B5")[:-1]:
        request.decode(token)
    request.finish()
    assert (ledger(cache)["full"].evictable, free(cache)) == (14, (256 - 14,))


@pytest.mark.parametrize("end", ["finish", "retract"])
@pytest.mark.parametrize("page", PAGES)
def test_b03_a_request_gives_its_slots_back_once(end: str, page: int) -> None:
    cache = checked_full(page=page)
    request = admit(cache, "A10")
    for token in tokens("B4"):
        request.decode(token)
    extra = list(request.row())[-1]
    getattr(request, end)()
    before = everything(cache)
    for again in ("finish", "retract"):
        with pytest.raises(LockError, match="has ended"):
            getattr(request, again)()
    with pytest.raises(DoubleFreeError, match=rf"\b{extra}\b"):
        cache.free([extra])
    assert everything(cache) == before
    rest = cache.allocate(free(cache)[0])
    assert len(set(rest)) == len(rest), "a slot is on the free list twice"


# ---- B04, B05: pages


def test_b04_less_than_a_page_is_neither_found_nor_kept() -> None:
    cache = checked_full(page=16)
    assert hits(cache, "A10")[0] == 0
    slots = cache.allocate(10)
    assert cache.insert(key("A10"), slots).present_tokens == 0
    cache.free(slots)
    assert (rows(cache), free(cache)) == ([], (256,))


def test_b04_counts_are_of_whole_pages_on_the_way_in_and_out() -> None:
    cache = checked_full(page=16)
    slots = cache.allocate(40)
    cache.insert(key("A40"), slots)
    assert (shape(cache), ledger(cache)["full"].held) == ("0+32", 16)
    cache.free(slots[32:])
    assert cache.evict(full_tokens=32).full_tokens == 32
    assert (ledger(cache)["full"].evictable, rows(cache), free(cache)) == (0, [], (256,))


@pytest.mark.parametrize("length", [1, 3, 15, 16, 17, 40, 63, 64, 65, 130])
@pytest.mark.parametrize("page", PAGES)
def test_b04_every_length_comes_back_as_it_went(page: int, length: int) -> None:
    for cache in (checked_full(page=page), checked_swa(page=page, window=9)):
        insert(cache, f"A{length}")
        assert ledger(cache)["full"].evictable == whole(length, page)
        assert cache.evict(full_tokens=length).full_tokens == whole(length, page)
        assert (rows(cache), free(cache)[0]) == ([], 256)


def test_b05_a_retraction_frees_the_page_that_the_tree_has_not() -> None:
    cache = checked_full(page=16, slots=160)
    request = admit(cache, "A40")
    for token in tokens("B5"):
        request.decode(token)
    before = free(cache)[0]
    assert (request.length, before) == (45, 160 - 48)
    request.retract()
    assert free(cache)[0] == before + 16
    assert ledger(cache)["full"].evictable == 32
    assert reusable(cache) == (160,)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("prompt", [5, 16, 40, 64, 65])
@pytest.mark.parametrize("decoded", [0, 1, 5, 30])
def test_b05_what_a_retraction_frees_is_what_the_request_held(page: int, prompt: int, decoded: int) -> None:
    cache = checked_full(page=page, slots=320)
    request = admit(cache, f"A{prompt}")
    for token in tokens(f"B{decoded}"):
        request.decode(token)
    held = pages_of(prompt + decoded, page) - whole(prompt, page)
    assert ledger(cache)["full"].held == held
    before = free(cache)[0]
    request.retract()
    assert free(cache)[0] == before + held
    assert ledger(cache)["full"].evictable == whole(prompt, page)
    assert reusable(cache) == (320,)


# ---- B08: two requests, one prompt


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
@pytest.mark.parametrize("page", [1, 4, 16])
def test_b08_the_second_of_two_equal_prompts_reads_the_slots_of_the_tree(make: object, page: int) -> None:
    cache = make(page=page, slots=256)
    first, second = (admit(cache, "A64", prefilled=False) for _ in range(2))
    for request in (first, second):
        request.prefill(64, cache=False)
    rows_before = set(first.row()) | set(second.row())
    assert (len(rows_before), free(cache)[0]) == (128, 128)
    first.prefill(64)
    mine = set(first.row())
    second.prefill(64)
    assert (set(second.row()), set(first.row())) == (mine, mine)
    assert free(cache)[0] == 192, "the duplicates were freed once"
    assert all(lock.startswith("2/") for lock in locks(cache).split())
    first.finish()
    assert all(lock.startswith("1/") for lock in locks(cache).split())
    assert cache.evict(full_tokens=64).full_tokens == 0
    second.finish()
    assert cache.evict(full_tokens=64).full_tokens == 64


def test_b08_three_chunked_prompts_that_part_late_share_what_they_share() -> None:
    cache = checked_full(page=4)
    texts = ("A32", "A24 B8", "A32 C4")
    requests = [admit(cache, text, prefilled=False) for text in texts]
    for upto in (12, 20, 32):
        for request in requests:
            request.prefill(upto)
    requests[2].prefill(36)
    assert requests[0].row()[:32] == requests[2].row()[:32]
    assert requests[0].row()[:24] == requests[1].row()[:24]
    assert free(cache) == (256 - 32 - 8 - 4,)
    for request in requests:
        request.finish()
    assert reusable(cache) == (256,)


# ---- B09: one block named twice


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
@pytest.mark.parametrize("page", [1, 4])
def test_b09_slots_named_twice_in_one_call_are_refused(make: object, page: int) -> None:
    cache = make(page=page, slots=64)
    block = cache.allocate(page)
    before = everything(cache)
    with pytest.raises(DoubleFreeError, match="twice"):
        cache.free([*block, *block])
    assert everything(cache) == before
    cache.free(block)
    assert free(cache)[0] == 64
    assert not set(cache.allocate(page)) & set(cache.allocate(page))


@pytest.mark.parametrize("page", [1, 4])
def test_b09_window_slots_named_twice_in_one_call_are_refused(page: int) -> None:
    cache = checked_swa(page=page, slots=64)
    block = cache.allocate(page)
    before = everything(cache)
    with pytest.raises(DoubleFreeError):
        cache.free_window([*block, *block])
    assert everything(cache) == before
    cache.free_window(block)
    assert free(cache) == (64 - page, 64)


def test_b09_an_insert_does_not_take_one_slot_for_two_tokens() -> None:
    cache = checked_full()
    slots = cache.allocate(2)
    with pytest.raises(DoubleFreeError, match="twice"):
        cache.insert(key("A4"), [*slots, *slots])
    cache.insert(key("A2"), slots)
    assert shape(cache) == "0+2"


# ---- B10, B11: pause, and resume


def test_b10_what_a_pause_leaves_is_reclaimable_and_a_reset_takes_it() -> None:
    cache = checked_full(slots=2048)
    requests = [admit(cache, f"{letter}256") for letter in "ABCD"]
    assert ledger(cache)["full"].protected == 1024
    for request in requests:
        request.retract()
    pool = ledger(cache)["full"]
    assert (pool.free, pool.evictable, pool.protected, pool.held) == (1024, 1024, 0, 0)
    cache.reset()
    assert free(cache) == (2048,)


def test_b10_the_probes_call_what_a_pause_leaves_evictable() -> None:
    watching = Watching(CacheConfig(components=("full",), full_slots=2048))
    for request in [admit(watching.cache, f"{letter}256") for letter in "ABCD"]:
        request.retract()
    pool = watching.pools()["full"]
    assert (pool.free, pool.evictable, pool.protected, pool.held) == (1024, 1024, 0, 0)


def test_b11_a_request_resumes_after_its_prefix_was_evicted() -> None:
    cache = checked_swa()
    request = admit(cache, "A40", request_id=1)
    for token in tokens("B3"):
        request.decode(token)
    request.retract()
    cache.evict(full_tokens=256, swa_tokens=256)
    assert rows(cache) == []
    resumed = admit(cache, "A40 B3", prefilled=False, request_id=1)
    assert (resumed.hit_tokens, locks(cache)) == (0, "")
    resumed.prefill(43)
    resumed.finish()
    assert reusable(cache) == (256, 256)


@pytest.mark.parametrize("evicted", [0, 1, 10, 20, 40])
def test_b11_a_resume_matches_what_is_left(evicted: int) -> None:
    cache = checked_full(page=4)
    for upto in (12, 24, 40):
        insert(cache, f"A{upto}")
    request = admit(cache, "A40 B4")
    request.retract()
    cache.evict(full_tokens=evicted)
    left = cache.match(key("A40 B4")).hit_tokens
    resumed = admit(cache, "A40 B4", prefilled=False)
    assert resumed.hit_tokens == min(left, 40)
    resumed.prefill(44)
    resumed.retract()
    assert all(row.full_lock == 0 for row in rows(cache))


# ---- B12: pins


@pytest.mark.parametrize("loaded", [0, 400, 1000])
def test_b12_a_pin_goes_with_the_request_however_much_it_used(loaded: int) -> None:
    cache = checked_full(slots=2048)
    insert(cache, "A1000")
    found = cache.match(key("A1000"))
    pin = cache.lock(found.node)
    assert (found.hit_tokens, ledger(cache)["full"].protected) == (1000, 1000)
    request = admit(cache, f"A{loaded} B1") if loaded else None
    cache.unlock(pin)
    if request is not None:
        assert request.hit_tokens == loaded
        request.retract()
    assert (ledger(cache)["full"].protected, ledger(cache)["full"].evictable) == (0, 1000 + bool(loaded))


def test_b12_a_second_abort_changes_nothing() -> None:
    cache = checked_full(slots=2048)
    insert(cache, "A1000")
    pin = cache.lock(cache.match(key("A1000")).node)
    cache.unlock(pin)
    before = everything(cache)
    with pytest.raises(LockError, match="once"):
        cache.unlock(pin)
    assert everything(cache) == before
    assert (ledger(cache)["full"].protected, ledger(cache)["full"].evictable) == (0, 1000)


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
def test_b12_refused_and_aborted_requests_leave_nothing_pinned(make: object) -> None:
    cache = make(slots=128)
    insert(cache, "A64")
    running = admit(cache, "B60")
    for _ in range(10):
        request = admit(cache, "A64 C64", prefilled=False)
        with pytest.raises(OutOfSlotsError):
            request.prefill(128)
        request.retract()
    assert all(row.full_lock == row.swa_lock == 0 for row in rows(cache) if row.key[0] < 100_000)
    running.finish()
    assert reusable(cache) == (128,) * len(free(cache))
