"""Worked examples B1 to B10: two states of a node, and the window kept where requests part."""

from __future__ import annotations

import pytest

from cache_core import PrefixCache, Request
from cache_core.branching import branching_point, insert_length
from tests.support.caches import admit, hits, insert, key, run, swa_cache, tokens
from tests.support.observe import free, ledger, rows, shape
from tests.support.window_peers import window_peers

PROMPT = 2055  # the system prompt that requests share


def served(page: int = 1, window: int = 4, text: str = "A41", slots: int = 512) -> PrefixCache:
    """Return a cache in which one prompt has been served."""
    cache = swa_cache(page=page, window=window, slots=slots)
    run(cache, text, "")
    return cache


def live_positions(request: Request) -> list[int]:
    """Return the positions of a request that still have a window slot."""
    return [position for position, slot in enumerate(request.swa_row()) if slot]


def test_b1_a_tombstone_keeps_its_full_slots_and_lets_the_walk_through() -> None:
    cache = swa_cache()
    insert(cache, "A12", swa_from=8)
    tombstone, leaf = rows(cache)
    assert (tombstone.live, leaf.live) == (False, True)
    found = cache.match(key("A12"))
    slots = found.slots()
    assert (found.hit_tokens, len(slots)) == (12, 12)
    assert [slot in window_peers(cache) for slot in slots] == [False] * 8 + [True] * 4
    assert [bool(slot) for slot in found.swa_slots()] == [False] * 8 + [True] * 4


@pytest.mark.parametrize(
    ("page", "window", "prompt", "frontier"),
    [
        (1, 4, 41, 36),  # 40 - 4
        (4, 4, 41, 36),  # 40 - 4
        (4, 6, 41, 32),  # 40 - 8: whole pages that cover the window
        (4, 6, 43, 32),  # 42 - 8 = 34, down to a page: 0.5.20 freed up to 36 and kept less than a window
        (16, 4, 41, 16),  # 40 - 16 = 24, down to a page
    ],
)
def test_b2_slots_behind_the_window_are_freed_and_a_window_stays(
    page: int, window: int, prompt: int, frontier: int
) -> None:
    cache = swa_cache(page=page, window=window, slots=512)
    request = admit(cache, f"A{prompt}")
    assert live_positions(request)[0] == frontier
    whole = prompt // page * page
    assert cache.match(key(f"A{prompt}")).hit_tokens == whole
    assert whole - frontier >= window


@pytest.mark.parametrize(("interval", "first_free", "freed"), [(128, 41 + 132, 128), (1, 41 + 5, 1)])
def test_b2_decode_frees_again_once_enough_tokens_slid_out(interval: int, first_free: int, freed: int) -> None:
    cache = swa_cache(slots=512, swa_free_interval_tokens=interval)
    request = admit(cache, "A41")
    assert cache.match(key("A41")).hit_tokens == 41
    before = free(cache)[1]
    for number, token in enumerate(tokens("Z200")):
        request.decode(token)
        if free(cache)[1] > before - (number + 1):
            break
    assert request.length - 1 == first_free
    assert free(cache)[1] == before - (number + 1) + freed


def test_b2_freeing_behind_the_window_is_a_switch() -> None:
    cache = swa_cache(slots=512, free_behind_window=False)
    request = admit(cache, "A41")
    assert live_positions(request) == list(range(41))
    assert hits(cache, "A22") == (22, None)


def test_b3_what_lies_between_the_two_hits_is_recomputed() -> None:
    cache = served()
    found = cache.match(key("A22 B19"))
    assert (found.full_hit_tokens, found.hit_tokens, found.branching_point) == (22, 0, 22)
    whole = cache.match(key("A41 B2"))
    assert (whole.full_hit_tokens, whole.hit_tokens, whole.branching_point) == (41, 41, None)
    assert (branching_point(22, 0, 1), branching_point(41, 41, 1), branching_point(23, 20, 4)) == (22, None, None)


@pytest.mark.parametrize(("page", "point"), [(1, 2055), (16, 2048), (64, 2048)])
def test_b4_the_branching_point_is_a_whole_page(page: int, point: int) -> None:
    cache = served(page, 128, f"S{PROMPT} Q512", slots=8192)
    found = cache.match(key(f"S{PROMPT} R96"))
    assert (found.hit_tokens, found.branching_point) == (0, point)
    assert branching_point(PROMPT, 0, page) == point


@pytest.mark.parametrize(("page", "point"), [(1, 22), (4, 20)])
def test_b5_after_an_insert_up_to_the_branching_point_it_is_reusable(page: int, point: int) -> None:
    cache = served(page)
    fork = admit(cache, "A22 B19", prefilled=False)
    assert (fork.hit_tokens, fork.branching_point) == (0, point)
    fork.prefill(41)
    assert hits(cache, "A22 C19") == (point, None)


def test_b6_one_window_is_stored_and_everything_before_the_fork_is_saved() -> None:
    cache = served()
    before = ledger(cache)["swa"].evictable
    admit(cache, "A22 B19").retract()
    assert ledger(cache)["swa"].evictable - before == 4 + 1  # the window, and the token its last query stands on
    assert hits(cache, "A22 C19") == (22, None)


def test_b6_nothing_is_gained_within_one_live_window() -> None:
    cache = swa_cache()
    insert(cache, "A4")
    assert hits(cache, "A3 B9") == (3, None)


@pytest.mark.parametrize(
    ("seed", "chunks", "branch", "written"),
    [
        ("A41", [41], 22, [22]),
        ("A41", [41, 41], 22, [22, 41]),  # the tree owns the prefix up to the branch already
        ("A41", [16, 41], 22, [16, 22]),  # the first chunk does not reach the branch
        ("A41", [22], 22, [22]),
        ("C41", [41], None, [41]),  # nobody was here before
    ],
)
def test_b7_the_insert_is_cut_only_at_a_branch_that_is_ahead_and_reached(
    seed: str, chunks: list[int], branch: int | None, written: list[int]
) -> None:
    cache = served(text=seed)
    assert cache.match(key(seed)).hit_tokens == 41
    fork = admit(cache, "A22 B19", prefilled=False)
    assert fork.branching_point == branch
    owned = 0
    for upto, expected in zip(chunks, written, strict=True):
        assert insert_length(upto, owned, branch) == expected
        fork.prefill(upto)
        owned = fork.protected_tokens
        assert owned == expected


def test_b7_a_chunk_before_the_branching_point_is_written_whole() -> None:
    cache = served()
    fork = admit(cache, "A22 B19", prefilled=False)
    assert fork.branching_point == 22
    fork.prefill(16)
    assert hits(cache, "A16") == (16, None)
    fork.prefill(30)
    assert hits(cache, "A22") == (22, None)
    assert hits(cache, "A22 B8")[0] == 22, "the chunk that reached the branch stops there"
    fork.prefill(41)
    assert hits(cache, "A22 B19") == (41, None)


@pytest.mark.parametrize(
    ("swa_from", "leaf", "hit"),
    [
        (14, "8+6t", (8, 14)),  # wholly before the frontier
        (8, "8+2S 10+4S", (14, None)),  # wholly after it; the last window is a node of its own
        (10, "8+2t 10+4S", (14, None)),  # straddling
    ],
)
def test_b8_a_new_leaf_against_the_frontier(swa_from: int, leaf: str, hit: tuple[int, int | None]) -> None:
    cache = swa_cache()
    insert(cache, "A8")
    insert(cache, "A8 B6", swa_from=swa_from)
    assert shape(cache) == f"0+4S 4+4S {leaf}"
    assert hits(cache, "A8 B6") == hit


@pytest.mark.parametrize("page", [1, 4])
def test_b9_window_slots_are_found_through_the_full_slots(page: int) -> None:
    cache = swa_cache(page=page)
    request = admit(cache, "A24")
    row, window_row = request.row(), request.swa_row()
    peers = window_peers(cache)
    assert [peers.get(slot, 0) for slot in row] == window_row.tolist()
    shared = admit(cache, "A24 B8", prefilled=False)
    assert (shared.hit_tokens, shared.row()[:24]) == (24, row)
    found = cache.match(key("A24"))
    assert [peers[slot] for slot in found.slots()[-4:]] == found.swa_slots()[-4:].tolist() == window_row[-4:].tolist()
    assert all(window_row[-4:])


@pytest.mark.parametrize(("page", "window"), [(1, 4), (4, 4), (4, 6), (4, 7), (8, 15), (16, 4)])
@pytest.mark.parametrize("length", [40, 41, 43, 47, 64])
def test_b10_an_insert_is_accepted_by_the_match_right_after_it(page: int, window: int, length: int) -> None:
    cache = swa_cache(page=page, window=window, slots=512)
    request = admit(cache, f"A{length}")
    whole = length // page * page
    assert hits(cache, f"A{length}") == (whole, None)
    request.finish()
    assert hits(cache, f"A{length}") == (whole, None)


def test_b10_a_finished_request_cleans_up_after_its_insert() -> None:
    cache = swa_cache(page=4, slots=512)
    request = admit(cache, "A41")
    for token in tokens("Z6"):
        request.decode(token)
    request.finish()
    counts = ledger(cache)
    assert hits(cache, "A41 Z6") == (44, None)
    assert (counts["full"].evictable, counts["full"].held, counts["swa"].held) == (44, 0, 0)
