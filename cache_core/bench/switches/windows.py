"""`swa_eviction`: hit rates and costs of each order of giving up windows, on loads with a tight window pool.

Full slots are plenty, so that nothing but windows is ever lost. Requests come one at a time and are prefilled in
chunks, as an engine would.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter_ns
from typing import NamedTuple

from cache_core import CacheConfig, PrefixCache, RadixKey, events
from cache_core.bench.switches.comparison import Comparison, in_turns, least_us
from cache_core.bench.switches.loads import Load, Visit
from cache_core.bench.workload import WINDOW
from cache_core.event_codec import decode

SWITCH = "swa_eviction: lru / tail_window_last"
CHUNK_TOKENS = 256
_LEAST_SLOTS = CHUNK_TOKENS + 4 * WINDOW
"""What one request may need at once: a chunk, the window before it, and what it decodes until slots are freed."""


class Served(NamedTuple):
    """What a load hit, and per request how long the cache took; `room_slots` is the most the windows took."""

    hit_tokens: int
    prompt_tokens: int
    times_ns: list[int]
    room_slots: int

    @property
    def hit_rate(self) -> float:
        """Tokens hit, of all that were asked."""
        return self.hit_tokens / self.prompt_tokens


class Evictions:
    """A sink that keeps how long each eviction of windows took, and how many it gave up."""

    def __init__(self) -> None:
        self.records: list[events.RawRecord] = []
        self.times_ns: list[int] = []
        self.victims = 0

    def flush(self) -> None:
        """See `events.EventSink`."""
        for raw in self.records:
            record = decode(raw[0] & events.KIND_MASK, raw[1:])
            if isinstance(record, events.Evict):
                self.times_ns.append(record.duration_ns)
                self.victims += record.victims
        self.records.clear()


def cache_for(load: Load, swa_slots: int, swa_eviction: str) -> PrefixCache:
    """Return a cache that lacks nothing but window slots."""
    return PrefixCache(
        CacheConfig(
            window=WINDOW,
            full_slots=load.tokens + CHUNK_TOKENS,
            swa_slots=swa_slots,
            swa_eviction=swa_eviction,  # type: ignore[arg-type]
        )
    )


def serve(load: Load, cache: PrefixCache) -> Served:
    """Take every request of a load through its life."""
    assert cache.window is not None
    pool = cache.window.pool
    hit_tokens = prompt_tokens = room_slots = 0
    times = []
    for visit in load.visits:
        key = RadixKey(visit.prompt, visit.extra_key)
        began = perf_counter_ns()
        hit_tokens += _live(cache, key, visit)
        times.append(perf_counter_ns() - began)
        prompt_tokens += len(key)
        room_slots = max(room_slots, pool.total - pool.free_slots)
    return Served(hit_tokens, prompt_tokens, times, room_slots)


def _live(cache: PrefixCache, key: RadixKey, visit: Visit) -> int:
    """Serve one request; returns the tokens it hit. The last token of a reply never gets a slot."""
    request = cache.admit(key)
    hit_tokens, end = request.hit_tokens, len(key)
    while request.length < end:
        upto = min(end, request.length + CHUNK_TOKENS)
        request.prefill(upto, cache=False)
        request.prefill(upto)
    for token in visit.reply[:-1]:
        request.decode(token)
    request.finish()
    return hit_tokens


def evictions(load: Load, cache: PrefixCache) -> Evictions:
    """Serve a load and return what its evictions took."""
    sink = Evictions()
    cache.attach_sink(sink)
    serve(load, cache)
    sink.flush()
    return sink


def compare(load: Load, runs: int) -> Iterator[Comparison]:
    """Yield the figures of a load in each of its pools, windows given up by recency and those of tails last."""
    room = serve(load, cache_for(load, load.tokens + CHUNK_TOKENS, "lru")).room_slots
    for divisor in load.divisors:
        slots = max(_LEAST_SLOTS, room // divisor)
        case = f"{slots:,} slots, 1/{divisor}"
        served = in_turns(
            runs,
            lambda slots=slots: serve(load, cache_for(load, slots, "lru")),  # type: ignore[misc]
            lambda slots=slots: serve(load, cache_for(load, slots, "tail_window_last")),  # type: ignore[misc]
        )
        yield Comparison(SWITCH, load.name, case, "hit rate", *(side[0].hit_rate for side in served))
        per_request = [least_us([run.times_ns for run in side]) / len(load.visits) for side in served]
        yield Comparison(SWITCH, load.name, case, "us a request", *per_request)
        yield from _evicted(load, slots, case, runs)


def _evicted(load: Load, slots: int, case: str, runs: int) -> Iterator[Comparison]:
    sides = in_turns(
        runs,
        lambda: evictions(load, cache_for(load, slots, "lru")),
        lambda: evictions(load, cache_for(load, slots, "tail_window_last")),
    )
    if all(side[0].victims for side in sides):
        per_window = [least_us([run.times_ns for run in side]) / side[0].victims for side in sides]
        yield Comparison(SWITCH, load.name, case, "us an eviction", *per_window)
