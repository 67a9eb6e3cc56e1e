"""The dashboard as a program in a terminal: the real driver, the real thread, real keys."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from time import monotonic

import pytest

WAIT_S = 60.0
"""How long a text may take to appear before the test fails; nothing waits for it to pass."""


class Terminal:
    """A program on a pseudo terminal."""

    def __init__(self, width: int, height: int, *arguments: str, **environment: str) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        known = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLORTERM")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.fake_dashboard", *arguments],
            stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**known, "TERM": "xterm-256color", **environment},
        )  # fmt: skip
        os.close(slave)
        self.seen = ""

    def until(self, text: str) -> None:
        """Read until the program has written `text`."""
        deadline = monotonic() + WAIT_S
        start = len(self.seen)
        while text not in self.seen[start:]:
            ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - monotonic()))
            assert ready, f"no {text!r} after {WAIT_S} s in {self.seen[start:]!r}"
            self.seen += os.read(self._master, 65_536).decode("utf-8", "replace")

    def press(self, keys: str) -> None:
        """Type keys."""
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Return the exit code, reading what the program still writes."""
        try:
            while chunk := os.read(self._master, 65_536):
                self.seen += chunk.decode("utf-8", "replace")
        except OSError:
            pass  # how Linux says that nobody holds the other side any more
        return self.process.wait(WAIT_S)

    def close(self) -> None:
        """End the program if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(WAIT_S)
        os.close(self._master)


@pytest.fixture
def terminal(request: pytest.FixtureRequest) -> Iterator[Terminal]:
    width, height, arguments, environment = request.param
    opened = Terminal(width, height, *arguments, **environment)
    yield opened
    opened.close()


@pytest.mark.parametrize("terminal", [(80, 24, (), {})], indirect=True)
def test_it_opens_answers_keys_and_leaves_the_terminal_as_it_was(terminal: Terminal) -> None:
    terminal.until("radixtop")
    terminal.until("85.7%")
    terminal.press("?")
    terminal.until("keys anywhere")
    terminal.press("q")
    terminal.until("hit rate")
    terminal.press("q")
    assert terminal.end() == 0
    assert "\x1b[?1049l" in terminal.seen and terminal.seen.count("Traceback") == 0


@pytest.mark.parametrize("terminal", [(80, 24, (), {})], indirect=True)
def test_a_filter_typed_in_one_go_is_taken_whole(terminal: Terminal) -> None:
    terminal.until("85.7%")
    terminal.press("/prompt 3\r")
    terminal.until("/prompt 3")
    terminal.press("\x03")
    assert terminal.end() == 130


@pytest.mark.parametrize("terminal", [(80, 24, ("1",), {})], indirect=True)
def test_after_an_engine_died_q_still_ends_with_success(terminal: Terminal) -> None:
    terminal.until("engine was killed")
    terminal.press("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("terminal", [(20, 5, (), {})], indirect=True)
def test_a_tiny_terminal_gets_a_message(terminal: Terminal) -> None:
    terminal.until("terminal too small")
    terminal.press("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("terminal", [(80, 24, (), {"NO_COLOR": "1"})], indirect=True)
def test_no_color_writes_no_colour_codes(terminal: Terminal) -> None:
    terminal.until("85.7%")
    terminal.press("2")
    terminal.until("system prompt 0")
    terminal.press("q")
    assert terminal.end() == 0
    assert "\x1b[38;" not in terminal.seen and "\x1b[48;" not in terminal.seen
    assert not any(f"[{code}m" in terminal.seen for code in (*range(30, 38), *range(90, 98)))
