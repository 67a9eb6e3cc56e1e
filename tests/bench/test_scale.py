"""Deep trees, wide trees, long keys and many namespaces: nothing recurses, and nothing costs more than its walk."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from collections.abc import Callable

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey, check_integrity, pretty_print
from cache_core.bench.scale import CASES, Costs, deep, long_keys, namespaces, wide

TRIES = 3
"""Other jobs disturb a measurement; they never make it better. So the best of a few counts."""
TIMES = 8
"""From the small size to the large one: a linear cost grows so much, a quadratic one by the square."""
SLACK = 3.0


def growths(measure: Callable[[int], Costs], size: int) -> dict[str, float]:
    """Return by operation how much its cost grows beyond what it may."""
    small, large = measure(size), measure(TIMES * size)
    may_grow = {operation: TIMES if cost.may_grow > 1 else 1 for operation, cost in large.items()}
    return {operation: large[operation].us / small[operation].us / may_grow[operation] for operation in large}


@pytest.mark.parametrize(("measure", "size"), [(deep, 400), (wide, 2_000), (long_keys, 10_000), (namespaces, 300)])
def test_no_operation_grows_faster_than_its_walk(measure: Callable[[int], Costs], size: int) -> None:
    assert SLACK < TIMES
    tries = [growths(measure, size) for _ in range(TRIES)]
    best = {operation: min(tried[operation] for tried in tries) for operation in tries[0]}
    assert {operation: growth for operation, growth in best.items() if growth > SLACK} == {}


def test_a_tree_deeper_than_python_recurses_works() -> None:
    depth = 3 * sys.getrecursionlimit()
    cache = PrefixCache(CacheConfig(components=("full", "swa"), window=128, full_slots=depth))
    key = RadixKey(array("i", range(depth)))
    cache.insert(key, cache.allocate(depth))
    for end in range(depth - 1, 0, -1):
        cache.match(RadixKey(key.tokens[: 4 * end]))
    receipt = cache.lock(cache.match(key).node)
    assert cache.stats()["depth"] == depth == len(pretty_print(cache).splitlines())
    check_integrity(cache)
    cache.unlock(receipt)
    assert cache.evict(depth).victims == depth


def test_the_command_prints_every_case_at_two_sizes() -> None:
    command = [sys.executable, "-m", "radixtop", "bench", "core", "--scale", "--quick", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    measured = json.loads(ran.stdout)["scale"]
    assert {each["case"] for each in measured} == {case.name for case in CASES}
    assert all(each["growth"] == pytest.approx(each["us"] / each["half_us"]) for each in measured)
