"""The dashboard as a program in a terminal: the real driver, the real thread, real keys."""

from __future__ import annotations

import sys

from radixtop.bench.terminal import Terminal
from tests.support.descriptors import low_descriptors_taken

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
