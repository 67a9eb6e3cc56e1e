"""How far the cache goes: deep trees, wide trees, long keys, many namespaces, each at a size and at half of it.

An operation costs the same whatever the tree holds, or it grows with what it has to walk; nothing grows faster.
So from half the size to the whole, `flat` costs should stay and `linear` ones double; four times as much would be
a quadratic path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from statistics import median
from typing import Any

from cache_core import CacheConfig, PrefixCache, RadixKey, pretty_print
from cache_core.bench.clock import times_ns
from cache_core.bench.narration import Narrate, silent
from cache_core.bench.workload import SIBLINGS, WINDOW, random_tokens
from cache_core.key import TOKEN_BYTES

FLAT, LINEAR = 1.0, 2.0
"""What an operation may cost at twice the size."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one operation took, and how it may grow."""

    us: float
    may_grow: float


Costs = dict[str, Cost]


@dataclass(frozen=True, slots=True)
class Case:
    """A way to be large: what `size` counts, and what measures the operations at a size."""

    name: str
    unit: str
    size: int
    measure: Callable[[int], Costs]


def _took_us(call: Callable[[Any], object], arguments: Iterable[Any]) -> float:
    """Return the median time of calls."""
    return median(times_ns(call, arguments)) / 1e3


def _cache(slots: int) -> PrefixCache:
    return PrefixCache(CacheConfig(components=("full", "swa"), window=WINDOW, full_slots=slots))


def _insert(cache: PrefixCache, key: RadixKey) -> None:
    """Write a key whose start may be in the cache."""
    found = cache.match(key)
    slots = found.slots()
    slots.extend(cache.allocate(len(key) - found.hit_tokens))
    cache.insert(key, slots, found.hit_tokens)


def _common(cache: PrefixCache, keys: Sequence[RadixKey], grows: float) -> Costs:
    """Measure what every case has: matches of new keys and of known ones, locks, slots, and statistics."""
    found = [cache.match(key) for key in keys]
    receipts = []
    costs = {
        "match": _took_us(cache.match, [RadixKey(key.tokens, key.namespace.extra_key) for key in keys]),
        "match, the same key again": _took_us(cache.match, keys),
        "lock": _took_us(lambda hit: receipts.append(cache.lock(hit.node)), found),
        "unlock": _took_us(cache.unlock, receipts),
        "slots of a match": _took_us(lambda hit: hit.slots(), found),
    }
    return {operation: Cost(us, grows) for operation, us in costs.items()}


def deep(size: int) -> Costs:
    """One path of `size` nodes of one token each, made by cutting one edge from its end."""
    tokens = random_tokens(Random(1), size)
    cache = _cache(size + 64)
    _insert(cache, RadixKey(tokens))
    for end in range(size - 1, 0, -1):
        cache.match(RadixKey(tokens[: end * TOKEN_BYTES]))
    costs = _common(cache, [RadixKey(tokens) for _ in range(9)], LINEAR)
    costs["match, the same key again"] = Cost(costs["match, the same key again"].us, FLAT)
    costs["stats"] = Cost(_took_us(lambda _: cache.stats(), range(5)), LINEAR)
    costs["evict one leaf"] = Cost(_took_us(cache.evict, [1] * 99), FLAT)
    costs["evict all the rest"] = Cost(_took_us(cache.evict, [size]), LINEAR)
    return costs


def wide(size: int) -> Costs:
    """About `size` nodes: keys of 8 tokens, fifty below each of ever new first tokens."""
    rng = Random(2)
    leaves = size * SIBLINGS // (SIBLINGS + 1)
    cache = _cache(8 * leaves + 4_096)

    def made(number: int) -> RadixKey:
        return RadixKey((number // SIBLINGS).to_bytes(TOKEN_BYTES, "little") + random_tokens(rng, 7))

    for number in range(leaves - 999):
        _insert(cache, made(number))
    costs = {"insert": Cost(_took_us(lambda key: _insert(cache, key), map(made, range(leaves - 999, leaves))), FLAT)}
    known = [made(rng.randrange(leaves)) for _ in range(999)]
    for key in known:
        _insert(cache, key)
    costs |= _common(cache, known, FLAT)
    costs["evict three leaves"] = Cost(_took_us(cache.evict, [21] * 199), FLAT)
    costs["evict three windows"] = Cost(_took_us(lambda tokens: cache.evict(0, tokens), [21] * 199), FLAT)
    costs["stats"] = Cost(_took_us(lambda _: cache.stats(), range(3)), LINEAR)
    costs["pretty_print"] = Cost(_took_us(pretty_print, [cache]), LINEAR)
    costs["evict all the rest"] = Cost(_took_us(cache.evict, [8 * size]), LINEAR)
    return costs


def long_keys(size: int) -> Costs:
    """Keys of `size` tokens; the second leaves the first in its middle."""
    rng = Random(3)
    tokens = random_tokens(rng, size)
    cache = _cache(4 * size)
    costs = {"insert": Cost(_took_us(lambda key: _insert(cache, key), [RadixKey(tokens)]), LINEAR)}
    costs |= _common(cache, [RadixKey(tokens) for _ in range(9)], LINEAR)
    for operation in ("lock", "unlock", "match, the same key again"):
        costs[operation] = Cost(costs[operation].us, FLAT)
    half = tokens[: size // 2 * TOKEN_BYTES]
    other = RadixKey(half + random_tokens(rng, size - size // 2))
    costs["insert from the middle on"] = Cost(_took_us(lambda key: _insert(cache, key), [other]), LINEAR)
    costs["evict everything"] = Cost(_took_us(cache.evict, [2 * size]), LINEAR)
    return costs


def namespaces(size: int) -> Costs:
    """`size` namespaces with four keys of 64 tokens each, the same tokens in all of them."""
    rng = Random(4)
    shared = random_tokens(rng, 32)
    tokens = [shared + random_tokens(rng, 32) for _ in range(4)]
    cache = _cache(size * 4 * 64)

    def made(number: int) -> RadixKey:
        return RadixKey(tokens[number % 4], extra_key=f"tenant-{number // 4}")

    for number in range(4 * size - 999):
        _insert(cache, made(number))
    last = map(made, range(4 * size - 999, 4 * size))
    costs = {"insert": Cost(_took_us(lambda key: _insert(cache, key), last), FLAT)}
    costs |= _common(cache, [made(rng.randrange(4 * size)) for _ in range(999)], FLAT)
    costs["evict three leaves"] = Cost(_took_us(cache.evict, [96] * 199), FLAT)
    costs["stats"] = Cost(_took_us(lambda _: cache.stats(), range(3)), LINEAR)
    return costs


CASES = (
    Case("one deep path", "nodes deep", 100_000, deep),
    Case("one wide tree", "nodes", 1_000_000, wide),
    Case("long keys", "tokens a key", 1_000_000, long_keys),
    Case("namespaces", "namespaces", 10_000, namespaces),
)


FULL, QUICK = 1.0, 0.01
"""The share of their sizes that the cases have: as published, or small, which takes seconds."""


def run_scale(share: float = FULL, narrate: Narrate = silent) -> list[dict[str, Any]]:
    """Measure each case at a share of its size and at half of that; returns one entry per operation."""
    found = []
    for case in CASES:
        size = round(case.size * share)
        narrate(f"{case.name}: {size // 2:,} {case.unit}")
        half = case.measure(size // 2)
        narrate(f"{case.name}: {size:,} {case.unit}")
        for operation, cost in case.measure(size).items():
            at_half = half[operation].us
            found.append(
                {
                    "case": case.name,
                    "size": size,
                    "unit": case.unit,
                    "operation": operation,
                    "half_us": at_half,
                    "us": cost.us,
                    "growth": cost.us / at_half,
                    "may_grow": cost.may_grow,
                }
            )
    return found
