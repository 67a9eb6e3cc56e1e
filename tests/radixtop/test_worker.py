"""The worker process by itself: what it says when its recorder fails under it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from radixtop.serving.run_config import RunConfig

BREAKS_WHILE_SERVING = """
import sys
from probes import recorder

class Broken(recorder.FlightRecorder):
    flushes = 0

    def flush(self):
        Broken.flushes += 1
        if Broken.flushes == 60:
            raise ValueError("planted")
        super().flush()

recorder.FlightRecorder = Broken
from radixtop.serving.worker import main
sys.exit(main())
"""


@pytest.mark.needs("torch")
def test_a_recorder_that_fails_ends_the_run_and_is_named() -> None:
    command = [sys.executable, "-c", BREAKS_WHILE_SERVING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin is not None and run.stdout is not None
        run.stdin.write(RunConfig(device="cpu", requests=400).to_json() + "\n")
        run.stdin.flush()
        turns = [json.loads(line) for line in run.stdout]
    assert run.returncode == 1
    assert [turn["turn"] for turn in turns] == ["starting", "serving", "failed"]
    assert "the flight recorder failed: ValueError('planted')" in turns[-1]["message"]
