"""Traces that lay other tools' samples beside ours, in Perfetto: nothing is lost in the import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from profiles.timelines.timeline import PIDS
from tests.support.busy_process import busy_process
from tests.support.perfetto import opened

pytestmark = [pytest.mark.needs("chromium", "perfetto"), pytest.mark.timeout(300)]

SLICES = (
    "select s.name, count(*) from slice s join thread_track k on s.track_id = k.id join thread t using (utid) "
    "join process p using (upid) where p.pid "
)


def profile(*arguments: str) -> None:
    command = [sys.executable, "-m", "radixtop", "profile", *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


@pytest.mark.needs("py-spy")
def test_stacks_of_threads_and_what_the_cache_did_are_imported_without_a_fault(tmp_path: Path) -> None:
    out = tmp_path / "run.trace.json.gz"
    with busy_process() as pid:
        profile("cpu", str(pid), "--duration", "2", "--format", "chrome_trace", "-o", str(out))
    with opened(out) as perfetto:
        assert perfetto.faults() == []
        assert dict(perfetto.query(f"{SLICES} = {pid + PIDS} group by 1"))["step"] >= 2
        stacks = dict(perfetto.query(f"{SLICES} = {pid} group by 1"))
        assert any(name.startswith("work (busy_process.py:") for name in stacks)


@pytest.mark.needs("torch")
def test_operators_and_what_the_cache_did_are_imported_without_a_fault(tmp_path: Path) -> None:
    out = tmp_path / "run.trace.json"
    profile("torch", "--steps", "6", "--device", "cpu", "-o", str(out))
    with opened(out) as perfetto:
        assert perfetto.faults() == []
        theirs = dict(perfetto.query(f"{SLICES} < {PIDS} group by 1"))
        assert (theirs["radixtop::step"], theirs["aten::mm"] > 50) == (6, True)
        assert dict(perfetto.query(f"{SLICES} > {PIDS} group by 1"))["step"] == 6
