"""The dashboard as a program in a terminal: the real driver, the real thread, real keys."""

from __future__ import annotations

import os
import signal
import sys
import termios
from pathlib import Path

import pytest

from radixtop.bench.terminal import Terminal
from tests.support.descriptors import low_descriptors_taken
from tests.support.processes import until

WAIT_S = 60.0
"""How long a text may take to appear before the test fails; nothing waits for it to pass."""


def dashboard(*arguments: str, size: tuple[int, int] = (80, 24), **environment: str) -> Terminal:
    """Open the dashboard of a made-up cache in a terminal."""
    return Terminal([sys.executable, "-m", "tests.support.fake_dashboard", *arguments], size, environment)


def test_it_opens_answers_keys_and_leaves_the_terminal_as_it_was() -> None:
    with dashboard() as terminal:
        terminal.read_until("radixtop", WAIT_S)
        terminal.read_until("85.7%", WAIT_S)
        terminal.type("?")
        terminal.read_until("keys anywhere", WAIT_S)
        terminal.type("q")
        terminal.read_until("hit rate", WAIT_S)
        terminal.type("q")
        assert terminal.wait(WAIT_S) == 0
        assert b"\x1b[?1049l" in terminal.raw
        assert "Traceback" not in terminal.text


def test_a_filter_typed_in_one_go_is_taken_whole() -> None:
    with dashboard() as terminal:
        terminal.read_until("85.7%", WAIT_S)
        terminal.type("/prompt 3\r")
        terminal.read_until("/prompt 3", WAIT_S)
        terminal.type("\x03")
        assert terminal.wait(WAIT_S) == 130


def test_after_an_engine_died_q_still_ends_with_success() -> None:
    with dashboard("1") as terminal:
        terminal.read_until("engine was killed", WAIT_S)
        terminal.type("q")
        assert terminal.wait(WAIT_S) == 0


def test_a_tiny_terminal_gets_a_message() -> None:
    with dashboard(size=(20, 5)) as terminal:
        terminal.read_until("terminal too small", WAIT_S)
        terminal.type("q")
        assert terminal.wait(WAIT_S) == 0


def test_no_color_writes_no_colour_codes() -> None:
    with dashboard(NO_COLOR="1") as terminal:
        terminal.read_until("85.7%", WAIT_S)
        terminal.type("2")
        terminal.read_until("system prompt 0", WAIT_S)
        terminal.type("q")
        assert terminal.wait(WAIT_S) == 0
    assert b"\x1b[38;" not in terminal.raw
    assert b"\x1b[48;" not in terminal.raw
    assert not any(f"[{code}m".encode() in terminal.raw for code in (*range(30, 38), *range(90, 98)))


def test_a_terminal_can_be_read_beside_many_open_files() -> None:
    with low_descriptors_taken(), Terminal([sys.executable, "-c", "print('hello')"], (80, 24)) as terminal:
        terminal.read_until("hello", WAIT_S)


def test_it_is_suspended_and_comes_back_whole() -> None:
    with dashboard() as terminal:
        terminal.read_until("85.7%", WAIT_S)
        terminal.type("\x1a")
        until(lambda: _state(terminal) == "T", WAIT_S, "a stopped process")
        terminal.read_for(0.1)
        assert terminal.raw.rfind(b"\x1b[?1049l") > terminal.raw.rfind(b"\x1b[?1049h")
        terminal.type("")  # what is read from now on was written after it came back
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.read_until("radixtop", WAIT_S)
        terminal.read_until("85.7%", WAIT_S)
        terminal.read_until("quit", WAIT_S)
        terminal.type("q")
        assert terminal.wait(WAIT_S) == 0


def _state(terminal: Terminal) -> str:
    return Path(f"/proc/{terminal.process.pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.parametrize(
    ("end", "code"),
    [("SIGTERM", 143), ("SIGHUP", 129), ("SIGQUIT", 131), ("SIGINT", 130), ("an error", 1)],
)
def test_the_terminal_is_as_it_was_after_any_end(end: str, code: int) -> None:
    with dashboard(*(["bug"] if end == "an error" else [])) as terminal:
        before = termios.tcgetattr(terminal.other_end)
        terminal.read_until("85.7%", WAIT_S)
        assert termios.tcgetattr(terminal.other_end) != before
        if end == "an error":
            terminal.type("?")
        else:
            os.kill(terminal.process.pid, getattr(signal, end))
        assert terminal.wait(WAIT_S) == code
        assert termios.tcgetattr(terminal.other_end) == before
    for mode in (b"?1049", b"?1000", b"?1003", b"?2004"):
        assert terminal.raw.rfind(b"\x1b[" + mode + b"l") > terminal.raw.rfind(b"\x1b[" + mode + b"h")
    assert terminal.raw.rfind(b"\x1b[?25h") > terminal.raw.rfind(b"\x1b[?25l")


def test_a_terminal_that_goes_away_without_a_signal_ends_it() -> None:
    with dashboard() as terminal:
        terminal.read_until("85.7%", WAIT_S)
        ours = terminal.other_end
        spare = os.open(os.devnull, os.O_RDWR)
        os.dup2(spare, ours)  # nobody is at this end any more
        os.close(spare)
        assert terminal.process.wait(WAIT_S) == 129


def test_without_a_mouse_none_is_asked_for() -> None:
    with dashboard("no mouse") as terminal:
        terminal.read_until("85.7%", WAIT_S)
        terminal.type("q")
        assert terminal.wait(WAIT_S) == 0
    assert b"\x1b[?1000h" not in terminal.raw
