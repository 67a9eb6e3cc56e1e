"""What a step takes is the sum of its parts."""

from __future__ import annotations

import json

import pytest

from cache_core.errors import ConfigError
from profiles.step_costs import StepCosts

COSTS = StepCosts("made up", 1_000.0, 5_000_000, 250_000, 100_000, load_tokens_per_s=10_000.0)


def test_prefilled_tokens_take_their_time() -> None:
    assert COSTS.step_ns(512, 0) == 100_000 + 512_000_000


def test_requests_that_decode_share_one_step() -> None:
    assert COSTS.step_ns(0, 4) == 100_000 + 5_000_000 + 4 * 250_000


def test_loads_count_where_they_take_time() -> None:
    assert COSTS.step_ns(0, 0, 100) == 100_000 + 10_000_000
    free = StepCosts("made up", 1_000.0, 0, 0)
    assert free.step_ns(1, 0, 100) == free.step_ns(1, 0)


def test_a_step_always_takes_time() -> None:
    assert StepCosts("made up", 1e12, 0, 0).step_ns(1, 0) == 1


def test_costs_are_read_back() -> None:
    assert StepCosts.from_document(json.loads(json.dumps(COSTS.document()))) == COSTS


@pytest.mark.parametrize("wrong", [{"prefill_tokens_per_s": 0}, {"decode_step_ns": -1}, {"load_tokens_per_s": -1.0}])
def test_what_takes_no_time_at_all_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        StepCosts.from_document({**COSTS.document(), **wrong})
