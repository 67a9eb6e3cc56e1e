"""Looks at processes from outside, waiting for what must come with a deadline."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

POLL_S = 0.02


def until(condition: Callable[[], object], timeout_s: float, what: str) -> None:
    """Return once `condition` holds; raise TimeoutError naming `what` when it does not in time."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true within {timeout_s} s")
        time.sleep(POLL_S)


def dead_pid() -> int:
    """Return the number of a process that has just ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def children_of(pid: int) -> list[int]:
    """Return the children of a process, whichever of its threads started them."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for children in lists for child in children.read_text().split()]


def child_of(pid: int, timeout_s: float = 20) -> int:
    """Return the one child of a process, once it has one."""
    until(lambda: children_of(pid), timeout_s, f"a child of process {pid}")
    (child,) = children_of(pid)
    return child


def is_running(pid: int) -> bool:
    """Say whether a process runs; one that waits to be reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def rings_of(pid: int) -> list[Path]:
    """Return the files that a process has left in the folder of rings."""
    return [*Path(f"/dev/shm/radixtop-{os.geteuid()}").glob(f"{pid}-*")]
