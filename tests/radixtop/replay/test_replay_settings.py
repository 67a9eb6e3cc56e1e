"""Settings of a replay that cannot be are one error, whoever asks for them."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from cache_core.config import CacheConfig
from cache_core.errors import ConfigError
from profiles.step_costs import StepCosts
from radixtop.replay.settings import ReplaySettings

POOLS = {"swa_slots": 400, "mamba_slots": 30, "host_slots": 2_000, "swa_host_slots": 600, "mamba_host_slots": 20}

BASE = ReplaySettings(CacheConfig(components=("full", "swa"), window=16, full_slots=1_000))


@pytest.mark.parametrize("value", [0, -1, nan, 1.5, True, "8"])
@pytest.mark.parametrize("name", ["page_size", "full_slots", "swa_slots", "chunk_size", "concurrency", "closed_loop"])
def test_sizes_and_counts_are_whole_numbers_above_0(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=name):
        BASE.changed(**{name: value})


@pytest.mark.parametrize(
    "changes",
    [{"speed": nan}, {"speed": inf}, {"speed": 0}, {"warm_up": -1}, {"limit": nan}, {"schedule_limit": -1},
     {"host_slots": -1}, {"window": 0}, {"seed": nan}, {"page_size": 10**12}],
)  # fmt: skip
def test_numbers_that_mean_nothing_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(changes))):
        BASE.changed(**changes)


@pytest.mark.parametrize("costs", [(nan, 1, 1, 1), (0, 1, 1, 1), (1, nan, 1, 1), (1, 1, inf, 1), (1, 1, 1, -1)])
def test_costs_are_times(costs: tuple[float, Any, Any, Any]) -> None:
    with pytest.raises(ConfigError):
        StepCosts("made", *costs)


@pytest.mark.parametrize(("method", "factor"), [("changed", 1), ("scaled", 2)])
def test_other_pools_stay_or_keep_their_ratio_to_the_full_one(method: str, factor: int) -> None:
    config = BASE.changed(components=("full", "swa", "mamba"), **POOLS).config
    found = getattr(replace(BASE, config=config), method)(full_slots=2_000).config
    assert {name: getattr(found, name) for name in POOLS} == {name: factor * slots for name, slots in POOLS.items()}
