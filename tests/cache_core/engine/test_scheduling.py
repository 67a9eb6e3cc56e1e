"""Who runs when: order, limits, retraction, refusal, and what the engine leaves behind."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from cache_core import KeyRangeError
from cache_core.engine import GenerateRequest
from cache_core.errors import ConfigError
from cache_core.schedule import SCHEDULES
from tests.support.requests import forks, random_requests, random_tokens, strangers

if TYPE_CHECKING:
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")

ROOMY = {"page_size": 1, "window": 16, "full_slots": 2048, "swa_slots": 2048}
TIGHT = {"page_size": 1, "window": 16, "full_slots": 260, "swa_slots": 200}


def _outputs_agree(first: list, second: list) -> bool:
    from cache_core.engine.bench import compare_outputs

    return compare_outputs(first, second).equal


def test_a_step_computes_no_more_prompt_tokens_than_the_chunk_size(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY, chunk_size=24)
    engine.drain(forks(seed=1))
    prefill = [sum(work.end - work.start for work in works if not work.decodes) for works in engine.steps]
    assert max(prefill) == 24


def test_chunks_end_at_page_boundaries_or_at_the_end_of_the_prompt(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(page_size=8, window=16, full_slots=2048, swa_slots=2048, chunk_size=20)
    engine.drain(strangers(seed=2))
    chunks = [work for works in engine.steps for work in works if not work.decodes]
    assert all(work.end % 8 == 0 or work.speaks for work in chunks)


def test_a_chunk_is_not_cut_short_by_its_neighbours(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY, chunk_size=24)
    engine.drain(strangers(seed=3, count=8))
    chunks = [work for works in engine.steps for work in works if not work.decodes]
    assert {work.end - work.start for work in chunks if not work.speaks} == {24}


def test_no_more_requests_run_at_once_than_allowed(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY, concurrency=3)
    engine.drain(random_requests(0, 8, tokens=20, output=6))
    assert max(len(works) for works in engine.steps) == 3


def test_first_come_first_served(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**TIGHT, concurrency=3, chunk_size=16)
    engine.drain(random_requests(0, 6, tokens=50, output=30))
    spoke: list[int] = []
    for works in engine.steps:
        for work in works:
            if work.speaks and work.sequence.request_id not in spoke:
                spoke.append(work.sequence.request_id)
    assert all(earlier < later for earlier, later in pairwise(spoke))


@pytest.mark.parametrize("chunk_size", [24, 512])
def test_a_cold_prefix_is_computed_once_when_those_who_share_it_are_put_off(
    checked: Callable[..., CheckedEngine], chunk_size: int
) -> None:
    *requests, _ = forks(seed=5, system=90, questions=8, output=2)
    settings = {"components": ("full",), "full_slots": 2048, "chunk_size": chunk_size, "concurrency": 9}
    engine = checked(**settings, schedule="lpm")
    ends = engine.drain(requests)
    assert engine.prefilled_tokens == 90 + sum(len(request.tokens) - 90 for request in requests)
    assert [end.hit_tokens for end in ends] == [0] + [90] * 7
    assert _outputs_agree(checked(**settings).drain(requests), ends)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_outputs_do_not_depend_on_the_schedule(checked: Callable[..., CheckedEngine], schedule: str) -> None:
    requests = [*forks(seed=10, questions=4, output=20), *strangers(seed=10)]
    first = checked(**ROOMY).drain(requests)
    assert _outputs_agree(first, checked(**TIGHT, concurrency=5, schedule=schedule).drain(requests))


def test_retracted_requests_go_on_where_they_were(checked: Callable[..., CheckedEngine]) -> None:
    requests = random_requests(0, 5, tokens=50, output=60)
    roomy = checked(**ROOMY, concurrency=5).drain(requests)
    tight = checked(**TIGHT, concurrency=5).drain(requests)
    assert sum(end.retractions for end in tight) > 0
    assert [len(end.output) for end in tight] == [60] * 5
    assert _outputs_agree(roomy, tight)


def test_greedy_outputs_do_not_depend_on_the_batch(checked: Callable[..., CheckedEngine]) -> None:
    requests = forks(seed=4, questions=7, output=12)
    alone = checked(**ROOMY, concurrency=1, chunk_size=512).drain(requests)
    together = checked(**ROOMY, concurrency=8, chunk_size=40).drain(requests)
    assert _outputs_agree(alone, together)


def test_sampled_outputs_do_not_depend_on_the_batch_or_on_retraction(checked: Callable[..., CheckedEngine]) -> None:
    source = random.Random(6)
    requests = [GenerateRequest(random_tokens(source, 50), 60, temperature=0.7) for _ in range(5)]
    alone = checked(**ROOMY, concurrency=1).drain(requests)
    tight = checked(**TIGHT, concurrency=5).drain(requests)
    assert sum(end.retractions for end in tight) > 0
    assert [end.output for end in alone] == [end.output for end in tight]


def test_a_temperature_changes_the_output_and_another_seed_too(checked: Callable[..., CheckedEngine]) -> None:
    tokens = random_tokens(random.Random(7), 30)
    greedy, warm = checked(**ROOMY).drain([GenerateRequest(tokens, 20), GenerateRequest(tokens, 20, temperature=1.0)])
    assert greedy.output != warm.output


def test_a_request_longer_than_a_pool_is_refused_and_the_others_run(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**TIGHT)
    (longest,), others = random_requests(1, 1, tokens=250, output=40), random_requests(2, 2, tokens=30, output=3)
    refused, *served = engine.drain([longest, *others])
    assert refused.refused.startswith("too long for the pools")
    assert not refused.output
    assert [len(end.output) for end in served] == [3, 3]


def test_a_request_that_finds_no_slot_even_alone_is_refused(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**TIGHT)
    lent = engine.cache.allocate(200)
    (end,) = engine.drain(random_requests(0, 1, tokens=100, output=5))
    assert end.refused.startswith("out of slots")
    engine.cache.free(lent)
    (end,) = engine.drain(random_requests(0, 1, tokens=100, output=5))
    assert not end.refused


def test_a_shared_prefix_is_not_counted_twice_at_admission(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(page_size=1, window=16, full_slots=300, swa_slots=300, concurrency=4, chunk_size=512)
    first, *others = forks(seed=8, system=180, questions=4, output=8)
    engine.drain([first])
    engine.steps.clear()
    engine.drain(others[:3])
    assert max(len(works) for works in engine.steps) == 3


def test_nothing_is_locked_or_held_after_the_last_request(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**TIGHT, concurrency=5)
    engine.drain(forks(seed=9, output=20))
    assert _owned(engine) == 0


def test_close_gives_back_what_runs(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY)
    for request in random_requests(0, 6, tokens=40, output=10):
        engine.submit(request)
    for _ in range(4):
        engine.step()
    assert _owned(engine) > 0
    engine.close()
    assert _owned(engine) == 0
    assert not engine.has_work


def test_what_no_engine_can_serve_raises_at_submission(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY)
    tokens = random_tokens(random.Random(1), 5)
    with pytest.raises(KeyRangeError, match="at least one token"):
        engine.submit(GenerateRequest(tokens[:0], 1))
    with pytest.raises(KeyRangeError, match=r"tokens must be 0\.\.255"):
        engine.submit(GenerateRequest(random_tokens(random.Random(1), 5, vocabulary=9000), 1))
    with pytest.raises(ConfigError, match="output_tokens must be at least 1"):
        engine.submit(GenerateRequest(tokens, 0))
    with pytest.raises(ConfigError, match="temperature must not be negative"):
        engine.submit(GenerateRequest(tokens, 1, temperature=-1.0))
    assert not engine.has_work


def _owned(engine: CheckedEngine) -> int:
    """Return the slots that are neither free nor evictable."""
    return sum(pool["protected"] + pool["held"] for pool in engine.cache.stats()["components"].values())
