"""Pools that a run chooses for itself hold what it says they hold."""

from __future__ import annotations

from array import array
from itertools import count

import pytest

from profiles.workload import WORKLOADS, Prompt, WorkloadConfig
from radixtop.serving.sizing import Load, everything, what_runs

LOAD = Load(concurrency=4, chunk_size=512, page_size=1, window=128)


def prompt(tokens: list[int], output_tokens: int = 10, extra_key: str | None = None) -> Prompt:
    """Return a prompt without a follow-up."""
    return Prompt(array("i", tokens), output_tokens, ((0, "text"),), extra_key)


def test_everything_holds_each_distinct_token_and_what_runs_beside_it() -> None:
    prompts = [prompt([1] * 1000 + [number] * 90) for number in range(20)]
    distinct_tokens, running_tokens = 1000 + 20 * 100, 4 * 1100
    slots = everything(prompts, 20, LOAD).full_slots
    assert distinct_tokens + running_tokens <= slots <= 20 * 1100 + running_tokens


def test_the_same_prompt_again_needs_no_more_room() -> None:
    assert everything([prompt([1] * 640)] * 9, 9, LOAD) == everything([prompt([1] * 640)], 1, LOAD)


def test_a_namespace_has_its_own_room() -> None:
    shared = everything([prompt([1] * 640)] * 2, 2, LOAD).full_slots
    apart = everything([prompt([1] * 640), prompt([1] * 640, extra_key="adapter")], 2, LOAD).full_slots
    assert apart >= shared + 640


def test_a_long_run_is_sized_by_its_beginning() -> None:
    endless = (prompt([number] * 640) for number in count())
    assert everything(endless, 1_000_000, LOAD).full_slots >= 1_000_000 * 640


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_runs_fits_the_longest_requests_at_once(name: str) -> None:
    workload = WORKLOADS.load(name)(WorkloadConfig(seed=3, vocabulary=8192, requests=50))
    longest = max(len(p.tokens) + p.output_tokens for p in workload.prompts())
    assert what_runs(workload.prompts(), LOAD).full_slots >= 4 * longest


@pytest.mark.parametrize("page_size", [1, 16, 100])
def test_pools_are_whole_pages(page_size: int) -> None:
    load = Load(concurrency=3, chunk_size=512, page_size=page_size, window=128)
    sizes = [everything([prompt([1] * 777)], 1, load), what_runs([prompt([1] * 777)], load)]
    assert all(size.full_slots % page_size == 0 and size.swa_slots % page_size == 0 for size in sizes)
