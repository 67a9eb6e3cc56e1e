"""The model's states and bigram keys against the numbers of the specification: S-56, S-59, sections 8.1 and 8.2."""

from __future__ import annotations

import pytest

from tests.support.caches import tokens
from tests.support.naive_checks import check_model
from tests.support.naive_request import NaiveRequest
from tests.support.naive_scripts import hits, hosted, insert, look, model, serve, settle, shape

pytestmark = pytest.mark.one_backend("no tree")


def start(cache: object, text: str) -> NaiveRequest:
    """Admit a request."""
    return NaiveRequest(cache, tuple(tokens(text)))


# ---- states


def test_s59_a_match_ends_only_where_a_state_is() -> None:
    cache = model(window=None, mamba_slots=8, mamba_chunk=4)
    insert(cache, "A8", state=True)
    assert look(cache, "A8").hit == 8
    found = look(cache, "A5 X3")
    assert (found.hit, found.full, found.state_branch) == (0, 5, 4)
    assert shape(cache) == "0+5F 5+3FM"
    found = look(cache, "A3 X3")
    assert (found.hit, found.full, found.state_branch) == (0, 3, None)


def test_s59_evicting_the_state_of_a_leaf_takes_the_leaf() -> None:
    cache = model(window=None, mamba_slots=8, mamba_chunk=4)
    insert(cache, "A4", state=True)
    gone = cache.evict(states=1)
    assert (gone.full, gone.states, gone.victims, gone.cascades) == (4, 1, 1, 1)
    assert (shape(cache), cache.full_free, cache.state_free) == ("", 256, 8)


def test_an_inner_state_goes_alone_and_the_oldest_first() -> None:
    cache = model(window=None, mamba_slots=8, mamba_chunk=4)
    for end in (4, 8, 12):
        insert(cache, f"A{end}", state=True)
    look(cache, "A4")
    gone = cache.evict(states=1)
    assert (gone.full, gone.states, shape(cache)) == (0, 1, "0+4FM 4+4F 8+4FM")


def test_a_window_that_goes_takes_the_state_with_it() -> None:
    cache = model(mamba_slots=8, mamba_chunk=4)
    insert(cache, "A4", state=True)
    insert(cache, "A8", state=True)
    gone = cache.evict(swa=1)
    assert (gone.swa, gone.states, gone.cascades, shape(cache)) == (4, 1, 1, "0+4Ft 4+4FSM")


def test_a_second_state_for_one_place_is_freed() -> None:
    cache = model(window=None, mamba_slots=2, mamba_chunk=4)
    insert(cache, "A4", state=True)
    insert(cache, "A4", state=True)
    assert (cache.state_free, shape(cache)) == (1, "0+4FM")


def test_a_lock_holds_the_state_it_ends_on_alone() -> None:
    cache = model(window=None, mamba_slots=8, mamba_chunk=4)
    insert(cache, "A4", state=True)
    insert(cache, "A8", state=True)
    cache.lock(look(cache, "A8").node)
    assert [node.state_lock for node in cache.nodes()] == [0, 1]
    assert cache.pool_states() == (1, 1)
    assert (cache.evict(full=9, states=9).states, shape(cache)) == (1, "0+4F 4+4FM")


@pytest.mark.parametrize(("branching", "written", "third"), [(True, 20, 20), (False, 32, 0)])
def test_a_fork_keeps_its_state_at_the_branch(branching: bool, written: int, third: int) -> None:
    """Section 8.1 with Full, SWA and states: a fork at 22 is a branch at 20, and SWA does not shorten its insert."""
    cache = model(slots=512, mamba_slots=16, mamba_chunk=4, branching=branching)
    serve(cache, "A40", outputs=0)
    fork = start(cache, "A22 B12")
    expected = (0, 22, 22, 20) if branching else (0, 22, None, None)
    assert (fork.hit, fork.start.full, fork.branch, fork.state_branch) == expected
    assert fork.prefill(34)
    assert (fork.owned, fork.due, fork.branch) == (written, written, expected[2])
    fork.finish()
    check_model(cache)
    assert start(cache, "A22 C12").hit == third


def test_the_fork_s_tail_is_written_with_a_later_checkpoint() -> None:
    cache = model(slots=512, mamba_slots=16, mamba_chunk=4)
    serve(cache, "A40", outputs=0)
    fork = start(cache, "A22 B12")
    assert fork.prefill(34)
    assert all(fork.decode(900_000 + number) for number in range(3))
    assert (fork.length, fork.checkpoint) == (37, 36)
    fork.finish()
    assert hits(cache, "A22 B12") == (20, 0, 34)
    assert cache.match((*tokens("A22 B12"), 900_000, 900_001)).hit == 36


def test_the_window_before_a_waiting_checkpoint_is_kept() -> None:
    cache = model(slots=512, mamba_slots=16, mamba_chunk=8, swa_free_interval=1)
    request = start(cache, "A16")
    assert request.prefill(16)
    assert all(request.decode(900_000 + number) for number in range(14))
    assert (request.length, request.checkpoint, request.swa_from) == (30, 24, 20)
    request.finish()
    assert cache.match((*tokens("A16"), *range(900_000, 900_010))).hit == 24


def test_a_request_has_a_working_slot_and_now_and_then_a_checkpoint() -> None:
    cache = model(window=None, mamba_slots=4, mamba_chunk=4)
    request = start(cache, "A10")
    assert request.states == 0
    assert request.prefill(3)
    assert (request.states, request.due) == (1, 0)
    assert request.prefill(6, cached=False)
    assert (request.states, request.due) == (2, 4)
    assert request.prefill(10, cached=False)
    assert (request.states, request.due, request.checkpoint) == (2, 8, 8)
    assert request.prefill(10)
    assert (request.states, request.due, request.owned) == (1, 0, 8)
    request.finish()
    assert (cache.state_free, shape(cache)) == (3, "0+8FM")


def test_without_a_slot_no_checkpoint_is_due_and_without_a_working_slot_nothing_runs() -> None:
    cache = model(window=None, mamba_slots=2, mamba_chunk=4)
    first, second, third = start(cache, "A8"), start(cache, "B8"), start(cache, "C8")
    assert first.prefill(3)
    assert second.prefill(8)
    assert (second.due, second.owned, shape(cache)) == (0, 0, "")
    assert not third.prefill(8)
    assert (cache.full_free, third.length) == (256 - 11, 0)


def test_a_hit_starts_from_the_state_of_its_node() -> None:
    cache = model(window=None, mamba_slots=4, mamba_chunk=4)
    serve(cache, "A8", outputs=0)
    request = start(cache, "A8 B4")
    assert (request.hit, request.has_source) == (8, True)
    assert request.prefill(12, cached=False)
    assert request.has_source
    assert request.prefill(12)
    assert not request.has_source


def test_a_state_on_the_host_counts_and_comes_back_with_the_window() -> None:
    cache = hosted(mamba_slots=4, mamba_chunk=4, mamba_host_slots=4, load_back_tokens=1)
    serve(cache, "A8", outputs=0)
    settle(cache)
    assert shape(cache) == "0+3Fft 3+1FfSs 4+4FfSsMm"
    cache.evict(full=1)
    assert shape(cache) == "0+3Fft 3+1FfSs 4+4ftsm"
    request = start(cache, "A8 B4")
    assert (request.hit, request.start.host, request.state_branch) == (0, 8, None)
    assert request.load_back() == 8
    assert request.has_source
    assert cache.queue[0].sizes == {"full": 4, "swa": 4, "mamba": 1}
    assert shape(cache) == "0+3Fft 3+1FfSs 4+4FfSsMm"


# ---- windows that end a branch


@pytest.mark.parametrize(("order", "idle"), [("lru", (0, 0, 12)), ("tail_window_last", (16, 0, None))])
def test_the_window_that_ends_a_branch_may_go_last(order: str, idle: tuple[int, ...]) -> None:
    """Scenario S-19: an idle branch falls off its cliff, or a busy one gives up what nobody needs."""
    cache = model(swa_eviction=order)
    for letter in "BA":
        for end in (4, 8, 12, 16):
            insert(cache, f"{letter}{end}")
    look(cache, "A16")
    assert cache.evict(swa=16).swa == 16
    assert (hits(cache, "B16"), hits(cache, "A16")) == (idle, (16, 0, None))


# ---- bigram keys


@pytest.mark.parametrize(("page", "stored"), [(1, 9), (4, 8)])
def test_s56_so_many_tokens_are_one_unit_fewer(page: int, stored: int) -> None:
    cache = model(page, window=None, bigram=True)
    request = start(cache, "A10")
    assert request.prefill(10)
    assert (request.length, request.owned) == (10, stored)
    assert cache.full_free == 256 - cache.up(10)
    assert sum(len(node) for node in cache.nodes()) == stored


def test_s56_what_a_query_of_plain_tokens_finds() -> None:
    cache = model(window=None, bigram=True)
    insert(cache, "A10")
    queries = ("A9", "A10 X1", "A5", "A1")
    assert [look(cache, query).hit for query in queries] == [8, 9, 4, 0]


def test_bigram_branch_is_written_with_one_token_more() -> None:
    """Section 8.2: 41 tokens, window 4; a fork sharing 22 tokens has 21 units in common."""
    cache = model(slots=512, bigram=True)
    seed = start(cache, "A41")
    assert seed.prefill(41)
    assert (seed.owned, seed.swa_from) == (40, 35)
    seed.finish()
    fork = start(cache, "A22 B19")
    assert (fork.hit, fork.start.full, fork.branch) == (0, 21, 21)
    assert fork.prefill(21, cached=False)
    assert fork.reach() == 20, "one token short of the branch's last unit"
    assert fork.prefill(41)
    assert (fork.owned, fork.branch) == (21, None)
    assert shape(cache).startswith("0+16Ft 16+5FS")
    fork.finish()
    assert start(cache, "A22 C19").hit == 21


def test_bigram_requests_leave_one_token_to_compute() -> None:
    cache = model(window=None, bigram=True)
    serve(cache, "A10", outputs=0)
    assert start(cache, "A10").hit == 8
