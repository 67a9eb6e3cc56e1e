"""What is known of other processes: when they started, and of whom they are children."""

from __future__ import annotations

import os
import subprocess
import sys

from probes.rings.processes import parent_of, process_started
from tests.support.processes import dead_pid


def test_a_child_starts_after_its_parent_and_names_it() -> None:
    ours = process_started(os.getpid())
    assert ours is not None
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        started = process_started(child.pid)
        assert started is not None
        assert (parent_of(child.pid), started > ours) == (os.getpid(), True)


def test_a_process_that_is_not_there_has_neither() -> None:
    gone = dead_pid()
    assert (process_started(gone), parent_of(gone)) == (None, None)


def test_a_process_that_waits_to_be_reaped_has_no_start() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    try:
        assert process_started(pid) is None
    finally:
        os.waitpid(pid, 0)
