"""A trace on a cache and a scheduler: figures that can be counted by hand, and sums that hold."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.events import RequestQueued
from probes.lives.misses import MISS_CLASSES
from profiles.trace_format import open_trace
from profiles.trace_tokens import TraceTokens
from radixtop.replay.result import ReplayResult
from radixtop.replay.settings import ReplaySettings
from radixtop.replay.trace_replay import ReplayProgress, replay_trace
from radixtop.replay.virtual_clock import START_NS, VirtualClock
from tests.support.made_traces import expected_cut, public_trace
from tests.support.sinks import Sink
from tests.support.trace_requests import COSTS, MS, asks, random_requests

LARGE = ReplaySettings(CacheConfig(components=("full",), full_slots=100_000), costs=COSTS, chunk_size=100)
TIGHT = LARGE.changed(full_slots=160, concurrency=6)
KINDS = {
    "full": TIGHT,
    "pages": TIGHT.changed(page_size=8, full_slots=320),
    "swa": TIGHT.changed(components=("full", "swa"), window=16, swa_slots=120),
    "host": TIGHT.changed(host_slots=400),
    "block_hash": TIGHT.changed(cache="block_hash", page_size=8, full_slots=320),
    "chunk": TIGHT.changed(cache="chunk"),
}


def test_times_are_those_that_can_be_computed_by_hand() -> None:
    requests = [asks(range(10), outputs=3), asks(range(50, 56), at_ms=30, outputs=2)]
    result = replay_trace(requests, LARGE)
    steps = [1 + 100, 1 + 60 + 10 + 2, 1 + 10 + 4]
    assert (result.ttft_ns.p50, result.ttft_ns.most) == (steps[0] * MS, (steps[0] + steps[1] - 30) * MS)
    assert result.queued_ns.most == (steps[0] - 30) * MS
    assert result.inter_token_ns.p50 == steps[2] * MS  # of the second
    assert result.inter_token_ns.most == (steps[1] + steps[2]) // 2 * MS
    assert result.virtual_ns == sum(steps) * MS
    assert (result.output_tokens, result.computed_tokens, result.steps) == (5, 160, 3)


def test_a_repeated_prompt_hits_all_but_its_last_token() -> None:
    result = replay_trace([asks([1, 2, 3]), asks([1, 2, 3], at_ms=500)], LARGE)
    assert (result.prompt_tokens, result.hit_tokens) == (60, 29)


def test_arrivals_come_faster_by_the_speed() -> None:
    requests = [asks([1]), asks([2], at_ms=4_000)]
    assert replay_trace(requests, LARGE).virtual_ns == (4_000 + 11) * MS
    assert replay_trace(requests, LARGE.changed(speed=4.0)).virtual_ns == (1_000 + 11) * MS


def test_a_closed_loop_goes_by_ends_alone() -> None:
    requests = [asks([number], at_ms=1_000 * number) for number in range(5)]
    result = replay_trace(requests, LARGE.changed(closed_loop=1))
    assert result.virtual_ns == 5 * 11 * MS
    assert result.ttft_ns.most == 11 * MS


def test_a_session_goes_on_once_it_was_answered() -> None:
    turns = [asks([1], session="a"), asks([1, 2], at_ms=1, session="a"), asks([7], at_ms=2, session="b")]
    sink = Sink()
    result = replay_trace(turns, LARGE, sink=sink)
    assert [record.at - START_NS for record in sink.of(RequestQueued)] == [0, 2 * MS, 11 * MS]
    assert result.duration_ns.most == (11 + 21 - 2) * MS
    replay_trace(turns, LARGE.changed(sessions=False), sink=(free := Sink()))
    assert [record.at - START_NS for record in free.of(RequestQueued)] == [0, 1 * MS, 2 * MS]


def test_agents_of_a_session_do_not_wait_for_each_other() -> None:
    turns = [asks([1], session="a", agent="main"), asks([2], at_ms=1, session="a", agent="sub")]
    assert replay_trace(turns, LARGE).queued_ns.most == 10 * MS


def test_a_replay_is_the_cache_driven_by_hand() -> None:
    requests = random_requests(5, 120)
    settings = LARGE.changed(closed_loop=1, concurrency=1, outputs=False, chunk_size=10_000, full_slots=300)
    cache, made, hits = PrefixCache(settings.config), TraceTokens(), 0
    for request in requests:
        driven = cache.admit(RadixKey(made.tokens(request)))
        hits += driven.hit_tokens
        driven.prefill(request.prompt_tokens, cache=False)
        driven.finish()
    result = replay_trace(requests, settings)
    assert result.hit_tokens == hits
    assert result.evicted_nodes > 0
    assert result.computed_tokens == result.prompt_tokens - hits


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_sums_hold(name: str, seed: int) -> None:
    result = replay_trace(random_requests(seed, 80, namespaces=2), KINDS[name].changed(misses=True))
    assert result.finished + result.refused == result.requests == 80
    assert result.measured == result.finished == result.ttft_ns.count
    misses = result.misses
    assert misses is not None
    assert (misses.requests, misses.prompt, misses.hit) == (result.measured, result.prompt_tokens, result.hit_tokens)
    assert sum(map(misses.of, MISS_CLASSES)) == result.prompt_tokens - result.hit_tokens
    for pool in result.pools:
        assert 0 < pool.running_slots <= pool.used_slots <= pool.total_slots


@pytest.mark.parametrize("name", KINDS)
def test_watching_changes_nothing(name: str) -> None:
    requests = random_requests(3, 60)
    bare = replay_trace(requests, KINDS[name])
    watched = replay_trace(requests, KINDS[name].changed(misses=True), sink=Sink())
    assert replace(watched, settings=bare.settings, misses=None, wall_ns=0) == replace(bare, wall_ns=0)


def test_a_replay_is_the_same_again() -> None:
    once, again = (replay_trace(random_requests(1, 60), TIGHT) for _ in range(2))
    assert replace(once, wall_ns=0) == replace(again, wall_ns=0)


def test_tight_pools_retract() -> None:
    requests = [asks([number], block=20, outputs=60) for number in range(6)]
    result = replay_trace(requests, TIGHT)
    assert (result.retractions > 0, result.finished) == (True, 6)
    assert result.computed_tokens > result.prompt_tokens - result.hit_tokens


def test_what_fits_no_pool_is_refused_and_not_measured() -> None:
    result = replay_trace([asks(range(100)), asks([1])], TIGHT)
    assert (result.requests, result.refused, result.measured, result.prompt_tokens) == (2, 1, 1, 10)


def test_a_hit_rate_has_refused_prompts_as_missed() -> None:
    served = [asks([1]), asks([1], at_ms=500)]
    alone = replay_trace(served, TIGHT)
    result = replay_trace([*served, asks(range(100), at_ms=900)], TIGHT)
    assert (result.hit_tokens, result.refused_measured, result.refused_tokens) == (alone.hit_tokens, 1, 1000)
    assert result.hit_rate == alone.hit_tokens / (20 + 1000)


def test_what_a_warm_up_had_refused_does_not_count() -> None:
    result = replay_trace([asks(range(100)), asks([1], at_ms=500)], TIGHT.changed(warm_up=1))
    assert (result.refused, result.refused_measured, result.asked_tokens) == (1, 0, 10)


def test_a_warm_up_does_not_count() -> None:
    result = replay_trace([asks([1]), asks([1], at_ms=500)], LARGE.changed(warm_up=1, misses=True))
    assert (result.measured, result.prompt_tokens, result.hit_tokens) == (1, 10, 9)
    assert result.misses is not None
    assert (result.misses.requests, result.misses.prompt) == (1, 10)


def test_a_limit_ends_the_trace() -> None:
    assert replay_trace(random_requests(0, 50), LARGE.changed(limit=20)).requests == 20


def test_an_empty_trace_comes_to_nothing() -> None:
    result = replay_trace([], LARGE)
    assert (result.requests, result.hit_rate, result.ttft_ns.p99) == (0, None, None)


def test_a_replay_that_is_stopped_says_what_was() -> None:
    asked = iter([False] * 30 + [True])
    result = replay_trace(random_requests(0, 50), LARGE, stop=lambda: next(asked))
    assert result.interrupted
    assert 0 < result.finished < 50


def test_progress_ends_with_all_of_it() -> None:
    told: list[ReplayProgress] = []
    result = replay_trace(random_requests(0, 30), LARGE, progress=told.append)
    assert (told[-1].requests, told[-1].hit_tokens) == (30, result.hit_tokens)


@pytest.mark.parametrize("seed", range(5))
def test_blocks_hit_what_tokens_hit(seed: int) -> None:
    requests = random_requests(seed, 100, namespaces=2)
    settings = LARGE.changed(outputs=False, closed_loop=1, chunk_size=10_000)
    in_tokens = replay_trace(requests, settings)
    in_blocks = replay_trace(requests, settings.changed(tokens="blocks"))
    # Where two prompts end inside one block at different tokens, that block is found by one kind of key alone.
    whole = [replace(request, prompt_tokens=request.blocks * request.block_tokens) for request in requests]
    assert (
        replay_trace(whole, settings).hit_tokens == replay_trace(whole, settings.changed(tokens="blocks")).hit_tokens
    )
    assert in_blocks.computed_tokens == in_blocks.prompt_tokens - in_blocks.hit_tokens
    assert abs(in_blocks.hit_tokens - in_tokens.hit_tokens) <= 7 * len(requests)


def test_settings_and_results_are_json() -> None:
    settings = TIGHT.changed(components=("full", "swa"), window=16, policy="slru", misses=True)
    result = replay_trace(random_requests(0, 30), settings)
    document = json.loads(json.dumps(result.document()))
    assert ReplayResult.from_document(document) == result
    assert ReplaySettings.from_document(json.loads(json.dumps(settings.document()))) == settings
    assert "ttft_ns" in document["derived"]


def test_other_full_slots_scale_the_other_pools() -> None:
    swa = KINDS["swa"].config
    doubled = KINDS["swa"].scaled(full_slots=2 * swa.full_slots).config
    assert swa.swa_slots is not None
    assert doubled.swa_slots == 2 * swa.swa_slots
    assert KINDS["swa"].scaled(page_size=16, full_slots=320).config.swa_slots == 240
    assert KINDS["swa"].changed(components=("full",)).config.swa_slots is None


def test_a_clock_that_is_given_goes_on_from_where_it_is() -> None:
    clock = VirtualClock(5_000 * MS)
    replay_trace([asks([1])], LARGE, clock=clock)
    assert clock.now == 5_011 * MS


@pytest.mark.needs("traces")
@pytest.mark.parametrize(
    ("file", "cut", "last_tokens"),
    [
        # 22 prompts of the second half are there as a whole: their last token is computed all the same.
        ("mooncake_fast25_conversation_dev6000.jsonl.gz", "conversation_dev6000", 22),
        ("ragpulse_trace_dev3500.jsonl.gz", "ragpulse_dev3500", 0),
    ],
)
def test_blocks_in_endless_pools_hit_what_other_programs_counted(file: str, cut: str, last_tokens: int) -> None:
    trace, expected = open_trace(public_trace(file)), expected_cut(cut)
    settings = ReplaySettings(
        CacheConfig(components=("full",), full_slots=1 << 27),
        tokens="blocks", outputs=False, closed_loop=1, warm_up=expected["requests"] // 2,
    )  # fmt: skip
    result = replay_trace(trace, settings)
    assert result.prompt_tokens == expected["measured_tokens"]
    assert result.hit_tokens == expected["ceiling_hit_tokens"] - last_tokens
    assert result.pools[0].used_slots == expected["unique_nodes"]
