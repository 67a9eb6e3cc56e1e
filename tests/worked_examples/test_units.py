"""Worked examples B11 and B13: recurrent states and pairs of tokens at a branching point."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, PrefixCache
from tests.support.caches import admit, hits, run, swa_cache
from tests.support.observe import shape


def with_states(grid: int = 4) -> PrefixCache:
    """Return a cache of all three components."""
    components = ("full", "swa", "mamba")
    pools = {"full_slots": 512, "swa_slots": 512, "mamba_slots": 32, "mamba_chunk_tokens": grid}
    return PrefixCache(CacheConfig(components=components, window=4, **pools))


@pytest.mark.parametrize(("fork", "checkpoint"), [(22, 20), (23, 20), (24, 24), (6, 4)])
def test_b11_the_insert_ends_where_the_state_is_exact_not_at_the_windows_branch(fork: int, checkpoint: int) -> None:
    cache = with_states()
    run(cache, "A40", "")
    request = admit(cache, f"A{fork} B19", prefilled=False)
    assert (request.hit_tokens, request.branching_point) == (0, fork)
    request.prefill(fork + 19, cache=False)
    assert request.checkpoint_due == checkpoint
    request.prefill(fork + 19)
    assert request.protected_tokens == checkpoint
    assert hits(cache, f"A{fork} C19")[0] == checkpoint


def test_b11_without_states_the_same_insert_ends_at_the_windows_branch() -> None:
    cache = swa_cache(slots=512)
    run(cache, "A40", "")
    assert admit(cache, "A22 B19").protected_tokens == 22


def test_b11_every_state_in_the_tree_stands_at_the_end_of_its_prefix() -> None:
    cache = with_states()
    request = admit(cache, "A30", prefilled=False)
    for upto in (9, 18, 30):
        request.prefill(upto)
    request.finish()
    assert shape(cache).count("M") == 3
    assert [end for end in range(1, 31) if hits(cache, f"A{end} X1")[0] == end] == [8, 16, 28]


@pytest.mark.parametrize("page", [1, 4])
@pytest.mark.parametrize("pairs", [8, 20])
def test_b13_an_insert_up_to_the_branching_point_spans_one_token_more(page: int, pairs: int) -> None:
    cache = swa_cache(page=page, slots=512, bigram=True)
    run(cache, "A41", "")
    fork = admit(cache, f"A{pairs + 1} B19", prefilled=False)
    assert (fork.full_hit_tokens, fork.branching_point) == (pairs, pairs)
    # the pair before the branch needs the token behind it, which is not there one token earlier
    fork.prefill(pairs, cache=False)
    fork.prefill(pairs)
    assert fork.protected_tokens == (pairs - 1) // page * page
    fork.prefill(pairs + 1)
    assert (fork.protected_tokens, fork.branching_point) == (pairs, None)
    assert hits(cache, f"A{pairs + 1} C19") == (pairs, None)


@pytest.mark.parametrize(("page", "tokens_in", "units"), [(1, 10, 9), (4, 10, 8), (4, 9, 8), (4, 8, 4), (1, 1, 0)])
def test_b13_n_pairs_are_n_plus_one_tokens(page: int, tokens_in: int, units: int) -> None:
    cache = swa_cache(page=page, slots=64, bigram=True)
    run(cache, f"A{tokens_in}", "")
    assert cache.stats()["components"]["full"]["evictable"] == units
    assert hits(cache, f"A{tokens_in}")[0] == units
