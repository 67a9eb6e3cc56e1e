"""Requests on pairs of tokens: one pair fewer than tokens, and never less to write back than is owned."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import OutOfSlotsError, PrefixCache, check_integrity
from tests.support.caches import admit, full_cache, key, run, swa_cache, tokens
from tests.support.observe import free, reusable


@pytest.fixture
def cache() -> PrefixCache:
    """Return a cache of pairs, page 1."""
    return full_cache(bigram=True)


def spans(cache: PrefixCache) -> list[tuple[int, int]]:
    """Return start and end of every node, parents first."""
    return [(node.start, node.end) for node in cache.tree.descend()]


@pytest.mark.parametrize("end", [{"insert": True}, {"insert": False}])
def test_a_request_that_only_hit_ends_with_what_it_owned(cache: PrefixCache, end: dict[str, Any]) -> None:
    run(cache, "A40", outputs="Z1")
    request = admit(cache, "A10", prefilled=False)
    assert (request.hit_tokens, request.length) == (8, 8)
    request.finish(**end)
    check_integrity(cache)
    assert reusable(cache) == (256,)


def test_a_request_that_only_hit_may_write_back(cache: PrefixCache) -> None:
    run(cache, "A40", outputs="Z1")
    request = admit(cache, "A10", prefilled=False)
    before = free(cache)
    request.prefill(8)
    assert (request.protected_tokens, free(cache)) == (8, before)


def test_a_decode_that_fails_leaves_a_window_before_the_last_pair() -> None:
    cache = swa_cache(slots=18, bigram=True, swa_free_interval_tokens=1)
    request = admit(cache, "A10")
    for token in tokens("Z8"):
        request.decode(token)
    with pytest.raises(OutOfSlotsError):
        request.decode(0)
    request.finish()
    assert cache.match(key("A10 Z8")).hit_tokens == 17


def test_the_pair_of_the_last_prompt_token_belongs_to_the_outputs(cache: PrefixCache) -> None:
    request = admit(cache, "A10")
    for token in tokens("Z3"):
        request.decode(token)
    request.finish()
    assert spans(cache) == [(0, 9), (9, 12)]
