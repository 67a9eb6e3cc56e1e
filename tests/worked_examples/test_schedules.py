"""Worked examples A9 and A10: who goes first.

Tokens are counted by the engine's scheduler over a real cache. Milliseconds are derived from them by the cost model.
"""

from __future__ import annotations

import pytest

from cache_core import PrefixCache, events
from cache_core.schedule import Queue
from probes.builtin.requests import Requests
from profiles.cost_model import LLAMA_3_8B
from tests.support.caches import full_cache, swa_cache
from tests.support.observing import probe_of
from tests.support.queues import schedule, waiting
from tests.support.scheduled import ScheduledEngine, serve
from tests.support.sinks import Sink

COLD = [f"A2000 Q{100 * i}:{100 * i + 10}" for i in range(64)]
"""64 requests with one cold prefix of 2,000 tokens and 10 tokens of their own."""
OWN_TOKENS = 64 * 10


def engine_for(cache: PrefixCache, name: str, chunk_size: int) -> ScheduledEngine:
    return ScheduledEngine(cache, name, chunk_size=chunk_size, concurrency=64)


def test_a9_admitted_at_once_each_computes_the_prefix() -> None:
    engine = engine_for(full_cache(slots=200_000), "fcfs", 150_000)
    ends = serve(engine, COLD)
    assert engine.prefilled_tokens - OWN_TOKENS == 128_000
    assert sum(end.hit_tokens for end in ends) == 0


def test_a9_put_off_one_computes_the_prefix_and_63_hit_it() -> None:
    engine = engine_for(full_cache(slots=200_000), "lpm", 150_000)
    ends = serve(engine, COLD)
    saved = 128_000 - (engine.prefilled_tokens - OWN_TOKENS)
    assert saved == 126_000
    assert [end.hit_tokens for end in ends] == [0] + [2000] * 63
    assert round(LLAMA_3_8B.prefill_ms(saved) / 1000, 1) == 5.7


@pytest.mark.parametrize("chunk_size", [300, 512, 1024, 4096])
def test_a9_holds_whatever_the_chunks_in_which_the_prefix_is_computed(chunk_size: int) -> None:
    engine = engine_for(full_cache(slots=200_000), "lpm", chunk_size)
    serve(engine, COLD)
    assert engine.prefilled_tokens == 2000 + OWN_TOKENS


def test_a9_with_a_window_the_second_one_keeps_it_where_the_prompts_part_for_the_others() -> None:
    cache = swa_cache(window=128, slots=200_000)
    engine = engine_for(cache, "lpm", 150_000)
    ends = serve(engine, COLD, output_tokens=2)
    assert [end.hit_tokens for end in ends] == [0, 0] + [2000] * 62


def test_a10_with_129_waiting_lpm_falls_back_and_says_so() -> None:
    cache = full_cache(slots=4096)
    sink = Sink()
    cache.attach_sink(sink)
    engine = ScheduledEngine(cache, "lpm", chunk_size=8, concurrency=1)
    serve(engine, [f"A{i}:{i + 8}" for i in range(130)])
    passes = sink.of(events.SchedulePass)
    assert {one.limit for one in passes} == {128}
    assert [one.waiting for one in passes if one.fell_back] == [130, 129]
    assert passes[2].waiting == 128
    sample = probe_of(Requests, sink.flushed, ("full",)).sample(0)
    assert (sample.schedule_passes, sample.fallbacks) == (len(passes), 2)


def test_a10_the_switch_lifts_the_limit() -> None:
    cache = full_cache(slots=4096)
    queue = Queue(tuple(waiting(i, f"A{i}:{i + 8}") for i in range(1000)))
    assert not schedule("lpm", cache, limit=None).plan(queue).fell_back
