"""Jobs in processes of this machine: the same results whatever the number of workers, and no death is a hang."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from radixtop.compare.engine import Outcome, Step
from radixtop.compare.engines.local import LocalEngine
from tests.support.processes import children_of, is_running, until


class Engine(LocalEngine):
    """A local engine whose workers know the jobs of tests."""

    program = "tests.support.sweep_worker"


def adding(*numbers: int) -> str:
    return json.dumps({"kind": "add", "numbers": numbers})


def outcomes(jobs: list[str], workers: int = 2) -> list[Outcome]:
    return Engine(workers).outcomes(jobs, lambda step: None)


def test_outcomes_come_in_the_order_of_jobs_whatever_the_number_of_workers() -> None:
    jobs = [adding(*range(number)) for number in range(7)]
    expected = [Outcome(json.dumps({"sum": sum(range(number))})) for number in range(7)]
    assert outcomes(jobs, workers=1) == expected
    assert outcomes(jobs, workers=3) == expected


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("refuse", "line 3 is no request: look at it"),
        ("fill", "it takes more memory than there is"),
        ("die", "its process was killed, as the kernel does when memory runs out"),
        ("bug", "its process ended with exit code 1: AssertionError: the tree is upside down"),
        ("unheard_of", "unknown job 'unheard_of'; choose from: add, wait, refuse, fill, die, bug, shout"),
    ],
)
def test_a_job_that_cannot_be_carried_out_says_why_and_the_others_go_on(kind: str, why: str) -> None:
    found = outcomes([json.dumps({"kind": kind}), adding(1, 2), adding(3, 4)], workers=1)
    assert found == [Outcome(None, why), Outcome('{"sum": 3}'), Outcome('{"sum": 7}')]


def test_what_a_library_prints_is_no_word_of_ours() -> None:
    assert outcomes([json.dumps({"kind": "shout"})]) == [Outcome('{"sum": 0}')]


def test_how_far_jobs_are_is_told_and_each_end_once() -> None:
    steps: list[Step] = []
    Engine(2).outcomes([adding(1, 2, 3), json.dumps({"kind": "die"})], steps.append)
    assert Step(0, 3) in steps
    assert sorted(step.job for step in steps if step.is_over) == [0, 1]


def test_a_worker_that_is_killed_fails_its_job() -> None:
    def kill(step: Step) -> None:
        if step.job == 0 and not step.is_over:
            (worker,) = (pid for pid in children_of(os.getpid()) if "compare-1" in _name(pid))
            os.kill(worker, signal.SIGKILL)

    found = Engine(1).outcomes([json.dumps({"kind": "wait"}), adding(1)], kill)
    assert found[0].failure == "its process was killed, as the kernel does when memory runs out"
    assert found[1] == Outcome('{"sum": 1}')


def _name(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text()


WAITING = """
import json
from tests.radixtop.compare.test_local_engine import Engine
Engine(2).outcomes([json.dumps({"kind": "wait"})] * 2, lambda step: print(step.job, flush=True))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_no_worker_outlives_the_sweep(number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITING], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as sweep:
        assert sweep.stdout is not None
        seen: set[str] = set()
        while len(seen) < 2:
            seen.add(sweep.stdout.readline().strip())
        workers = children_of(sweep.pid)
        asked_at = time.monotonic()
        sweep.send_signal(number)
        sweep.wait(10)
        until(lambda: not any(map(is_running, workers)), 10, "the end of all workers")
        assert len(workers) == 2
        assert time.monotonic() - asked_at < 2
