"""The bodies of the engine's benchmarks return figures that hold."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from cache_core.engine import EngineConfig, Finished
from tests.support.requests import forks

if TYPE_CHECKING:
    from tests.support.checked_engine import CheckedEngine

pytestmark = pytest.mark.needs("torch")

END = Finished(1, 4, 0, 0, array("i", [5, 6, 7]), ttft_ns=1, duration_ns=2)


def test_a_load_is_served_with_so_many_in_flight(checked: Callable[..., CheckedEngine]) -> None:
    from cache_core.engine.bench import run_load

    engine = checked(page_size=1, window=16, full_slots=2048, swa_slots=2048)
    figures = run_load(engine, forks(seed=2, questions=6), in_flight=2)
    assert max(len(works) for works in engine.steps) == 2
    assert figures.prompt_tokens == sum(end.prompt_tokens for end in figures.ends)
    assert figures.hit_rate == figures.hit_tokens / figures.prompt_tokens > 0
    assert len(figures.ttft_ns) == 7
    assert figures.output_tokens == 21


def test_equal_outputs_agree() -> None:
    from cache_core.engine.bench import compare_outputs

    agreement = compare_outputs([END], [END])
    assert (agreement.equal, agreement.compared_tokens, agreement.ties) == (True, 3, 0)


def test_outputs_may_part_at_a_near_tie_only() -> None:
    from cache_core.engine.bench import compare_outputs

    other = replace(END, output=array("i", [5, 9, 9]))
    assert compare_outputs([END], [other]).differing == (0,)
    at_a_tie = compare_outputs([END], [replace(other, near_ties=(1,))])
    assert (at_a_tie.equal, at_a_tie.compared_tokens, at_a_tie.ties) == (True, 1, 1)
    assert compare_outputs([replace(END, near_ties=(2,))], [other]).differing == (0,)


def test_the_speed_of_a_model_is_measured() -> None:
    from cache_core.engine.bench import measure_speed

    figures = measure_speed(EngineConfig("nano"), prompt_tokens=64, output_tokens=3, at_once=(1, 2))
    assert figures.prefill_tokens_per_s > 0
    assert set(figures.decode_tokens_per_s) == {1, 2}
    assert min(figures.decode_tokens_per_s.values()) > 0
