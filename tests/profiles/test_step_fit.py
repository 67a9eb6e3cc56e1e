"""Costs measured from steps: those that made them come back."""

from __future__ import annotations

from random import Random

import pytest

from cache_core.events import EngineStep
from probes.errors import RecordingError
from profiles.step_costs import StepCosts
from profiles.step_fit import fit_steps

MADE = StepCosts("made", 20_000.0, 4_000_000, 150_000, 800_000)


def steps(costs: StepCosts, seed: int = 0, noise: float = 0.0, prefills: bool = True) -> list[EngineStep]:
    rng = Random(seed)
    made = []
    for at in range(400):
        prefilled, decoded = rng.choice((0, 512, rng.randint(1, 512))) * prefills, rng.randint(0, 16)
        took_ns = costs.step_ns(prefilled, decoded) * (1 + noise * rng.uniform(-1, 1))
        made.append(EngineStep(at, round(took_ns), prefilled, decoded, decoded, 0))
    return made


def test_the_costs_that_made_the_steps_are_found() -> None:
    found = fit_steps(steps(MADE), "a run")
    assert found.prefill_tokens_per_s == pytest.approx(MADE.prefill_tokens_per_s, rel=1e-3)
    for name in ("decode_step_ns", "decode_request_ns", "overhead_ns"):
        assert getattr(found, name) == pytest.approx(getattr(MADE, name), rel=1e-2)
    assert found.name == "measured from a run"


def test_noise_moves_them_little() -> None:
    found = fit_steps(steps(MADE, seed=1, noise=0.1), "a run")
    assert found.prefill_tokens_per_s == pytest.approx(MADE.prefill_tokens_per_s, rel=0.05)


def test_no_cost_is_negative() -> None:
    odd = [step._replace(duration_ns=max(1, step.duration_ns - 300_000 * step.decode_tokens)) for step in steps(MADE)]
    found = fit_steps(odd, "a run")
    assert found.decode_request_ns == 0
    assert found.prefill_tokens_per_s > 0


def test_steps_of_one_size_tell_no_more_than_they_do() -> None:
    same = [EngineStep(at, 50_000_000, 500, 0, 0, 0) for at in range(10)]
    found = fit_steps(same, "a run")
    assert found.step_ns(500, 0) == pytest.approx(50_000_000, rel=1e-6)


@pytest.mark.parametrize("given", [[], steps(MADE, prefills=False)])
def test_a_run_that_prefilled_nothing_is_refused(given: list[EngineStep]) -> None:
    with pytest.raises(RecordingError, match="a run does not tell"):
        fit_steps(given, "a run")
