"""A process on a lifeline ends when its parent lets go, whatever it is doing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

ORDERLY = """
import sys
from radixtop.serving.lifeline import Lifeline
lifeline = Lifeline(0, at_forced_exit=lambda: print("forced", flush=True))
lifeline.watch()
print("ready", flush=True)
while not lifeline.wait(10):
    pass
lifeline.over()
print("orderly", flush=True)
sys.exit(lifeline.exit_code)
"""
STUCK = """
import time
from radixtop.serving.lifeline import Lifeline
Lifeline(0, at_forced_exit=lambda: print("forced", flush=True)).watch()
print("ready", flush=True)
while True:
    time.sleep(0.01)
"""


@contextmanager
def running(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `code` in a process of its own, ready to be let go."""
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    with process:
        yield process
        process.kill()


def end_of(process: subprocess.Popen[bytes]) -> tuple[str, int, float]:
    """Return what the process said last, its exit code, and how many seconds it took to end."""
    began = time.perf_counter()
    assert process.stdout is not None
    said = process.stdout.read().decode().strip()
    return said, process.wait(10), time.perf_counter() - began


def test_the_end_of_stdin_wakes_an_idle_process() -> None:
    with running(ORDERLY) as process:
        assert process.stdin is not None
        process.stdin.close()
        said, code, took_s = end_of(process)
    assert (said, code) == ("orderly", 0)
    assert took_s < 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(number: signal.Signals) -> None:
    with running(ORDERLY) as process:
        process.send_signal(number)
        said, code, _ = end_of(process)
    assert (said, code) == ("orderly", 128 + number)


def test_a_process_that_never_looks_is_ended_within_two_seconds() -> None:
    with running(STUCK) as process:
        assert process.stdin is not None
        process.stdin.close()
        said, _, took_s = end_of(process)
    assert said == "forced"
    assert took_s < 2


def test_it_is_ended_whatever_goes_wrong_with_that() -> None:
    with running(STUCK.replace('print("forced", flush=True)', "1 / 0")) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(10) == 0


def test_what_the_parent_still_says_does_not_end_it() -> None:
    with running(ORDERLY) as process:
        assert process.stdin is not None
        process.stdin.write(b"still here\n")
        process.stdin.flush()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
