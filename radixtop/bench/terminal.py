"""A command in a pseudo-terminal, as a person at a terminal of that size would meet it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence

from probes.readiness import readable

_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\^-~])")
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
_OURS = ("COLUMNS", "LINES", "NO_COLOR", "COLORTERM")
"""Variables that say something of the terminal we sit at, not of the one we make."""


class Terminal:
    """A running command and everything it has written. Close it, or use it in a `with` block."""

    def __init__(
        self, command: Sequence[str], size: tuple[int, int], environment: Mapping[str, str] | None = None
    ) -> None:
        """Start `command` on a terminal of `size` (columns, rows), with `environment` on top of this one's."""
        self.raw = b""
        self._typed_at = 0
        self._screen, terminal = pty.openpty()
        columns, rows = size
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        variables = {name: value for name, value in os.environ.items() if name not in _OURS}
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
            env={**variables, "TERM": "xterm-256color", **(environment or {})},
        )
        os.close(terminal)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def other_end(self) -> int:
        """The descriptor of our end of the terminal, whose attributes are those of the command's end."""
        return self._screen

    @property
    def text(self) -> str:
        """Return what was written, without escape sequences, in the order of writing."""
        return _plain(self.raw)

    def type(self, keys: str) -> None:
        """Press keys; what is read from then on is the answer to them."""
        self._typed_at = len(self.raw)
        os.write(self._screen, keys.encode())

    def read_until(self, marker: str, timeout_s: float) -> float:
        """Read until `marker` was written since the last key and return the seconds since the start.

        Raises TimeoutError with the last of what was written when it does not come, or the command ends first.
        """
        deadline = time.perf_counter() + timeout_s
        while marker not in _plain(self.raw[self._typed_at :]):
            if not self._read(deadline - time.perf_counter()):
                raise TimeoutError(f"{marker!r} did not come; last was: {self.text[-2000:]!r}")
        return time.perf_counter() - self.started

    def read_for(self, seconds: float) -> None:
        """Read whatever comes for so long."""
        deadline = time.perf_counter() + seconds
        while self._read(deadline - time.perf_counter()):
            pass

    def wait(self, timeout_s: float) -> int:
        """Read until the command ends and return its exit code; raise TimeoutError when it does not end."""
        deadline = time.perf_counter() + timeout_s
        while self._read(deadline - time.perf_counter()):
            pass
        try:
            return self.process.wait(max(0.1, deadline - time.perf_counter()))
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"still running; last was: {self.text[-2000:]!r}") from None

    def close(self) -> None:
        """Kill the command if it still runs and let go of the terminal."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._screen)

    def _read(self, timeout_s: float) -> bool:
        """Take in what comes next; return False when nothing came in time or the other side is closed."""
        if timeout_s <= 0 or not readable([self._screen], timeout_s):
            return False
        try:
            chunk = os.read(self._screen, 1 << 16)
        except OSError:  # how Linux says that the last process has let go of the terminal
            return False
        self.raw += chunk
        return bool(chunk)


def _plain(raw: bytes) -> str:
    return _ESCAPES.sub(b"", raw).decode("utf-8", "replace")


def cpu_s(pid: int) -> float:
    """Return the processor time that a process has used so far, without its children."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _CLOCK_TICKS
