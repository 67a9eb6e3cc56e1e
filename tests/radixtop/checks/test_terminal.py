"""What facts about a terminal mean for the dashboard."""

from __future__ import annotations

import pytest

from radixtop.check import Status
from radixtop.checks.terminal import TerminalFacts, depth_of, findings_of

GOOD = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def told(columns: int = 120, lines: int = 40, encoding: str = "utf-8", **environment: str) -> dict[str, Status]:
    """Return what is found of a terminal, by what it is about."""
    facts = TerminalFacts(True, columns, lines, encoding, {**GOOD, **environment})
    return {each.what: each.status for each in findings_of(facts)}


def test_a_good_terminal_is_ok() -> None:
    assert told() == {"terminal": Status.OK}


@pytest.mark.parametrize(
    ("terminal", "what"),
    [
        ({"columns": 79}, "size"),
        ({"lines": 23}, "size"),
        ({"encoding": "ascii"}, "characters"),
        ({"COLORTERM": "", "TERM": "xterm"}, "colours"),
        ({"COLORTERM": "", "TMUX": "/tmp/tmux-0/default,1,0"}, "tmux"),
    ],
)
def test_a_catch_is_warned_of(terminal: dict[str, object], what: str) -> None:
    assert told(**terminal)[what] is Status.WARN  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["dumb", ""])
def test_one_that_cannot_draw_is_none(name: str) -> None:
    assert told(TERM=name) == {"terminal": Status.MISSING}


def test_no_terminal_is_warned_of() -> None:
    (finding,) = findings_of(TerminalFacts(False, 80, 24, "utf-8", GOOD))
    assert finding.status is Status.WARN


def test_what_stands_in_between_is_told() -> None:
    environment = {**GOOD, "SSH_TTY": "/dev/pts/1", "TMUX": "x"}
    (finding,) = findings_of(TerminalFacts(True, 80, 24, "utf-8", environment))
    assert finding.says.endswith(", in tmux, in ssh")


@pytest.mark.parametrize(
    ("environment", "depth"),
    [
        ({"COLORTERM": "24bit"}, "16 million colours"),
        ({"TERM": "screen-256color"}, "256 colours"),
        ({"TERM": "linux"}, "16 colours"),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, "no colours (NO_COLOR)"),
    ],
)
def test_the_depth_of_colours_is_what_the_environment_says(environment: dict[str, str], depth: str) -> None:
    assert depth_of(environment) == depth
