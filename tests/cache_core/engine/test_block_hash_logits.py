"""A model served through the block-hash cache computes what a dense forward pass does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.support.requests import WORKLOADS, forks

if TYPE_CHECKING:
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")

TOLERANCE = 1e-4
GEOMETRIES = [(1, 5, 32), (4, 6, 17), (16, 5, 40), (16, 37, 512)]
"""Page, window and chunk: windows below and above a page."""


@pytest.mark.parametrize(("page", "window", "chunk"), GEOMETRIES)
@pytest.mark.parametrize("workload", WORKLOADS)
def test_logits_equal_the_dense_ones(
    checked: Callable[..., CheckedEngine], workload: str, page: int, window: int, chunk: int
) -> None:
    engine = checked(
        kind="block_hash", page_size=page, window=window, chunk_size=chunk, full_slots=1024, swa_slots=1024
    )
    requests = WORKLOADS[workload](seed=page * 1000 + window)
    ends = engine.drain(requests)
    again = engine.drain(requests)
    assert [end.output for end in again] == [end.output for end in ends]
    assert [end.hit_tokens for end in again] == [(end.prompt_tokens - 1) // page * page for end in ends]
    assert engine.worst_difference() <= TOLERANCE


@pytest.mark.parametrize("page", [1, 4, 16])
def test_logits_equal_the_dense_ones_while_blocks_run_out(checked: Callable[..., CheckedEngine], page: int) -> None:
    engine = checked(
        kind="block_hash", page_size=page, window=20, chunk_size=48, full_slots=320, swa_slots=160, concurrency=6
    )
    ends = engine.drain([request for seed in range(3) for request in forks(seed, questions=3, output=70)])
    assert sum(end.retractions for end in ends) > 0
    assert engine.worst_difference() <= TOLERANCE


def test_logits_equal_the_dense_ones_without_a_window(checked: Callable[..., CheckedEngine]) -> None:
    engine = checked(kind="block_hash", components=("full",), page_size=4, full_slots=1024)
    ends = engine.drain(forks(seed=1))
    assert sum(end.hit_tokens for end in ends) > 0
    assert engine.worst_difference() <= TOLERANCE
