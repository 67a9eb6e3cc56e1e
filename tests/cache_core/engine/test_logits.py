"""Logits through the cache equal those of a dense forward pass, whatever the cache did with the slots."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pytest

from cache_core import RadixKey
from cache_core.engine import GenerateRequest
from cache_core.engine.shape import LayerKind
from tests.support.requests import WITH_BRANCHING, WORKLOADS, forks, strangers

if TYPE_CHECKING:
    from torch import Tensor

    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")

TOLERANCE = 1e-4
GEOMETRIES = [
    # page, window, chunk: windows below, equal to and above a page, and none a multiple of it where possible
    (1, 1, 7), (1, 5, 32), (1, 16, 512), (4, 3, 8), (4, 4, 17), (4, 6, 64), (16, 5, 16), (16, 16, 40), (16, 37, 512),
    (64, 100, 64),
]  # fmt: skip


class Primed(NamedTuple):
    """An engine with two prefixes in its cache, requests that hit the first one, and where both lie."""

    engine: CheckedEngine
    others: list[GenerateRequest]
    memory: Tensor
    row: array[int]
    stranger_row: array[int]


@pytest.mark.parametrize(("page", "window", "chunk"), GEOMETRIES)
@pytest.mark.parametrize(("workload", "branching"), WITH_BRANCHING)
def test_logits_equal_the_dense_ones(
    checked: Callable[..., CheckedEngine], workload: str, page: int, window: int, chunk: int, branching: bool
) -> None:
    engine = checked(
        page_size=page, window=window, chunk_size=chunk, full_slots=1024, swa_slots=1024, branching=branching
    )
    requests = WORKLOADS[workload](seed=page * 1000 + window)
    ends = engine.drain(requests)
    # Once more, now that the tree knows them all.
    again = engine.drain(requests)
    assert [end.output for end in again] == [end.output for end in ends]
    assert engine.worst_difference() <= TOLERANCE


@pytest.mark.parametrize("page", [1, 4, 16])
def test_logits_equal_the_dense_ones_while_pools_run_out(checked: Callable[..., CheckedEngine], page: int) -> None:
    engine = checked(page_size=page, window=20, chunk_size=48, full_slots=320, swa_slots=160, concurrency=6)
    ends = engine.drain([request for seed in range(2) for request in forks(seed, questions=3, output=60)])
    assert sum(end.retractions for end in ends) > 0
    assert engine.worst_difference() <= TOLERANCE


def test_logits_equal_the_dense_ones_without_a_window(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(components=("full",), page_size=4, full_slots=1024)
    engine.drain(forks(seed=1))
    assert engine.worst_difference() <= TOLERANCE


def test_every_prompt_token_is_computed_or_hit(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(page_size=1, window=8, full_slots=1024, swa_slots=1024)
    ends = engine.drain(forks(seed=3, output=2))
    decoded = len(ends)
    hits = sum(end.hit_tokens for end in ends)
    assert hits > 0
    assert engine.computed_tokens == sum(end.prompt_tokens for end in ends) - hits + decoded


@pytest.fixture(params=[LayerKind.FULL, LayerKind.WINDOW])
def primed(checked: Callable[..., CheckedEngine], request: pytest.FixtureRequest) -> Primed:
    """An engine that has served the first of several forks and a stranger, with the slots that both left."""
    engine = checked(page_size=1, window=16, full_slots=1024, swa_slots=1024)
    first, *others = forks(seed=5)
    stranger = strangers(seed=5)[-1]
    engine.drain([first, stranger])
    assert engine.worst_difference() <= TOLERANCE
    rows = []
    for prompt in (others[0].tokens, stranger.tokens):
        probe = engine.cache.admit(RadixKey(prompt))
        rows.append(probe.row() if request.param is LayerKind.FULL else probe.swa_row())
        probe.retract()
    assert min(map(len, rows)) > 16
    return Primed(engine, others, engine.model.pools[request.param].layers, *rows)


def test_a_swapped_slot_is_noticed(primed: Primed) -> None:
    ours, theirs = primed.row[-1], primed.stranger_row[-1]
    primed.memory[:, [ours, theirs]] = primed.memory[:, [theirs, ours]]
    primed.engine.drain(primed.others)
    assert primed.engine.worst_difference() > TOLERANCE


def test_a_freed_slot_in_use_is_noticed(primed: Primed) -> None:
    # The oldest one that the first computed token sees: 15 tokens before it and itself are the window.
    primed.memory[:, primed.row[-15]] = float("nan")
    primed.engine.drain(primed.others)
    assert math.isnan(primed.engine.worst_difference())
