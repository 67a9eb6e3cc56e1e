"""Worked examples A1, A3, A6 and A7 on the block-hash cache, with blocks of 16 tokens."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.control import build
from profiles.cost_model import LLAMA_3_8B
from tests.support.caches import admit, tokens
from tests.support.observe import ledger

pytestmark = pytest.mark.one_backend("no tree")

R1, R2, R3 = "S512 F1543 Q96", "S512 F1543 R80", "S512 T2112"


def roomy(kind: str = "block_hash") -> PrefixCache:
    """Return a cache that holds every example."""
    return build(kind, CacheConfig(page_size=16, components=("full",), full_slots=16_384))


def serve(cache: PrefixCache, text: str) -> int:
    """Serve a prompt, and return how many of its tokens were hit."""
    request = admit(cache, text)
    request.finish()
    return request.hit_tokens


@pytest.mark.parametrize("kind", ["block_hash", "prefix"])
def test_a1_and_a7_blocks_share_whole_pages_like_a_tree_of_such_pages(kind: str) -> None:
    cache = roomy(kind)
    assert [serve(cache, text) for text in (R1, R2, R3)] == [0, 2048, 512]
    assert ledger(cache)["full"].evictable == 2144 + (2128 - 2048) + 2112


def test_a6_the_context_that_a_tree_frees_in_one_pop_takes_132_block_evictions() -> None:
    cache = roomy()
    serve(cache, R3)
    children = [admit(cache, f"S512 C{n * 16}:{n * 16 + 16}") for n in range(400)]
    context = cache.match(RadixKey(tokens(R3))).hit_tokens - 512
    gone = cache.evict(full_tokens=context)
    assert (gone.victims, gone.full_tokens) == (2112 // 16, 2112) == (132, 2112)
    assert LLAMA_3_8B.kv_mib(gone.full_tokens) == 264
    assert cache.match(RadixKey(tokens(R3))).hit_tokens == 512
    assert {child.hit_tokens for child in children} == {512}


def test_a6_a_need_of_300_tokens_is_met_block_by_block_from_the_end_of_the_context() -> None:
    cache = roomy()
    serve(cache, R3)
    admit(cache, "S512 C16")
    gone = cache.evict(full_tokens=300)
    assert (gone.victims, gone.full_tokens) == (19, 304)
    assert cache.match(RadixKey(tokens(R3))).hit_tokens == 512 + 2112 - 304
