"""Drives a program in tmux: a terminal that answers like a terminal, and whose screen can be read."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]

PATIENCE_S = 60.0
"""How long a screen is waited for: far longer than it takes on a busy machine."""


_OURS = ("COLUMNS", "LINES", "NO_COLOR", "TMUX")
"""Variables that say something of the terminal we sit at."""


class Tmux:
    """A tmux server of its own with one window, in which a command runs. Close it, or use it in a `with` block."""

    def __init__(self, command: Sequence[str], size: tuple[int, int]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="radixtop-tmux-")
        socket = Path(self._folder.name) / "socket"
        self._tmux = ("tmux", "-u", "-S", str(socket), "-f", "/dev/null")
        columns, rows = map(str, size)
        line = f"{shlex.join(command)}; echo exit $?; exec cat"
        self.call("new-session", "-d", "-x", columns, "-y", rows, line)
        self.call("set-option", "-g", "status", "off")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server and what runs in it."""
        self.call("kill-server")
        self._folder.cleanup()

    def call(self, *arguments: str) -> str:
        """Run a command of tmux and return what it prints."""
        environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        done = subprocess.run(
            [*self._tmux, *arguments], cwd=ROOT, capture_output=True, text=True, check=True, env=environment
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        """Press keys, by tmux's names."""
        self.call("send-keys", *keys)

    def resize(self, columns: int, rows: int) -> None:
        """Make the window so large."""
        self.call("resize-window", "-x", str(columns), "-y", str(rows))

    def lines(self) -> list[str]:
        """Return the lines of the screen."""
        return [line.rstrip() for line in self.call("capture-pane", "-p").split("\n")[:-1]]

    def wait_for(self, expected: Sequence[str], skip: int = 0) -> None:
        """Wait until the lines of the screen, but for the first `skip`, are the expected ones."""
        until = monotonic() + PATIENCE_S
        while (shown := self.lines()[skip:]) != expected:
            assert monotonic() < until, "\n".join(["did not come:", *expected, "but:", *shown])

    def wait_for_text(self, text: str) -> None:
        """Wait until a text is somewhere on the screen."""
        until = monotonic() + PATIENCE_S
        while text not in (shown := "\n".join(self.lines())):
            assert monotonic() < until, f"{text!r} did not come: {shown}"
