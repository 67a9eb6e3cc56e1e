"""Requests on pairs of tokens: one pair fewer than tokens, and never less to write back than is owned."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import PrefixCache, check_integrity
from tests.support.caches import admit, full_cache, run, tokens
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


def test_the_pair_of_the_last_prompt_token_belongs_to_the_outputs(cache: PrefixCache) -> None:
    request = admit(cache, "A10")
    for token in tokens("Z3"):
        request.decode(token)
    request.finish()
    assert spans(cache) == [(0, 9), (9, 12)]
