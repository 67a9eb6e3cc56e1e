"""Scenarios S-58, S-60 and S-63 of the specification: allocators, a window that is no multiple of the page, an
example end to end."""

from __future__ import annotations

import pytest

from cache_core import check_integrity
from tests.support.caches import admit, full_cache, hits, swa_cache
from tests.support.observe import free, ledger, reusable, shape


def test_s58_full_slots_and_their_window_peers_are_taken_together_and_freed_apart() -> None:
    cache = swa_cache(slots=16, swa_slots=12)
    slots = cache.allocate(5)
    assert free(cache) == (11, 7)
    cache.free_window(slots[:2])
    assert free(cache) == (11, 9)
    peers = list(cache.pool.window_slots(slots))
    assert (peers[:2], 0 in peers[2:]) == ([0, 0], False)
    cache.free(slots[:2])
    assert free(cache) == (13, 9)


def test_s58_an_allocation_needs_both_pools() -> None:
    cache = swa_cache(page=4, slots=16, swa_slots=12)
    assert len(cache.allocate(5)) == 8  # whole pages
    assert free(cache) == (8, 4)


@pytest.mark.parametrize("length", range(41, 49))
@pytest.mark.parametrize(("page", "window"), [(4, 5), (4, 6), (8, 9), (8, 13), (8, 14)])
def test_s60_a_window_that_is_no_multiple_of_the_page_keeps_its_insert_reachable(
    page: int, window: int, length: int
) -> None:
    # with max(W, P) in place of ceil_P, the tail kept less than a window here and slots were owned twice
    cache = swa_cache(page=page, window=window, slots=512)
    request = admit(cache, f"A{length}")
    whole = length // page * page
    assert (request.protected_tokens, hits(cache, f"A{length}")) == (whole, (whole, None))
    check_integrity(cache)
    request.finish()
    assert reusable(cache) == (512, 512)


def test_s60_the_numbers_of_the_defect() -> None:
    cache = swa_cache(page=4, window=6, slots=512)
    request = admit(cache, "A43")
    assert (request.protected_tokens, shape(cache)) == (40, "0+32t 32+8S")


def test_s63_three_requests_in_turn() -> None:
    cache = full_cache(slots=8192)
    served = []
    for text, length in (("S512 F1543 Q96", 2151), ("S512 F1543 R80", 2135), ("S512 T2112", 2624)):
        request = admit(cache, text, prefilled=False)
        served.append((request.hit_tokens, length - request.hit_tokens))
        request.prefill(length)
        request.finish()
    assert served == [(0, 2151), (2055, 80), (512, 2112)]
    assert shape(cache) == "0+512 512+1543 2055+96 2055+80 512+2112"
    assert ledger(cache)["full"].evictable == 4343
