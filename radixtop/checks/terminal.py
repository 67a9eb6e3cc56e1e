"""What the terminal can show."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from radixtop.check import Finding, Status, Subject

SMALLEST = (80, 24)


@dataclass(frozen=True, slots=True)
class TerminalFacts:
    """A terminal, as far as it is known from in here."""

    is_terminal: bool
    columns: int
    lines: int
    encoding: str
    environment: Mapping[str, str]


def check(subject: Subject) -> Iterator[Finding]:
    """Look at the terminal of this process."""
    size = shutil.get_terminal_size(SMALLEST)
    is_terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    encoding = getattr(sys.stdout, "encoding", None) or "unknown"
    yield from findings_of(TerminalFacts(is_terminal, size.columns, size.lines, encoding, os.environ))


def findings_of(facts: TerminalFacts) -> Iterator[Finding]:
    """Return what facts about a terminal mean for the dashboard."""
    name = facts.environment.get("TERM") or "dumb"
    if not facts.is_terminal:
        yield Finding(Status.WARN, "terminal", "none here: moments as text and reports alone", "run it in a terminal")
    elif name == "dumb":
        hint = "set TERM to what your terminal is, such as xterm-256color"
        yield Finding(Status.MISSING, "terminal", f"TERM={name} cannot draw", hint)
    else:
        yield from _drawn(facts, name)


def _drawn(facts: TerminalFacts, name: str) -> Iterator[Finding]:
    size = f"{facts.columns}x{facts.lines}"
    through = "".join(f", in {each}" for each in _between(facts.environment))
    depth = depth_of(facts.environment)
    yield Finding(Status.OK, "terminal", f"{name}, {size}, {depth}{through}")
    if facts.columns < SMALLEST[0] or facts.lines < SMALLEST[1]:
        least = "x".join(map(str, SMALLEST))
        yield Finding(Status.WARN, "size", f"{size} leaves out part of every view", f"make it {least} or larger")
    if "utf" not in facts.encoding.lower():
        hint = "set LC_ALL=C.UTF-8, or use --ascii"
        yield Finding(Status.WARN, "characters", f"{facts.encoding} has no lines and blocks to draw with", hint)
    if depth == "16 colours":
        hint = "set COLORTERM=truecolor if it can, or use --theme ansi"
        yield Finding(Status.WARN, "colours", "themes are shown in 16 colours", hint)
    if facts.environment.get("TMUX") and depth != "16 million colours":
        hint = "in tmux.conf: set -ag terminal-overrides ',*:RGB', and export COLORTERM=truecolor"
        yield Finding(Status.WARN, "tmux", "passes fewer colours on than themes have", hint)


def depth_of(environment: Mapping[str, str]) -> str:
    """Return how many colours a terminal says that it has."""
    if environment.get("NO_COLOR"):
        return "no colours (NO_COLOR)"
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "16 million colours"
    return "256 colours" if "256" in environment.get("TERM", "") else "16 colours"


def _between(environment: Mapping[str, str]) -> Iterator[str]:
    """Yield what stands between us and whoever looks."""
    if environment.get("TMUX"):
        yield "tmux"
    if environment.get("STY"):
        yield "screen"
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        yield "ssh"
