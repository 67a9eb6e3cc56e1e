"""Victim queues: both choose the same victims, and the incremental one stays as small as the tree."""

from __future__ import annotations

import random

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.policy import POLICIES
from cache_core.view import walk


def put(cache: PrefixCache, tokens: list[int], priority: int = 0) -> None:
    cache.insert(RadixKey(tokens), cache.allocate(len(tokens)), priority=priority)


def first_tokens(cache: PrefixCache) -> set[int]:
    return {row.first_token for row in walk(cache)}


def cache_of(policy: str, evictor: str = "incremental", **options: int) -> PrefixCache:
    return PrefixCache(
        CacheConfig(components=("full",), full_slots=4096, policy=policy, policy_options=options, evictor=evictor)
    )


@pytest.mark.parametrize("evictor", ["incremental", "rebuild"])
@pytest.mark.parametrize(
    ("policy", "options", "order"),
    [("lru", {}, "DACB"), ("mru", {}, "BCAD"), ("fifo", {}, "ABCD"), ("filo", {}, "DCBA"), ("lfu", {}, "DBAC"),
     ("slru", {}, "DBAC"), ("slru", {"threshold": 3}, "DABC"), ("slru", {"threshold": 1}, "DACB"),
     ("priority", {}, "CBAD"), ("tlru", {}, "DACB")],
)  # fmt: skip
def test_each_policy_has_its_order(policy: str, options: dict[str, int], order: str, evictor: str) -> None:
    names = {"A": [10, 11], "B": [20, 21], "C": [30, 31], "D": [40, 41]}
    cache = cache_of(policy, evictor, **options)
    for name, priority in (("A", 5), ("B", 1), ("C", 1), ("D", 9)):
        put(cache, names[name], priority)
    for name in ("A", "C", "C"):
        put(cache, names[name])
    cache.match(RadixKey(names["B"]))
    gone = ""
    while cache.tree.nodes:
        before = first_tokens(cache)
        cache.evict(full_tokens=1)
        (dead,) = before - first_tokens(cache)
        gone += next(name for name, tokens in names.items() if tokens[0] == dead)
    assert gone == order


@pytest.mark.parametrize(
    ("policy", "options"),
    [*((name, {}) for name in POLICIES), ("tlru", {"threshold_tokens": 7, "next_prompt_tokens": 2})],
)
def test_both_queues_choose_the_same_victims(policy: str, options: dict[str, int]) -> None:
    caches = [cache_of(policy, evictor, **options) for evictor in ("incremental", "rebuild")]
    rng = random.Random(policy)
    for _ in range(400):
        tokens = [rng.randrange(3) for _ in range(rng.randrange(1, 12))]
        action, priority, amount = rng.random(), rng.randrange(3), rng.randrange(1, 20)
        for cache in caches:
            if action < 0.5:
                put(cache, tokens, priority)
            elif action < 0.8:
                cache.match(RadixKey(tokens))
            else:
                cache.evict(full_tokens=amount)
        assert [row[2:] for row in walk(caches[0])] == [row[2:] for row in walk(caches[1])]


def test_a_parent_left_childless_goes_in_the_same_call() -> None:
    cache = cache_of("lru")
    put(cache, [1, 2, 3, 4])
    put(cache, [1, 2, 5, 6])
    gone = cache.evict(full_tokens=6)
    assert (gone.full_tokens, gone.victims, cache.tree.nodes) == (6, 3, 0)
