"""Deep trees, wide trees, long keys and many namespaces: nothing recurses, and nothing costs more than its walk."""

from __future__ import annotations

import json
import subprocess
import sys
from array import array
from collections.abc import Callable, Sequence
from time import thread_time_ns

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey, check_integrity, pretty_print
from cache_core.bench import clock
from cache_core.bench.scale import CASES, Costs, deep, long_keys, namespaces, wide

TRIES = 3
"""Other jobs disturb a measurement; they never make it better. So the best of a few counts, of either size."""
ROUNDS = 3
"""How often a few more are taken when the best so far are not good enough."""
TIMES = 8
"""From the small size to the large one: a linear cost grows so much, a quadratic one by the square."""
SLACK = 3.0


def too_steep(small: Sequence[Costs], large: Sequence[Costs]) -> dict[str, float]:
    """Return the operations whose cost grows beyond what it may, and by how much."""
    growths = {}
    for operation, cost in large[0].items():
        least_small, least_large = (min(costs[operation].us for costs in tries) for tries in (small, large))
        growths[operation] = least_large / least_small / (TIMES if cost.may_grow > 1 else 1)
    return {operation: growth for operation, growth in growths.items() if growth > SLACK}


@pytest.mark.parametrize(("measure", "size"), [(deep, 400), (wide, 2_000), (long_keys, 10_000), (namespaces, 300)])
def test_no_operation_grows_faster_than_its_walk(
    measure: Callable[[int], Costs], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert SLACK < TIMES
    # On a busy machine wall time of what takes longer than a turn on the processor is mostly that of others.
    monkeypatch.setattr(clock, "perf_counter_ns", thread_time_ns)
    small: list[Costs] = []
    large: list[Costs] = []
    for _ in range(ROUNDS):
        small += [measure(size) for _ in range(TRIES)]
        large += [measure(TIMES * size) for _ in range(TRIES - 1)]
        if not too_steep(small, large):
            break
    assert too_steep(small, large) == {}


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
    command = [sys.executable, "-m", "radixtop", "bench", "scale", "--quick", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    measured = json.loads(ran.stdout)["scale"]
    assert {each["case"] for each in measured} == {case.name for case in CASES}
    assert all(each["growth"] == pytest.approx(each["us"] / each["half_us"]) for each in measured)
