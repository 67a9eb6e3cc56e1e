"""Looking at a waiting queue: all at once against one match each, and what lpm makes of either.

Those that wait ask something behind a stored document, or leave one in its middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from time import perf_counter_ns
from typing import Literal, get_args

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.bench.clock import times_ns
from cache_core.bench.same_work import require_same
from cache_core.bench.switches.comparison import Comparison, Figure, in_turns, least_us
from cache_core.bench.workload import WINDOW, random_tokens
from cache_core.key import TOKEN_BYTES
from cache_core.schedule import SCHEDULES, Plan, Queue, ScheduleConfig, Waiting

DOCUMENTS = 32
DOCUMENT_TOKENS = 2_000
QUESTION_TOKENS = 96
LOOK = "a queue: match each / match_queue"
BATCHED = "lpm batched: False / True"
LIMIT = "lpm limit: 128 / None"
COMPONENTS = (("full",), ("full", "swa"))

PASSES = 32
"""So many passes contain one that touches the queue, as a schedule does that only peeks."""
_LOOKS = 5
_ADMITTED = 8
"""Requests that a pass lets in."""
_TASKS, _TASK_TOKENS, _TASKS_CACHED = 24, 1_000, 6

Place = Literal["behind", "inside"]
PLACES: tuple[Place, ...] = get_args(Place)
"""Where those that wait leave a document."""

Looks = tuple[list[int], list[int]]
"""What was hit, and how long each look took."""


def stored(components: tuple[str, ...]) -> PrefixCache:
    """Return a cache that has the documents."""
    window = WINDOW if "swa" in components else None
    cache = PrefixCache(CacheConfig(components=components, window=window, full_slots=DOCUMENTS * DOCUMENT_TOKENS))
    for document in documents():
        request = cache.admit(RadixKey(document))
        request.prefill(DOCUMENT_TOKENS)
        request.finish()
    return cache


def documents() -> list[bytes]:
    """Return the documents, the same ones every time."""
    rng = Random(1)
    return [random_tokens(rng, DOCUMENT_TOKENS) for _ in range(DOCUMENTS)]


def keys_of(count: int, place: Place) -> list[RadixKey]:
    """Return new keys of those that wait; whoever leaves a document inside does so at a place of its own."""
    rng = Random(2)
    known = documents()
    keys = []
    for _ in range(count):
        end = rng.randint(1, DOCUMENT_TOKENS - 1) if place == "inside" else DOCUMENT_TOKENS
        keys.append(RadixKey(rng.choice(known)[: end * TOKEN_BYTES] + random_tokens(rng, QUESTION_TOKENS)))
    return keys


def one_by_one(cache: PrefixCache, keys: Sequence[RadixKey]) -> list[int]:
    """Return what each key hits by matching it."""
    return [cache.match(key).hit_tokens for key in keys]


def at_once(cache: PrefixCache, keys: Sequence[RadixKey]) -> list[int]:
    """Return what each key hits by one look at all of them."""
    return [hit.device_hit_tokens for hit in cache.match_queue(keys)]


@dataclass(frozen=True, slots=True)
class Waiters:
    """Who waits: how many, where they leave the documents, and on what cache."""

    count: int
    place: Place
    components: tuple[str, ...] = ("full",)

    @property
    def load(self) -> str:
        """The name of the load."""
        return f"{self.place} documents, {'+'.join(self.components)}"

    @property
    def case(self) -> str:
        """The name of the size."""
        return f"{self.count:,} waiting"


def compare_looks(who: Waiters, runs: int) -> Iterator[Comparison]:
    """Yield what a look at each that waits takes: by keys that are new to the cache, and by the same ones again."""
    off, on = in_turns(runs, lambda: _looks(one_by_one, who), lambda: _looks(at_once, who))
    require_same("what a look finds", {"match": off[0][0], "match_queue": on[0][0]})
    figures: tuple[Figure, ...] = ("us a request, new keys", "us a request, known keys")
    for looks, figure in zip((slice(1), slice(1, None)), figures, strict=True):
        sides = [least_us([[min(run[1][looks])] for run in side]) / who.count for side in (off, on)]
        yield Comparison(LOOK, who.load, who.case, figure, *sides)


def _looks(look: Callable[[PrefixCache, Sequence[RadixKey]], list[int]], who: Waiters) -> Looks:
    """Look at a queue a few times; its keys are new to the cache the first time only."""
    cache, keys = stored(who.components), keys_of(who.count, who.place)
    hits: list[int] = []
    times = times_ns(partial(look, cache), [keys] * _LOOKS, hits.extend)
    return hits, times


def compare_passes(who: Waiters, runs: int) -> Comparison:
    """Return what a pass of lpm takes, the queue matched or looked at; the plans are the same."""
    off, on = in_turns(runs, lambda: _passes(who, batched=False), lambda: _passes(who, batched=True))
    require_same("the plan", {"match": off[0][0], "match_queue": on[0][0]})
    sides = [least_us([run[1] for run in side]) / PASSES for side in (off, on)]
    return Comparison(BATCHED, who.load, who.case, "us a pass", *sides)


def _passes(who: Waiters, batched: bool) -> Looks:
    """Plan one queue again and again; returns the last order and the times."""
    queue = tuple(_waiting(number, key) for number, key in enumerate(keys_of(who.count, who.place)))
    lpm = SCHEDULES.load("lpm")(stored(who.components), ScheduleConfig(limit=None, batched=batched))
    plans: list[Plan] = []
    times = times_ns(lambda number: lpm.plan(Queue(queue, number=number)), range(PASSES), plans.append)
    return list(plans[-1].order), times


def _waiting(number: int, key: RadixKey) -> Waiting:
    return Waiting(number, key, prompt_tokens=len(key), output_tokens=1, queued_at=number)


def compare_limits(waiting: int, runs: int) -> Iterator[Comparison]:
    """Yield what falling back at 128 loses, and saves, while a longer queue is served.

    Those that wait ask about one of many tasks each, of which the pool holds a few.
    """
    off, on = in_turns(runs, lambda: _drained(waiting, 128), lambda: _drained(waiting, None))
    asked = waiting * (_TASK_TOKENS + QUESTION_TOKENS)
    case = f"{waiting:,} waiting"
    yield Comparison(LIMIT, "tasks, mixed up", case, "hit rate", *(sum(side[0][0]) / asked for side in (off, on)))
    sides = [least_us([run[1] for run in side]) / len(side[0][1]) for side in (off, on)]
    yield Comparison(LIMIT, "tasks, mixed up", case, "us a pass", *sides)


def _drained(count: int, limit: int | None) -> Looks:
    """Let a queue in, a few at a pass, until nobody waits."""
    rng = Random(4)
    slots = _TASKS_CACHED * (_TASK_TOKENS + _ADMITTED * QUESTION_TOKENS)
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=slots))
    lpm = SCHEDULES.load("lpm")(cache, ScheduleConfig(limit=limit))
    tasks = [random_tokens(rng, _TASK_TOKENS) for _ in range(_TASKS)]
    queue = [
        _waiting(number, RadixKey(rng.choice(tasks) + random_tokens(rng, QUESTION_TOKENS))) for number in range(count)
    ]
    hits: list[int] = []
    times: list[int] = []
    while queue:
        began = perf_counter_ns()
        order = list(lpm.plan(Queue(queue, number=len(times))).order)
        times.append(perf_counter_ns() - began)
        for index in order[:_ADMITTED]:
            request = cache.admit(queue[index].key)
            hits.append(request.hit_tokens)
            request.prefill(len(queue[index].key))
            request.finish()
        queue = [queue[index] for index in sorted(order[_ADMITTED:])]
    return hits, times
