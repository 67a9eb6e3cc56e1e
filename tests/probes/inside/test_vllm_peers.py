"""Our probes in the real cache manager of vLLM: they say what it returned, and change nothing."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.once import made_once

pytestmark = pytest.mark.needs("vllm-peer")

Run = dict[str, Any]
ROOT = Path(__file__).parents[3]


PEERS = [text for text in os.environ.get("RADIXTOP_VLLM", "").split(",") if text]
"""PYTHON:FOLDER:...,... of an interpreter and what it imports from first."""


@pytest.fixture(scope="module", params=PEERS, ids=lambda text: Path(text.split(":")[1]).name)
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """What `tests.support.inside_vllm` says, in a peer's interpreter."""
    python, *folders = request.param.split(":")
    told = made_once(tmp_path_factory, f"inside-{Path(folders[0]).name}", lambda: _told_by(python, folders))
    return json.loads(told)  # type: ignore[no-any-return]


def _told_by(python: str, folders: list[str]) -> str:
    path = os.pathsep.join([*folders, str(ROOT)])
    ran = subprocess.run(
        [python, "-P", "-m", "tests.support.inside_vllm"],
        env={**os.environ, "PYTHONPATH": path, "RADIXTOP_PROBE": ""}, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout[ran.stdout.index('{"version"') :]


def records(run: Run, kind: str) -> list[dict[str, Any]]:
    return [record for name, record in run["ring"]["records"] if name == kind]


def test_every_hit_length_is_what_the_manager_returned(runs: dict[str, Run]) -> None:
    told = sorted(records(runs["probed"], "Match"), key=lambda record: record["at"])
    truth = [value for name, value in runs["probed"]["returned"] if name == "get_computed_blocks"]
    assert [record["device_hit_tokens"] for record in told] == truth and any(truth)


def test_every_evicted_block_is_told(runs: dict[str, Run]) -> None:
    truth = sum(value for name, value in runs["probed"]["returned"] if name == "_maybe_evict_cached_block")
    told = records(runs["probed"], "Evict")
    assert sum(record["victims"] for record in told) == truth > 0
    assert sum(record["freed_tokens"][0] for record in told) == truth * runs["probed"]["ring"]["config"]["page_size"]


def test_results_are_the_same_with_and_without_probes(runs: dict[str, Run]) -> None:
    plain, probed = ((runs[kind]["returned"], runs[kind]["outcome"]) for kind in ("plain", "probed"))
    assert plain == probed and runs["plain"]["ring"] is None


def test_each_request_is_admitted_once_prefilled_and_ended(runs: dict[str, Run]) -> None:
    run = runs["probed"]
    served = [taken for taken in run["outcome"] if isinstance(taken, list) and taken[1] is not None]
    admitted = records(run, "RequestAdmitted")
    assert len(admitted) == len(served) == len({record["request"] for record in admitted})
    prefilled = {record["request"]: record["new_tokens"] for record in records(run, "RequestPrefilled")}
    assert prefilled == {r["request"]: r["prompt_tokens"] - r["device_hit_tokens"] for r in admitted}
    finished, retracted = records(run, "RequestFinished"), records(run, "RequestRetracted")
    assert len(finished) + len(retracted) == len(served) and finished and retracted
    assert {record["output_tokens"] for record in finished} == {4}


def test_an_emptied_cache_is_told_and_the_ring_says_what_is_probed(runs: dict[str, Run]) -> None:
    assert len(records(runs["probed"], "CacheReset")) == 1
    ring = runs["probed"]["ring"]
    assert ring["message"] == "" and ring["config"]["engine"] == f"vllm {runs['version']}"
    assert {"get_computed_blocks", "allocate_slots", "free"} <= set(ring["config"]["probed"])


def test_the_tree_has_the_blocks_that_the_pool_holds_and_hits_name_its_nodes(runs: dict[str, Run]) -> None:
    run = runs["probed"]
    named, wrong, tokens, blocks, copies = run["ring"]["counts"]
    assert [blocks, copies] == run["held"] and blocks > 0
    assert tokens == blocks * run["ring"]["config"]["page_size"]
    assert named > 0 and not wrong
    hits = [record for record in records(run, "Match") if record["device_hit_tokens"] and record["request"] > 0]
    assert all(record["node"] > 0 for record in hits)
