"""Room on the host: which copies go, which stay, and what happens when there is not enough."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.caches import admit, hits, insert, key
from tests.support.hosted import hosted, settle, take, used
from tests.support.observe import shape


def look(cache: Any, text: str) -> tuple[int, int]:
    """Match a key; return device hit and host hit."""
    found = cache.match(key(text))
    return found.hit_tokens, found.host_hit_tokens


def test_what_is_on_the_host_alone_goes_first_when_writing_through() -> None:
    cache = hosted(host=12)
    for letter in "ABC":
        insert(cache, f"{letter}4")
        settle(cache)
    cache.evict(full_tokens=8)
    hits(cache, "A4")
    insert(cache, "D4")
    assert [look(cache, f"{letter}4") for letter in "ABCD"] == [(0, 4), (0, 0), (4, 0), (4, 0)]


def test_a_copy_of_what_the_device_has_goes_first_when_writing_back() -> None:
    cache = hosted(host=8, write_policy="write_back")
    for letter in "AB":
        insert(cache, f"{letter}4")
    cache.evict(full_tokens=8)
    settle(cache)
    insert(cache, "B4")
    insert(cache, "C4")
    hits(cache, "B4")
    cache.evict(full_tokens=4)
    assert [look(cache, f"{letter}4") for letter in "ABC"] == [(0, 4), (4, 0), (0, 4)]


@pytest.mark.parametrize("policy", ["write_through", "write_back"])
def test_a_path_loses_its_copies_from_the_end_when_writing_through_and_by_age_when_writing_back(policy: str) -> None:
    cache = hosted(write_policy=policy)
    for end in (4, 8, 12):
        insert(cache, f"A{end}")
    cache.evict(full_tokens=12)
    settle(cache)
    cache.evict(full_tokens=12)
    insert(cache, "A12")
    cache.host.evict(full_tokens=4)
    expected = {"write_through": "0+4f 4+4f 8+4", "write_back": "0+4 4+4f 8+4f"}
    assert shape(cache) == expected[policy]


@pytest.mark.parametrize("order", ["lru", "mru", "fifo", "filo", "lfu", "slru", "priority", "tlru"])
def test_host_leaves_go_by_the_policy(order: str) -> None:
    cache = hosted(policy=order)
    for letter, priority, times in (("A", 3, 1), ("B", 1, 3), ("C", 2, 2)):
        for _ in range(times):
            insert(cache, f"{letter}4", priority=priority)
            settle(cache)
    cache.evict(full_tokens=12)
    hits(cache, "A4")
    cache.host.evict(full_tokens=4)
    assert [letter for letter in "ABC" if look(cache, f"{letter}4") == (0, 0)] == [{
        "lru": "B", "mru": "A", "fifo": "A", "filo": "C", "lfu": "A", "slru": "A", "priority": "B", "tlru": "B",
    }[order]]  # fmt: skip


def test_a_host_too_small_for_anything_is_no_host() -> None:
    cache = hosted(host=4)
    insert(cache, "A8")
    assert (take(cache), used(cache)["full"]) == ([], 0)
    assert cache.evict(full_tokens=8).full_tokens == 8
    assert shape(cache) == ""


def test_what_never_fits_makes_no_room() -> None:
    cache = hosted(host=8)
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    insert(cache, "B12")
    assert (look(cache, "A8"), shape(cache)) == ((0, 8), "0+8-f 0+12")


def test_a_window_larger_than_the_hosts_pool_is_left_out() -> None:
    cache = hosted("swa", swa_host_slots=2)
    insert(cache, "A8")
    settle(cache)
    assert shape(cache) == "0+4Sf 4+4Sf"
    cache.evict(full_tokens=8)
    found = cache.match(key("A8"))
    assert (found.hit_tokens, found.host_hit_tokens, found.full_hit_tokens) == (0, 0, 8)


def test_only_part_of_a_window_on_the_host_is_none_of_it() -> None:
    cache = hosted("swa", swa_host_slots=4)
    insert(cache, "A2")
    insert(cache, "A4")
    settle(cache)
    cache.host.evict(swa_tokens=4)
    insert(cache, "B2")
    settle(cache)
    insert(cache, "A4")
    assert used(cache)["swa"] == 4, "the copy of B made room for the whole window of A"


def test_a_transfer_makes_no_room_out_of_its_own_path() -> None:
    cache = hosted(host=8)
    insert(cache, "A4")
    insert(cache, "A8")
    settle(cache)
    insert(cache, "A12")
    assert shape(cache) == "0+4f 4+4f 8+4"


def test_a_leaf_that_can_neither_be_copied_nor_deleted_is_no_victim() -> None:
    cache = hosted(host=4, write_policy="write_back")
    insert(cache, "A4")
    insert(cache, "A6")
    assert cache.evict(full_tokens=6).full_tokens == 2
    assert shape(cache) == "0+4 4+2-f"
    settle(cache)
    assert cache.evict(full_tokens=4).full_tokens == 4
    assert shape(cache) == "0+4-f"


def test_a_leaf_that_never_fits_is_deleted_with_what_is_below() -> None:
    cache = hosted(host=4, write_policy="write_back")
    insert(cache, "A5")
    insert(cache, "A7")
    cache.evict(full_tokens=2)
    settle(cache)
    assert cache.evict(full_tokens=5).full_tokens == 5
    assert (shape(cache), used(cache)["full"]) == ("", 0)


@pytest.mark.parametrize("evictor", ["incremental", "rebuild"])
def test_a_victim_that_had_to_stay_is_one_again_in_the_next_call(evictor: str) -> None:
    cache = hosted("swa", host=4, write_policy="write_back", evictor=evictor)
    insert(cache, "A4")
    insert(cache, "A6")
    cache.evict(full_tokens=2)
    for _ in range(3):
        gone = cache.evict(full_tokens=4, swa_tokens=4)
        assert (gone.full_tokens, gone.swa_tokens, gone.victims) == (0, 0, 0)
    settle(cache)
    assert cache.evict(full_tokens=4).full_tokens == 4


def test_a_request_over_a_host_hit_that_it_does_not_load_restores_it() -> None:
    cache = hosted("swa")
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    request = admit(cache, "A8 B4")
    assert (request.host_hit_tokens, shape(cache)) == (8, "0+4tfs 4+3tfs 7+1Sfs 8+4Sfs")
    request.finish()
    assert look(cache, "A8 B4") == (12, 0)
