"""Recordings of the project's own engine, each with a fault that is known: the first finding names it.

Faults, magnitudes and pairs are those of `tests/support/faults`; `sweep.py` there puts them through more.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from radixtop.serving.run_config import RunConfig
from tests.support.faults.causes import CAUSES, HEALTHY, MAGNITUDES, ROOMY, Magnitude, plant_of
from tests.support.faults.chance import thrown
from tests.support.faults.judge import Verdict, verdict_of
from tests.support.faults.make import make
from tests.support.faults.pairs import expected_order
from tests.support.faults.plant import Names, Plant
from tests.support.faults.serving import write
from tests.support.faults.sweep import is_right

OTHER_SEEDS = [(fault, 2 + place, MAGNITUDES[place % 3]) for place, fault in enumerate(CAUSES)]
"""One more of each fault, of another magnitude."""

PAIRS = (("salt", "page"), ("timestamp", "swa_pool"), ("branching", "capacity"), ("salt", "timestamp"))


def told(faults: tuple[str, ...], seed: int, magnitude: Magnitude, folder: Path) -> Verdict:
    return verdict_of(make(faults, seed, magnitude, folder / "run.rtrec"))


@pytest.mark.parametrize("fault", CAUSES)
def test_a_planted_fault_is_the_first_finding(fault: str, tmp_path: Path) -> None:
    verdict = told((fault,), 1, "clear", tmp_path)
    assert verdict.findings[0].name == CAUSES[fault].finding, str(verdict)
    assert verdict.findings[0].severity != "note", str(verdict)
    assert verdict.findings[0].change is not None


@pytest.mark.parametrize(("fault", "seed", "magnitude"), OTHER_SEEDS)
def test_it_is_first_for_other_seeds_and_magnitudes(
    fault: str, seed: int, magnitude: Magnitude, tmp_path: Path
) -> None:
    verdict = told((fault,), seed, magnitude, tmp_path)
    assert verdict.findings[0].name == CAUSES[fault].finding, str(verdict)


@pytest.mark.parametrize(("fault", "names"), [("timestamp", "none"), ("salt", "none"), ("chunks", "roles")])
def test_it_is_first_where_names_say_nothing_of_texts(fault: str, names: Names, tmp_path: Path) -> None:
    plant = replace(plant_of((fault,), 1), names=names)
    verdict = verdict_of(write(plant, tmp_path / "run.rtrec"))
    assert verdict.findings[0].name == CAUSES[fault].finding, str(verdict)


@pytest.mark.parametrize(("workload", "options"), [("few_shot", ()), ("shared_prompt", (("system_tokens", "100"),))])
def test_pages_are_to_blame_for_prompts_that_end_inside_one(
    workload: str, options: tuple[tuple[str, str], ...], tmp_path: Path
) -> None:
    """Prompts of 936 tokens, all known but for the last; and of 196, below a page."""
    run = RunConfig(workload, options, page_size=256, full_slots=40_960, swa_slots=20_480, requests=60)
    verdict = verdict_of(write(Plant(run), tmp_path / "run.rtrec"))
    assert verdict.findings[0].name == "page_size", str(verdict)


@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_two_faults_at_once_are_the_first_two_findings(pair: tuple[str, ...], tmp_path: Path) -> None:
    plant = plant_of(pair, 1)
    verdict = told(pair, 1, "clear", tmp_path)
    assert is_right(pair, verdict, expected_order(plant, pair, tmp_path)), str(verdict)


def roomy(workload: str, **settings: object) -> Plant:
    return ROOMY.with_run(**{"workload": workload, "seed": 1, "requests": 120, **settings})


COMBINED = {
    "a small pool, whatever its order": (
        roomy("few_shot", swa_eviction="lru", swa_slots=2_600, requests=240), ("swa_pool_small",)
    ),
    "small windows": (roomy("rag", swa_eviction="lru", swa_slots=2_400, window=64), ("swa_pool_small",)),
    "no branching in a small pool": (
        roomy("agent", window=64, branching=False, swa_slots=1_800, requests=240), ("branching_off", "swa_pool_small")
    ),
    "long chunks": (roomy("rag", chunk_size=4_096), ("chunk_boundary",)),
    "long chunks without branching": (
        roomy("rag", chunk_size=4_096, branching=False), ("branching_off", "chunk_boundary")
    ),
}  # fmt: skip
"""Combinations of workload, window and settings, and what is wrong with them in its order."""


@pytest.mark.parametrize("name", COMBINED)
def test_other_combinations_are_told_right(name: str, tmp_path: Path) -> None:
    plant, causes = COMBINED[name]
    verdict = verdict_of(write(plant, tmp_path / "run.rtrec"))
    assert verdict.causes[: len(causes)] == causes, str(verdict)


@pytest.mark.parametrize(("seed", "faults", "cause"), [(2, 2, "early_divergence")])
def test_what_chance_put_together_is_told_right(seed: int, faults: int, cause: str, tmp_path: Path) -> None:
    """Runs of `sweep.py --chance`: the fault that costs most by far is the first finding."""
    verdict = verdict_of(write(thrown(seed, faults).without(), tmp_path / "run.rtrec"))
    assert verdict.causes[:1] == (cause,), str(verdict)


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_alarming_is_said_of_a_healthy_run(name: str, tmp_path: Path) -> None:
    verdict = told((name,), 1, "clear", tmp_path)
    assert not verdict.is_alarming, str(verdict)


@pytest.mark.parametrize(("policy", "slots"), [("mru", 4_200), ("lfu", 5_000)])
def test_an_order_of_eviction_that_does_not_fit_is_told_as_that(policy: str, slots: int, tmp_path: Path) -> None:
    plant = HEALTHY["chat"].with_run(policy=policy, full_slots=slots, requests=120)
    verdict = verdict_of(write(plant, tmp_path / "run.rtrec"))
    assert verdict.findings[0].name == "policy_unfit", str(verdict)
    assert "capacity_small" not in verdict.causes


def test_a_small_pool_is_no_fault_of_its_policy(tmp_path: Path) -> None:
    plant = plant_of(("capacity",), 1).with_run(policy="lfu")
    verdict = verdict_of(write(plant, tmp_path / "run.rtrec"))
    assert verdict.causes[0] == "capacity_small" and "policy_unfit" not in verdict.causes, str(verdict)


def test_a_fault_of_few_requests_is_told_though_most_are_well(tmp_path: Path) -> None:
    plant = replace(CAUSES["salt"].alone, habits=(("salt", "request", 0.12),))
    verdict = verdict_of(write(plant, tmp_path / "run.rtrec"))
    assert verdict.findings[0].name == "salted_requests", str(verdict)
