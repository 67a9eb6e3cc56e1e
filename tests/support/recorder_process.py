"""A `radixtop record` under way, and the test's hold on it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.processes import until

OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal send signals for its keys to the command that it runs."""


class Ended(NamedTuple):
    """How it ended and what it wrote."""

    code: int
    document: dict[str, Any]
    said: str


class RecorderProcess:
    """The command, with --json; its stderr goes to a file in `folder`."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self._log = folder / "stderr"
        command = [sys.executable, "-m", "radixtop", "record", "--json", *arguments]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=log, cwd=folder, env={**os.environ, "PYTHONPATH": os.getcwd()}
            )

    @property
    def said(self) -> str:
        """What it has written to stderr."""
        return self._log.read_text()

    def begun(self) -> RecorderProcess:
        """Wait until it records."""
        until(lambda: self.process.poll() is not None or "ctrl-c ends it" in self.said, 20, "a recording")
        assert self.process.poll() is None, self.said
        return self

    def ended(self, number: signal.Signals | None = None) -> Ended:
        """Send it a signal, if one is given, and wait for its end."""
        if number is not None:
            self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=30)
        start = out.find(b"{\n")
        return Ended(self.process.returncode, json.loads(out[start:]) if start >= 0 else {}, self.said)

    def close(self) -> None:
        """Kill it if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


Record = Callable[..., RecorderProcess]
"""Starts a recorder with arguments; see the fixture `record`."""
