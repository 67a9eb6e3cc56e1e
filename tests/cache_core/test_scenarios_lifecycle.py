"""Scenarios S-30 to S-49 of the specification: requests, branching points, locks and the sliding window.

Pools are 512/512 unless said. The seed request is a prompt of 41 tokens of stream A, served to its end.
"""

from __future__ import annotations

import pytest

from cache_core import LockError, PrefixCache
from cache_core.node import Node
from cache_core.results import gather
from tests.support.caches import admit, hits, insert, key, run, swa_cache, tokens
from tests.support.observe import free, ledger, locks, reusable, rows, shape


def seeded(text: str = "A41", page: int = 1, window: int = 4, **more: object) -> PrefixCache:
    """Return a cache in which the seed request has been served."""
    cache = swa_cache(page=page, window=window, slots=512, **more)
    run(cache, text, "")
    return cache


def dead_tokens(request: object) -> int:
    """Return how many leading positions of a request have no window slot."""
    return sum(slot == 0 for slot in request.swa_row())


# ---- one fork


def test_s30_a_seed_keeps_one_window_and_the_token_before_it() -> None:
    cache = swa_cache(slots=512)
    request = admit(cache, "A41")
    assert (shape(cache), locks(cache)) == ("0+36t 36+1S 37+4S", "1/0 1/0 1/1")
    assert dead_tokens(request) == 36


def test_s30_a_fork_sees_the_full_hit_and_the_branching_point() -> None:
    fork = admit(seeded(), "A22 B19", prefilled=False)
    assert (fork.hit_tokens, fork.full_hit_tokens, fork.branching_point) == (0, 22, 22)


def test_s30_the_fork_leaves_one_live_window_at_the_branching_point() -> None:
    cache = seeded()
    fork = admit(cache, "A22 B19")
    assert (fork.branching_point, len(fork.row()), dead_tokens(fork)) == (None, 41, 17 + 14)
    assert shape(cache).startswith("0+17t 17+5S")
    assert locks(cache).startswith("1/0 1/1")
    assert ledger(cache)["swa"].protected == 5
    fork.finish()
    assert shape(cache).endswith("22+14t 36+1S 37+4S")
    second = admit(cache, "A22 C19", prefilled=False)
    assert (second.hit_tokens, second.branching_point) == (22, None)


@pytest.mark.parametrize(
    ("page", "window", "seed_tree", "fork_tree", "hit"),
    [
        (4, 4, "0+36t 36+4S", "0+12t 12+8S", 20),
        # whole pages cover the window (ceil_P): 20 - 1 - 8 leaves 12 live tokens; 0.5.20 left 8, 0.5.23 leaves 12
        (4, 6, "0+32t 32+8S", "0+8t 8+12S", 20),
    ],
)
def test_s31_s32_a_fork_on_pages(page: int, window: int, seed_tree: str, fork_tree: str, hit: int) -> None:
    cache = swa_cache(page=page, window=window, slots=512)
    request = admit(cache, "A41")
    assert shape(cache) == seed_tree
    for token in tokens("Z2"):
        request.decode(token)
    request.finish()
    fork = admit(cache, "A22 B19", prefilled=False)
    assert (fork.full_hit_tokens, fork.branching_point) == (20, 20)
    fork.prefill(41)
    assert shape(cache).startswith(fork_tree)
    assert admit(cache, "A22 C19", prefilled=False).hit_tokens == hit


# ---- two forks, and a fork of a running request


def test_s33_two_forks_of_one_seed_share_the_window_of_the_first() -> None:
    cache = seeded()
    first, second = (admit(cache, text, prefilled=False) for text in ("A22 B19", "A22 C19"))
    assert (first.branching_point, second.branching_point) == (22, 22)
    first.prefill(41, cache=False)
    second.prefill(41, cache=False)
    assert free(cache) == (389, 425)


def test_s33_the_second_fork_gives_its_copy_back() -> None:
    cache = seeded()
    first, second = (admit(cache, text, prefilled=False) for text in ("A22 B19", "A22 C19"))
    first.prefill(41)
    second.prefill(41)
    assert free(cache) == (433, 492)
    assert locks(cache).startswith("2/0 2/2")
    first.finish()
    second.finish()
    assert reusable(cache) == (512, 512)


def test_s34_a_fork_of_a_running_seed_recovers_the_locked_node() -> None:
    cache = swa_cache(slots=512)
    seed = admit(cache, "A41")
    for token in tokens("Z2"):
        seed.decode(token)
    fork = admit(cache, "A22 B19")
    assert fork.row()[:22] == seed.row()[:22]
    assert locks(cache).startswith("2/0 2/1")
    fork.finish()
    seed.finish()
    assert reusable(cache) == (512, 512)


def test_s35_a_fork_of_a_finished_seed_replaces_the_slots_of_the_window_alone() -> None:
    cache = seeded()
    old = cache.match(key("A41"))
    assert old.full_hit_tokens == 41
    before = list(gather(deepest(cache, 22)))
    fork = admit(cache, "A22 B19")
    row = list(fork.row()[:22])
    assert row[:17] == before[:17]
    assert not set(row[17:]) & set(before[17:22])


def deepest(cache: PrefixCache, length: int) -> Node:
    """Return the node that ends at `length` of stream A, cutting one there."""
    cache.match(key(f"A{length}"))
    return next(node for node in cache.tree.descend() if node.end == length and node.edge)


# ---- retraction, finishing early, chunks


def test_s36_retraction_keeps_what_was_written_back() -> None:
    cache = swa_cache(slots=128)
    request = admit(cache, "A20")
    for token in tokens("Z3"):
        request.decode(token)
    request.retract()
    assert (shape(cache), free(cache)) == ("0+15t 15+1S 16+4S", (108, 123))


def test_s36_retraction_before_any_write_back_leaves_nothing() -> None:
    cache = swa_cache(slots=128)
    request = admit(cache, "A20", prefilled=False)
    request.prefill(20, cache=False)
    request.retract()
    assert (shape(cache), free(cache)) == ("", (128, 128))


@pytest.mark.parametrize(("finish_branch", "cached", "hit"), [("branch", 20, 20), ("both", 30, 29)])
def test_s37_a_finish_with_an_open_branching_point(finish_branch: str, cached: int, hit: int) -> None:
    cache = seeded("A40", finish_branch=finish_branch)
    fork = admit(cache, "A20 B10", prefilled=False)
    fork.prefill(30, cache=False)
    fork.finish()
    assert cache.match(key("A20 B10")).full_hit_tokens == cached
    assert admit(cache, "A20 B10", prefilled=False).hit_tokens == hit
    assert admit(cache, "A20 C10", prefilled=False).hit_tokens == 20


@pytest.mark.parametrize(
    ("page", "prompt", "length"),
    [
        (1, "A21", 20),  # the request ends where it branches
        (4, "A20 B3", 23),  # what follows the branch is less than a page
    ],
)
def test_a_finish_at_its_branching_point_counts_one_hit(page: int, prompt: str, length: int) -> None:
    cache = seeded("A40", page=page, hit_rule="insert", finish_branch="both")
    fork = admit(cache, prompt, prefilled=False)
    assert fork.branching_point == 20
    fork.prefill(length, cache=False)
    fork.finish()
    assert rows(cache)[0].hits == 2


def test_s38_every_chunk_boundary_leaves_a_window() -> None:
    cache = seeded("A64")
    request = admit(cache, "A28 B36", prefilled=False)
    assert request.branching_point == 28
    dead = []
    for upto in (16, 32, 48, 64):
        request.prefill(upto)
        dead.append([slot == 0 for slot in request.swa_row()])
    assert [sum(row) for row in dead] == [11, 11 + 7, 11 + 7 + 15, 11 + 7 + 15 + 11]
    assert "11+5S 16+7t 23+5S" in shape(cache)
    for row, live in zip(dead, (range(11, 16), range(23, 28), range(43, 48), range(59, 64)), strict=True):
        assert not any(row[position] for position in live)
    request.finish()
    assert admit(cache, "A28 C36", prefilled=False).hit_tokens == 28


def test_s39_a_prompt_that_ends_inside_the_seed_branches_before_its_last_token() -> None:
    cache = seeded("A64")
    request = admit(cache, "A30", prefilled=False)
    assert request.branching_point == 29
    request.prefill(30)
    assert shape(cache).startswith("0+24t 24+5S")
    request.finish()
    assert hits(cache, "A30") == (30, None)


def test_s40_a_conversation_hits_its_own_tail() -> None:
    cache = swa_cache(slots=512)
    run(cache, "A20", "B6")
    assert shape(cache) == "0+15t 15+1S 16+4S 20+2S 22+4S"
    second = admit(cache, "A20 B6 C5", prefilled=False)
    assert second.hit_tokens == 26
    second.prefill(31)
    assert shape(cache).endswith("26+1S 27+4S")
    assert hits(cache, "A20 B3 D4") == (23, None)


def test_s41_without_freeing_behind_the_window_there_is_no_gap() -> None:
    cache = swa_cache(slots=512, free_behind_window=False)
    request = admit(cache, "A41")
    assert (shape(cache), dead_tokens(request)) == ("0+37S 37+4S", 0)
    request.finish()
    fork = admit(cache, "A22 B19")
    assert fork.hit_tokens == 22
    fork.finish()
    assert ledger(cache)["swa"].evictable == 60


# ---- locks


def test_s42_a_split_inside_a_locked_node_keeps_both_halves_locked() -> None:
    cache = swa_cache()
    insert(cache, "A12")
    receipt = cache.lock(cache.match(key("A12")).node)
    hits(cache, "A10")
    assert (shape(cache), locks(cache)) == ("0+8S 8+2S 10+2S", "1/0 1/1 1/1")
    cache.unlock(receipt)
    assert locks(cache) == "0/0 0/0 0/0"


def test_a_write_back_that_adds_nothing_still_locks_the_window_it_ends_on() -> None:
    cache = swa_cache(page=4)
    insert(cache, "A16")
    request = admit(cache, "A12 B8", prefilled=False)
    hits(cache, "A4")
    assert (shape(cache), locks(cache)) == ("0+4S 4+8S 12+4S", "1/1 1/1 0/0")
    request.prefill(14)  # no new page
    assert locks(cache) == "1/0 1/1 0/0"


def test_s43_a_lock_holds_the_path_and_one_window() -> None:
    cache = swa_cache()
    for end in (2, 4, 6, 8, 10):
        insert(cache, f"A{end}")
    deep = cache.lock(cache.match(key("A10")).node)
    assert (locks(cache), ledger(cache)["full"].protected) == ("1/0 1/0 1/0 1/1 1/1", 10)
    middle = cache.lock(cache.match(key("A4")).node)
    assert locks(cache) == "2/1 2/1 1/0 1/1 1/1"
    shallow = cache.lock(cache.match(key("A2")).node)
    assert locks(cache) == "3/2 2/1 1/0 1/1 1/1"
    gone = cache.evict(full_tokens=100, swa_tokens=100)
    assert (gone.full_tokens, gone.swa_tokens) == (0, 2)
    assert shape(cache) == "0+2S 2+2S 4+2t 6+2S 8+2S"
    for receipt in (middle, deep, shallow):
        cache.unlock(receipt)
    assert locks(cache) == "0/0 0/0 0/0 0/0 0/0"


def test_s44_a_receipt_of_another_cache_is_refused() -> None:
    cache, other = swa_cache(), swa_cache()
    insert(cache, "A12")
    insert(other, "A12")
    receipt = cache.lock(cache.match(key("A12")).node)
    with pytest.raises(LockError):
        other.unlock(receipt)
    assert locks(cache) == "1/0 1/1"


def test_s45_the_window_half_of_a_lock_can_be_given_up_early() -> None:
    cache = swa_cache()
    request = admit(cache, "A20")
    assert ledger(cache)["swa"].protected == 4
    request.release_window()
    assert (ledger(cache)["swa"].protected, ledger(cache)["swa"].evictable) == (0, 5)
    assert locks(cache) == "1/0 1/0 1/0"
    gone = cache.evict(swa_tokens=100)
    assert (gone.full_tokens, gone.swa_tokens) == (0, 5)
    request.finish()
    assert hits(cache, "A20") == (0, 20)


def test_s46_a_lock_counts_on_tombstones_too() -> None:
    cache = swa_cache()
    end = insert(cache, "A12", swa_from=10).node
    cache.lock(end)
    assert (shape(cache), locks(cache)) == ("0+10t 10+2S", "1/1 1/1")
    assert ledger(cache)["swa"].protected == 2


def test_s47_growing_under_a_lock_makes_a_leaf_that_may_go() -> None:
    cache = swa_cache()
    insert(cache, "A8")
    receipt = cache.lock(cache.match(key("A8")).node)
    insert(cache, "A12")
    assert cache.evict(full_tokens=100).full_tokens == 4
    cache.unlock(receipt)
    assert cache.evict(full_tokens=1).full_tokens == 4


def test_s48_a_request_that_never_wrote_back_is_live_as_a_whole() -> None:
    cache = swa_cache()
    request = admit(cache, "A20", prefilled=False)
    request.prefill(20, cache=False)
    for token in tokens("Z3"):
        request.decode(token)
    request.finish()
    assert shape(cache) == "0+19S 19+4S"


def test_s49_eviction_respects_the_locks_of_each_component() -> None:
    cache = swa_cache()
    insert(cache, "A12")
    receipt = cache.lock(cache.match(key("A12")).node)
    gone = cache.evict(full_tokens=100, swa_tokens=100)
    assert (gone.full_tokens, gone.swa_tokens) == (0, 8)
    assert (shape(cache), locks(cache)) == ("0+8t 8+4S", "1/0 1/1")
    cache.unlock(receipt)
    gone = cache.evict(full_tokens=1)
    assert (gone.full_tokens, gone.swa_tokens) == (4, 4)
    assert cache.evict(full_tokens=1).full_tokens == 8
