"""A look at a queue says what a match would hit, and changes nothing."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, RadixKey
from tests.support.cache_runs import CONFIGS, CacheRun
from tests.support.caches import full_cache, insert, key, swa_cache
from tests.support.observe import everything, shape
from tests.support.setups import name_of

MORE = (
    CacheConfig(window=5, full_slots=160, page_size=4, swa_slots=80, bigram=True),
    CacheConfig(components=("full", "swa", "mamba"), window=4, full_slots=160, mamba_slots=9, mamba_chunk_tokens=4),
)


@pytest.mark.parametrize("config", [*CONFIGS, *MORE], ids=name_of)
def test_a_look_agrees_with_the_match_after_it(config: CacheConfig) -> None:
    assert sum(stored_tokens_met(config, seed) for seed in range(3))


def stored_tokens_met(config: CacheConfig, seed: int) -> int:
    """Look at keys in a random run and match them; returns how many stored tokens the matches met."""
    run = CacheRun(config, None, seed)
    waiting = [run.key() for _ in range(3)]
    met = 0
    for _ in range(150):
        run.step()
        assert run.cache.match_queue(waiting) == run.cache.match_queue(copies(waiting))
        keys = [run.key() for _ in range(3)]
        before = everything(run.cache)
        looked = run.cache.match_queue(keys)
        assert everything(run.cache) == before
        assert run.cache.match_queue(keys) == looked
        assert run.cache.match_queue(copies(keys)) == looked
        found = run.cache.match(keys[0])
        assert found.hit_tokens == looked[0].device_hit_tokens
        met += found.full_hit_tokens
    return met


def copies(keys: list[RadixKey]) -> list[RadixKey]:
    """Return the same keys as another request would bring them."""
    return [RadixKey(key.tokens, key.namespace.extra_key) for key in keys]


def test_a_key_that_another_cache_looked_at_agrees_with_its_copy() -> None:
    caches = [full_cache(page=page, slots=64) for page in (1, 4)]
    stored, asked = RadixKey(range(16)), RadixKey([*range(6), *[99] * 10])
    for cache in caches:
        cache.insert(stored, cache.allocate(16))
    looked = [cache.match_queue([asked])[0].device_hit_tokens for cache in caches]
    assert looked == [6, 4]


def test_a_look_splits_no_edge() -> None:
    cache = swa_cache()
    insert(cache, "A8")
    (hit,) = cache.match_queue([key("A6 B2")])
    assert (hit.device_hit_tokens, shape(cache)) == (6, "0+4S 4+4S")
    cache.match(key("A6 B2"))
    assert shape(cache) == "0+4S 4+2S 6+2S"


def test_a_look_inside_a_tombstone_ends_before_it() -> None:
    cache = swa_cache()
    insert(cache, "A4")
    insert(cache, "A12", swa_from=8)
    hits = cache.match_queue([key("A6"), key("A10"), key("A12")])
    assert [hit.device_hit_tokens for hit in hits] == [4, 4, 12]


def test_a_key_that_was_looked_up_goes_on_from_there() -> None:
    cache = full_cache(slots=64)
    insert(cache, "A8")
    asked = key("A12")
    cache.match_queue([asked])
    assert asked.place is not None
    insert(cache, "A12")
    assert cache.match_queue([asked])[0].device_hit_tokens == 12
    cache.evict(full_tokens=64)
    assert cache.match_queue([asked])[0].device_hit_tokens == 0
