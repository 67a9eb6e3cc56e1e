"""The workloads that radixtop ships, served by the checked engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from cache_core.engine import GenerateRequest
from profiles.driving.drive import drive
from profiles.driving.pace import Pace
from profiles.workload import WORKLOADS, Prompt, WorkloadConfig

if TYPE_CHECKING:
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")


def _translate(prompt: Prompt) -> GenerateRequest:
    return GenerateRequest(prompt.tokens, prompt.output_tokens, prompt.extra_key, prompt.cache_salt, prompt.segments)


@pytest.mark.parametrize("name", WORKLOADS)
def test_logits_equal_the_dense_ones_on_a_shipped_workload(checked: Callable[..., CheckedEngine], name: str) -> None:
    engine = checked(page_size=4, window=22, full_slots=4096, swa_slots=2048, chunk_size=128)
    sizes = WorkloadConfig(seed=1, vocabulary=256, system_tokens=150, question_tokens=20, output_tokens=5)
    driven = drive(WORKLOADS.load(name)(sizes), engine, _translate, Pace(requests=10, concurrency=3))
    assert driven.finished == 10
    assert engine.worst_difference() <= 1e-4
