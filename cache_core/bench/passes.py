"""The timed passes: what is called, in which order, and where the clock is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from time import perf_counter_ns
from typing import Any

from cache_core.bench.clock import Spread, clock_cost_ns, spread, times_ns
from cache_core.bench.subject import Subject
from cache_core.bench.workload import Requests, Setup
from cache_core.key import TOKEN_BYTES

Times = dict[str, list[int]]

_BUILT_KEYS = 200
"""Keys that are built for their time; more would tell nothing new."""


class Series:
    """Durations by operation, and what the clock adds to each."""

    def __init__(self, *operations: str) -> None:
        self.times: Times = {operation: [] for operation in operations}
        self._cost_ns = clock_cost_ns()

    def spreads(self) -> dict[str, Spread]:
        """Return the spread of each operation that was measured."""
        return {name: spread(times, self._cost_ns) for name, times in self.times.items() if times}


def tree_operations(subject: Subject, setup: Setup, keys: Sequence[Any]) -> tuple[dict[str, Spread], int]:
    """On an empty cache, match, lock, allocate, insert and unlock each key.

    Then match all of them: first as new keys of the same tokens, as other requests would bring them, then those very
    keys again, as a scheduler does that looks at its queue twice. Returns the spreads and the tokens that hit, which
    must be the same for every cache.
    """
    subject.fresh(setup)
    series = Series("match", "lock", "allocate", "insert", "unlock", "gather", "match_hit", "match_again")
    keys = [subject.same_key(key) for key in keys]
    matches = [subject.match_argument(key) for key in keys]
    hit_tokens = 0
    for key, argument in zip(keys, matches, strict=True):
        hit_tokens += _written(subject, setup, key, argument, series.times)
    matches = [subject.match_argument(subject.same_key(key)) for key in keys]
    for operation in ("match_hit", "match_again"):
        hit_tokens += _matched(subject, matches, series.times[operation])
    return series.spreads(), hit_tokens


def _matched(subject: Subject, arguments: Sequence[Any], times: list[int]) -> int:
    """Match one argument after the other; returns the tokens that hit."""
    hits: list[int] = []
    times += times_ns(subject.match, arguments, lambda found: hits.append(subject.hit_tokens(found)))
    return sum(hits)


def _written(subject: Subject, setup: Setup, key: Any, argument: Any, times: Times) -> int:
    """Take one key through all operations; returns the tokens that hit."""
    clock = perf_counter_ns
    match, lock, allocate, insert, unlock = (
        subject.match, subject.lock, subject.allocate, subject.insert, subject.unlock,
    )  # fmt: skip
    t0 = clock()
    found = match(argument)
    t1 = clock()
    times["match"].append(t1 - t0)
    node, hit = subject.node(found), subject.hit_tokens(found)
    t0 = clock()
    receipt = lock(node)
    t1 = clock()
    times["lock"].append(t1 - t0)
    if subject.gather is not None:
        gather = subject.gather
        t0 = clock()
        gather(found)
        t1 = clock()
        times["gather"].append(t1 - t0)
    wanted = len(key) // setup.page_size * setup.page_size - hit
    t0 = clock()
    fresh = allocate(wanted)
    t1 = clock()
    times["allocate"].append(t1 - t0)
    arguments = subject.insert_arguments(key, found, fresh)
    t0 = clock()
    insert(*arguments)
    t1 = clock()
    times["insert"].append(t1 - t0)
    arguments = subject.unlock_arguments(node, receipt)
    t0 = clock()
    unlock(*arguments)
    t1 = clock()
    times["unlock"].append(t1 - t0)
    return hit


def key_building(subject: Subject, workload: Requests) -> Spread:
    """Return what a key costs a caller that has a list of integers."""
    keys = workload.keys[:: max(1, len(workload.keys) // _BUILT_KEYS)]
    lists = (memoryview(key).cast("i").tolist() for key in keys)
    return spread(times_ns(subject.build_key, lists), clock_cost_ns())


def lives(subject: Subject, setup: Setup, workload: Requests) -> Spread:
    """On an empty cache, serve each prompt as a request with a reply."""
    subject.fresh(setup)
    prompts = [subject.prompt(tokens) for tokens in workload.prompts]
    reply = list(range(workload.reply_tokens))
    return spread(times_ns(partial(subject.serve, reply=reply), prompts), clock_cost_ns())


def plant(subject: Subject, keys: Iterator[bytes], count: int) -> None:
    """Write the next `count` keys, outside any clock."""
    for tokens in islice(keys, count):
        write(subject, subject.packed_key(tokens), len(tokens) // TOKEN_BYTES)


def write(subject: Subject, key: Any, whole_tokens: int) -> None:
    """Write one key's whole pages."""
    found = subject.match(subject.match_argument(key))
    fresh = subject.allocate(whole_tokens - subject.hit_tokens(found))
    subject.insert(*subject.insert_arguments(key, found, fresh))


def evictions(subject: Subject, arguments: Sequence[Any], refill: Callable[[], None], calls: int) -> Spread:
    """Evict `calls` times, and refill outside the clock so that the tree keeps its size."""
    evict, times = subject.evict, []
    for _ in range(calls):
        began = perf_counter_ns()
        evict(*arguments)
        times.append(perf_counter_ns() - began)
        refill()
    return spread(times, clock_cost_ns())


def matches(subject: Subject, arguments: Sequence[Any]) -> Spread:
    """Match one argument after the other."""
    return spread(times_ns(subject.match, arguments), clock_cost_ns())
