"""The same sweep on a local Ray of two workers: the same results, a word for every death, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from radixtop import cli
from tests.support.processes import children_of, is_running, until
from tests.support.traces_made import write_trace

pytestmark = pytest.mark.needs("ray")
ROOT = Path(__file__).parents[3]
VARIED = ("--vary", "policy=lru,slru", "--vary", "full_slots=8k,16k", "--workers", "2", "--json")


def environment() -> dict[str, str]:
    """Return an environment in which this checkout and Ray are found, and no cluster of somebody else."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("RADIXTOP_RAY", "")]).rstrip(os.pathsep)}


def test_results_are_those_of_local_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = write_trace(tmp_path / "chat.jsonl")
    there = subprocess.run(
        [sys.executable, "-m", "radixtop", "compare", str(trace), *VARIED, "--engine", "ray"],
        env=environment(), capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert cli.main(["compare", str(trace), *VARIED]) == 0
    assert there.stdout == capsys.readouterr().out


def test_a_task_that_dies_is_one_failure_and_ray_listens_on_this_machine_alone(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "chat.jsonl", requests=2)
    ran = subprocess.run(
        [sys.executable, "-m", "tests.support.ray_sweep", str(trace), "add", "die", "bug", "refuse", "add"],
        env=environment(), capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    told = json.loads(ran.stdout.splitlines()[-1])
    outcomes = told["outcomes"]
    assert (outcomes[0], outcomes[4]) == (['{"sum": 0}', ""], ['{"sum": 4}', ""])
    assert outcomes[1][1].startswith("its process is gone: ")
    assert outcomes[2][1] == "AssertionError: the tree is upside down"
    assert outcomes[3][1] == "line 3 is no request: look at it"
    assert told["addresses"]
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert {*told["addresses"]} <= loopback


def test_ctrl_c_ends_all_of_it(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "chat.jsonl", requests=2)
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.ray_sweep", str(trace), "wait", "wait"],
        env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as sweep:  # fmt: skip
        until(lambda: _tasks(sweep.pid), 60, "a task of Ray")
        below = _below(sweep.pid)
        sweep.send_signal(signal.SIGINT)
        sweep.wait(20)
        until(lambda: not any(map(is_running, below)), 20, "the end of every process of Ray")
        assert len(below) > 3


def _below(pid: int) -> list[int]:
    """Return all processes below one."""
    children = children_of(pid)
    return children + [below for child in children for below in _below(child)]


def _tasks(pid: int) -> list[int]:
    """Return the processes below one that carry out a task, which Ray names after it."""
    return [each for each in _below(pid) if _title(each).startswith(b"ray::answer_tests")]


def _title(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
