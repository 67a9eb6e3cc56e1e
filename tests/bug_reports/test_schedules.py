"""Reports B27 and B38, and M1 and M2 once more through a scheduler: who is admitted when, and how often it counts."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig, ConfigError, PrefixCache
from cache_core.schedule import SCHEDULES, Queue
from probes.builtin.hit_rate import HitTotals
from tests.support.caches import full_cache, insert, key
from tests.support.queues import schedule, waiting
from tests.support.scheduled import ScheduledEngine, serve
from tests.support.watching import Watching

# ---- B27: cold requests behind a stream of hot ones


def pass_of_the_cold_request(name: str, passes: int, aging_tokens: int = 0, hot_tokens: int = 8192) -> int | None:
    """Return in which pass, from 1 on, a cold request is admitted: each pass a hot one comes and one is admitted."""
    cache = full_cache(slots=16_384)
    insert(cache, f"H{hot_tokens}")
    order = schedule(name, cache, aging_tokens=aging_tokens)
    queue = [waiting(0, "C9000")]
    for number in range(passes):
        queue.append(waiting(1 + number, f"H{hot_tokens} Q{number}:{number + 9}", queued_pass=number))
        admitted = queue.pop(order.plan(Queue(tuple(queue), number=number)).order[0])
        if admitted.request_id == 0:
            return number + 1
    return None


def test_b27_aging_lets_a_cold_request_through() -> None:
    assert pass_of_the_cold_request("lpm", 20, aging_tokens=1024) == 9


def test_b27_without_aging_longest_prefix_first_never_serves_it() -> None:
    assert pass_of_the_cold_request("lpm", 100) is None


def test_b27_first_come_first_served_serves_it_first() -> None:
    assert pass_of_the_cold_request("fcfs", 1) == 1


@pytest.mark.parametrize("aging", [64, 100, 512, 4096])
@pytest.mark.parametrize("hot", [512, 2048])
def test_b27_the_wait_is_the_hit_of_the_others_over_the_aging(aging: int, hot: int) -> None:
    assert pass_of_the_cold_request("lpm", 100, aging, hot) == -(-hot // aging) + 1


@pytest.mark.parametrize("name", sorted(set(SCHEDULES.names) - {"lpm", "dfs_weight", "shortest_prefill_first"}))
def test_b27_schedules_that_do_not_go_by_the_hit_alone_starve_nobody(name: str) -> None:
    assert pass_of_the_cold_request(name, 100) is not None


@pytest.mark.parametrize(("waiting_requests", "falls_back"), [(128, False), (129, True)])
def test_b27_a_long_queue_is_cut_off_and_the_plan_says_so(waiting_requests: int, falls_back: bool) -> None:
    queue = Queue(tuple(waiting(i, f"A{i}:{i + 9}") for i in range(waiting_requests)))
    assert schedule("lpm", full_cache()).plan(queue).fell_back == falls_back


# ---- B38: longer than the window pool

CRAMPED = CacheConfig(page_size=256, window=128, full_slots=256 * 256, swa_slots=20_992)


@pytest.mark.parametrize("name", ["fcfs", "lpm"])
def test_b38_prompts_as_long_as_the_window_pool_are_both_admitted(name: str) -> None:
    engine = ScheduledEngine(PrefixCache(CRAMPED), name, chunk_size=32_768, concurrency=8)
    ends = serve(engine, ["A16333", "B20742"], output_tokens=4)
    assert [(len(end.output), end.refused) for end in ends] == [(4, ""), (4, "")]


@pytest.mark.parametrize("prompt", [20_992, 20_993, 30_000, 60_000])
def test_b38_a_prompt_longer_than_the_window_pool_is_computed_in_chunks_that_fit(prompt: int) -> None:
    engine = ScheduledEngine(PrefixCache(CRAMPED), chunk_size=32_768, concurrency=8)
    ends = serve(engine, [f"A{prompt}", "B100"], output_tokens=4)
    assert [len(end.output) for end in ends] == [4, 4]
    assert engine.longest_chunk <= 20_992


def test_b38_what_no_pool_holds_is_refused_at_once_and_blocks_nobody() -> None:
    engine = ScheduledEngine(PrefixCache(CRAMPED), chunk_size=32_768, concurrency=8)
    engine.submit("A65536", output_tokens=400)
    engine.submit("B100")
    (refused, served) = sorted(engine.step(), key=lambda end: end.request_id)
    assert refused.refused.startswith("too long for the pools")
    assert (served.refused, len(served.output)) == ("", 1)


def test_b38_a_pool_of_less_than_a_window_and_a_page_is_refused_at_construction_with_the_numbers() -> None:
    tenth = int(4096 * 0.1)
    with pytest.raises(ConfigError, match="swa_slots 256 is too few: a window of 128 and a page of 256 take 512"):
        CacheConfig(page_size=256, window=128, full_slots=4096, swa_slots=tenth - tenth % 256)


# ---- M1, M2: what a scheduler asks, and asks again, is no query


@pytest.mark.parametrize("name", ["fcfs", "lpm"])
def test_m1_a_request_that_was_preempted_counts_once_and_its_own_leftovers_are_no_hits(name: str) -> None:
    watching = Watching(CacheConfig(components=("full",), full_slots=260))
    engine = ScheduledEngine(watching.cache, name, chunk_size=64, concurrency=5)
    ends = serve(engine, [f"{letter}50" for letter in "ABCDE"], output_tokens=60)
    assert sum(end.retractions for end in ends) > 0
    sample = watching.snapshot().samples["hit_rate"]
    assert (sample.total.queries, sample.total.queried_tokens, sample.total.hit_tokens) == (5, 250, 0)
    assert sample.resumed.queries == sum(end.retractions for end in ends)


@pytest.mark.parametrize("name", ["fcfs", "lpm", "dfs_weight", "hrrn"])
def test_m2_a_request_that_is_looked_up_pass_after_pass_is_one_query(name: str) -> None:
    watching = Watching(CacheConfig(components=("full",), full_slots=256))
    insert(watching.cache, "A80")
    blocked = watching.cache.allocate(160)
    engine = ScheduledEngine(watching.cache, name, chunk_size=64, concurrency=2, touch_passes=1)
    engine.submit("Z10", output_tokens=12)
    engine.step()
    engine.submit("A80 B20")
    for _ in range(4):
        engine.step()
        assert len(engine.scheduler.waiting) == 1, "there is no room for it"
    watching.cache.free(blocked)
    engine.drain()
    assert watching.totals() == HitTotals(2, 110, 80, 80)
    assert watching.cache.match(key("A80 B20")).hit_tokens == 100
