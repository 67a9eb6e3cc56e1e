"""A process that works and rests in turns, records when as steps of an engine, and ends with its standard input.

As a program it takes the length of a turn in seconds. Its first line says that its ring is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from cache_core.event_codec import head
from cache_core.events import EngineStep
from probes.readiness import readable
from probes.recorder import FlightRecorder

TURN_S = 0.2


def work(seconds: float) -> None:
    """Keep the processor busy."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(100))


def rest(seconds: float) -> bool:
    """Wait; return whether standard input is still open."""
    return not readable([sys.stdin.fileno()], seconds)


def main() -> None:
    """Run the process."""
    recorder = FlightRecorder({"workload": "turns"})
    recorder.flush()
    print("ready", flush=True)
    step = head(EngineStep)
    while True:
        began = time.perf_counter_ns()
        work(TURN_S)
        ended = time.perf_counter_ns()
        recorder.records.append((step, ended, ended - began, 1, 0, 0, 0))
        recorder.flush()
        if not rest(TURN_S):
            break
    recorder.close()
    os._exit(0)


@contextmanager
def busy_process() -> Iterator[int]:
    """Yield the number of such a process."""
    command = [sys.executable, "-m", "tests.support.busy_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.stdin.close()


if __name__ == "__main__":
    main()
