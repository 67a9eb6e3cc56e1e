"""The GPU script: its checks on CUDA where there is one, and what it says where there is none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.run import NAMES, run_one

SCRIPT = Path(__file__).parent / "run.py"


@pytest.mark.needs("cuda")
@pytest.mark.parametrize("name", NAMES)
def test_check_on_cuda(name: str) -> None:
    outcome = run_one(name, "cuda")
    assert outcome["state"] == "passed", outcome.get("reason")


@pytest.mark.needs("torch")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("throughput", "probe_cost")])
def test_the_same_check_passes_on_the_cpu(name: str) -> None:
    outcome = run_one(name, "cpu")
    assert outcome["state"] == "passed", outcome.get("reason")


@pytest.mark.needs("torch")
def test_the_names_are_those_of_the_checks() -> None:
    from tests.gpu.checks import CHECKS

    assert tuple(CHECKS) == NAMES


def test_without_cuda_every_check_is_not_run() -> None:
    environment = {"CUDA_VISIBLE_DEVICES": "", "PATH": ""}
    printed = subprocess.run([sys.executable, SCRIPT, "--json"], capture_output=True, text=True, env=environment)
    assert printed.returncode == 0, printed.stderr
    assert [check["state"] for check in json.loads(printed.stdout)["checks"]] == ["not run"] * len(NAMES)
