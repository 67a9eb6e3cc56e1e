"""Logits stay equal, and nothing is lost, under pools, pages, windows and limits that nobody picked."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cache_core.branching import ceil_page
from cache_core.config import CHOICES
from cache_core.engine import GenerateRequest
from cache_core.policy import POLICIES
from tests.support.requests import WORKLOADS

if TYPE_CHECKING:
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")


def _geometry(source: random.Random) -> dict[str, object]:
    page = source.choice((1, 1, 2, 4, 16, 64))
    components = source.choice((("full", "swa"), ("full", "mamba"), ("full", "swa", "mamba")))
    window = source.randrange(1, 3 * page + 40)
    return {
        "page_size": page,
        "components": components,
        "window": window,
        "full_slots": page * max(1, source.randrange(150, 900) // page),
        "swa_slots": max(page * max(1, source.randrange(60, 600) // page), ceil_page(window, page) + page),
        "mamba_slots": source.randrange(4, 60),
        "mamba_chunk_tokens": source.choice((1, 3, 8, 16, 64)),
        "host_slots": page * source.choice((0, 0, max(1, 300 // page), 2000 // page)),
        "write_policy": source.choice(CHOICES["write_policy"]),
        "branching": source.random() < 0.7,
        "policy": source.choice(POLICIES.names),
        "evictor": source.choice(("incremental", "rebuild")),
        "finish_branch": source.choice(("both", "branch")),
        "swa_free_interval_tokens": source.choice((1, 16, 128)),
        "chunk_size": source.choice((1, 3, 16, 40, 100, 512)),
        "concurrency": source.randrange(1, 8),
        "swa_eviction": source.choice(CHOICES["swa_eviction"]),
    }


def _requests(source: random.Random) -> list[GenerateRequest]:
    mixed = [
        replace(request, output_tokens=source.choice((1, 2, 5, 40)), temperature=source.choice((0.0, 1.0)))
        for workload in source.sample(list(WORKLOADS.values()), 2)
        for request in workload(source.randrange(1000))
    ]
    source.shuffle(mixed)
    return mixed


@pytest.mark.parametrize("seed", range(18))
def test_any_geometry_serves_equal_logits(checked: Callable[..., CheckedEngine], seed: int) -> None:
    from tests.support.lanes import use_late_lane

    source = random.Random(seed)
    engine = checked(**_geometry(source), seed=seed)
    if engine.cache.host is not None:
        use_late_lane(engine, polls=source.randrange(4))
    requests = _requests(source)
    ends = engine.drain(requests)
    engine.close()
    assert engine.worst_difference() <= 1e-4
    for request, end in zip(requests, ends, strict=True):
        assert end.refused or len(end.output) == request.output_tokens
    pools = engine.cache.stats()["components"].values()
    assert all(pool["protected"] == pool["held"] == 0 for pool in pools)
