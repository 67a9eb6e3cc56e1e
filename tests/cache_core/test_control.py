"""The chunk cache: the control that reuses nothing."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, RadixKey, check_integrity
from cache_core.cache import PrefixCache
from cache_core.control import build
from cache_core.registry import UnknownNameError


@pytest.fixture
def cache() -> PrefixCache:
    return build("chunk", CacheConfig(window=4, full_slots=64, swa_slots=64))


def test_every_match_is_zero_and_an_insert_keeps_nothing(cache: PrefixCache) -> None:
    cache.insert(RadixKey(range(10)), cache.allocate(10))
    assert cache.match(RadixKey(range(10))).hit_tokens == 0
    assert cache.stats()["components"]["full"]["free"] == 64


def test_a_request_keeps_its_slots_to_its_end_but_for_those_behind_the_window(cache: PrefixCache) -> None:
    request = cache.admit(RadixKey(range(20)))
    request.prefill(20)
    pools = cache.stats()["components"]
    assert (pools["full"]["held"], pools["swa"]["held"]) == (20, 5)
    check_integrity(cache)
    request.finish()
    pools = cache.stats()["components"]
    assert (pools["full"]["free"], pools["swa"]["free"]) == (64, 64)
    check_integrity(cache)


def test_an_unknown_cache_is_answered_with_the_names() -> None:
    with pytest.raises(UnknownNameError, match="choose from: prefix, chunk"):
        build("block", CacheConfig(window=4))
