"""What a request writes back: how often it counts, what it locks then, and that its own insert is found again."""

from __future__ import annotations

import pytest

from cache_core import PrefixCache, check_integrity
from tests.support.caches import admit, full_cache, hits, insert, key, run, swa_cache
from tests.support.observe import locks, reusable, rows, shape


@pytest.mark.parametrize("hit_rule", ["request", "insert"])
def test_a_prompt_in_chunks_counts_one_hit(hit_rule: str) -> None:
    cache = full_cache(hit_rule=hit_rule, split_recency="reference")
    insert(cache, "A4")
    request = cache.admit(key("A12"))
    for upto in (6, 9, 12):
        request.prefill(upto)
    assert rows(cache)[0].hits == 2


@pytest.mark.parametrize(
    ("page", "prompt", "length"),
    [
        (1, "A21", 20),  # the request ends where it branches
        (4, "A20 B3", 23),  # what follows the branch is less than a page
    ],
)
def test_a_finish_at_its_branching_point_counts_one_hit(page: int, prompt: str, length: int) -> None:
    cache = seeded(page=page, hit_rule="insert", finish_branch="both")
    fork = admit(cache, prompt, prefilled=False)
    assert fork.branching_point == 20
    fork.prefill(length, cache=False)
    fork.finish()
    assert rows(cache)[0].hits == 2


def seeded(**more: object) -> PrefixCache:
    """Return a cache in which a prompt of 40 tokens of stream A has been served."""
    cache = swa_cache(slots=512, **more)
    run(cache, "A40", "")
    return cache


def test_a_write_back_that_adds_nothing_still_locks_the_window_it_ends_on() -> None:
    cache = swa_cache(page=4)
    insert(cache, "A16")
    request = admit(cache, "A12 B8", prefilled=False)
    hits(cache, "A4")
    assert (shape(cache), locks(cache)) == ("0+4S 4+8S 12+4S", "1/1 1/1 0/0")
    request.prefill(14)  # no new page
    assert locks(cache) == "1/0 1/1 0/0"


@pytest.mark.parametrize("length", range(41, 49))
@pytest.mark.parametrize(("page", "window"), [(4, 5), (4, 6), (8, 9), (8, 13), (8, 14)])
def test_a_window_that_is_no_multiple_of_the_page_keeps_its_insert_reachable(
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
