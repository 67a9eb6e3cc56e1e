"""Logits through cached recurrent states equal those of a dense forward pass, and the states are really reused."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from cache_core import RadixKey
from cache_core.engine import GenerateRequest
from cache_core.engine.shape import LayerKind
from tests.support.requests import WITH_BRANCHING, WORKLOADS, forks, random_tokens, strangers, turns

if TYPE_CHECKING:
    from cache_core.engine import Finished
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")

TOLERANCE = 1e-4
ALL, STATES_ONLY = ("full", "swa", "mamba"), ("full", "mamba")
GEOMETRIES = [
    # components, page, window, chunk, grid: grids below, equal to and above a page and a chunk
    (ALL, 1, 5, 32, 1), (ALL, 1, 16, 512, 8), (ALL, 4, 6, 17, 6), (ALL, 4, 40, 64, 4), (ALL, 16, 37, 40, 64),
    (STATES_ONLY, 1, None, 7, 16), (STATES_ONLY, 1, None, 512, 3), (STATES_ONLY, 4, None, 8, 4),
    (STATES_ONLY, 16, None, 64, 8), (STATES_ONLY, 64, None, 100, 32),
]  # fmt: skip
ROOMY = {"page_size": 1, "window": 16, "full_slots": 1024, "swa_slots": 1024, "mamba_slots": 64}


def _agree(one: list[Finished], other: list[Finished]) -> bool:
    from cache_core.engine.bench import compare_outputs

    return compare_outputs(one, other).equal


@pytest.mark.parametrize(("components", "page", "window", "chunk", "grid"), GEOMETRIES)
@pytest.mark.parametrize(("workload", "branching"), WITH_BRANCHING)
def test_logits_equal_the_dense_ones(
    checked: Callable[..., CheckedEngine],
    workload: str,
    components: tuple[str, ...],
    page: int,
    window: int | None,
    chunk: int,
    grid: int,
    branching: bool,
) -> None:
    engine = checked(
        components=components, page_size=page, window=window, chunk_size=chunk, mamba_chunk_tokens=grid,
        full_slots=1024, mamba_slots=96, branching=branching,
    )  # fmt: skip
    requests = WORKLOADS[workload](seed=page * 1000 + grid)
    ends = engine.drain(requests)
    # Once more, now that the tree knows them all.
    again = engine.drain(requests)
    assert _agree(ends, again)
    assert engine.worst_difference() <= TOLERANCE


@pytest.mark.parametrize("components", [ALL, STATES_ONLY])
@pytest.mark.parametrize("workload", [forks, turns])
def test_requests_go_on_from_states_of_others(
    checked: Callable[..., CheckedEngine], workload: Callable[..., list], components: tuple[str, ...]
) -> None:
    engine = checked(**ROOMY | {"components": components}, mamba_chunk_tokens=8, chunk_size=24, concurrency=1)
    ends = engine.drain(workload(seed=1))
    assert sum(end.hit_tokens > 0 for end in ends) > len(ends) / 2
    assert len(engine.reused_states) == sum(end.hit_tokens > 0 for end in ends)
    assert engine.worst_difference() <= TOLERANCE


def test_a_fork_finds_a_state_only_with_branching(checked: Callable[..., CheckedEngine]) -> None:
    source = random.Random(2)
    system = random_tokens(source, 90)
    requests = [GenerateRequest(system + random_tokens(source, 20), 2) for _ in range(4)]
    hits = {}
    for branching in (True, False):
        settings = ROOMY | {"components": ALL, "mamba_chunk_tokens": 8, "branching": branching}
        engine = checked(**settings, chunk_size=512, concurrency=1)
        hits[branching] = [end.hit_tokens for end in engine.drain(requests)]
        assert engine.worst_difference() <= TOLERANCE
    # The first request leaves no state in the middle of its chunk; the second one, which forks there, does.
    assert hits == {True: [0, 0, 88, 88], False: [0, 0, 0, 0]}


@pytest.mark.parametrize("components", [ALL, STATES_ONLY])
@pytest.mark.parametrize("states", [6, 9])
def test_logits_equal_the_dense_ones_while_pools_run_out(
    checked: Callable[..., CheckedEngine], components: tuple[str, ...], states: int
) -> None:
    engine = checked(
        components=components, page_size=4, window=20, chunk_size=48, full_slots=320, swa_slots=160,
        mamba_slots=states, mamba_chunk_tokens=8, concurrency=6,
    )  # fmt: skip
    ends = engine.drain([request for seed in range(2) for request in forks(seed, questions=3, output=60)])
    assert sum(end.retractions for end in ends) > 0
    assert not any(end.refused for end in ends)
    assert engine.worst_difference() <= TOLERANCE


def test_one_state_is_enough_to_serve(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY | {"mamba_slots": 1}, components=ALL, mamba_chunk_tokens=8)
    ends = engine.drain(forks(seed=3))
    assert not any(end.refused for end in ends)
    assert engine.worst_difference() <= TOLERANCE


def test_decoding_leaves_states_too(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY, components=ALL, mamba_chunk_tokens=8, concurrency=1)
    (first,) = strangers(seed=4)[-1:]
    (end,) = engine.drain([first])
    question = random_tokens(random.Random(4), 5)
    (follow_up,) = engine.drain([GenerateRequest(first.tokens + end.output + question, 3)])
    assert follow_up.hit_tokens > len(first.tokens)
    assert engine.worst_difference() <= TOLERANCE


def _state_of(engine: CheckedEngine, tokens: array[int]) -> int:
    probe = engine.cache.admit(RadixKey(tokens))
    slot = probe.state_source
    probe.retract()
    assert slot
    return slot


def test_a_swapped_state_is_noticed(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY, components=ALL, mamba_chunk_tokens=8, concurrency=1)
    first, *others = forks(seed=5)
    stranger = strangers(seed=5)[-1]
    engine.drain([first, others[0], stranger])
    assert engine.worst_difference() <= TOLERANCE
    ours, theirs = _state_of(engine, others[1].tokens), _state_of(engine, stranger.tokens)
    states = engine.model.pools[LayerKind.RECURRENT].layers
    states[:, [ours, theirs]] = states[:, [theirs, ours]]
    engine.drain(others[1:])
    assert engine.worst_difference() > TOLERANCE


def test_a_freed_state_in_use_is_noticed(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(**ROOMY, components=ALL, mamba_chunk_tokens=8, concurrency=1)
    first, *others = forks(seed=5)
    engine.drain([first, others[0]])
    engine.model.pools[LayerKind.RECURRENT].layers[:, _state_of(engine, others[1].tokens)] = float("nan")
    engine.drain(others[1:])
    assert math.isnan(engine.worst_difference())
