"""The stacks that py-spy counted, read from its raw format: `root;...;leaf COUNT`, a line each.

    process 7:"python serve.py";thread (9): MainThread;<module> (serve.py:3);step (engine.py:120) 42

Names are told apart from what separates them by their shape: a frame ends in `(FILE:LINE)`, a process in a quote. A
command line may hold a semicolon, a line break, or a secret: of it the program and the script are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from profiles import labels

_FRAME = re.compile(r"(?P<name>.+) \((?P<file>[^()]*?)(?::(?P<line>\d+))?\)", re.DOTALL)
_THREAD = re.compile(r"thread \((?P<id>[0-9A-Fa-fx]+)\)(?:: (?P<name>.*))?", re.DOTALL)
_PROCESS = re.compile(r'process (?P<pid>\d+):"(?P<command>.*)"', re.DOTALL)
_OPENED = re.compile(r'process \d+:"')
_COUNTED = re.compile(r"(?P<stack>.*) (?P<count>\d{1,18})", re.DOTALL)
_LONGEST = 120
NO_FRAME = "(no frame)"
"""The name of what was seen of a thread that was in no Python code yet."""
_SHELL_LIKE = ("-c",)


@dataclass(frozen=True, slots=True)
class CodeFrame:
    """A function at a line of a file, or a thread or a process, which have no file; line 0 is no line."""

    name: str
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        """Return the frame as flame graphs name it."""
        if not self.file:
            return self.name
        return f"{self.name} ({self.file}:{self.line})" if self.line else f"{self.name} ({self.file})"


Stacks = Mapping[tuple[CodeFrame, ...], int]
"""How often each stack was seen, the outermost frame first."""


def read_stacks(text: str) -> Stacks:
    """Return the stacks of py-spy's raw output; what is no stack is left out."""
    stacks: Counter[tuple[CodeFrame, ...]] = Counter()
    for line in _whole_lines(text.split("\n")):
        counted = _COUNTED.fullmatch(line)
        if counted is not None and int(counted["count"]):
            stacks[tuple(map(read_frame, _split(counted["stack"])))] += int(counted["count"])
    return stacks


def read_frame(text: str) -> CodeFrame:
    """Return the frame that a text names."""
    if process := _PROCESS.fullmatch(text):
        return CodeFrame(f"{program(process['command'])} [process {process['pid']}]")
    if thread := _THREAD.fullmatch(text):
        return CodeFrame(f"{clean(thread['name'] or 'thread')} [thread {thread['id']}]")
    if frame := _FRAME.fullmatch(text):
        return CodeFrame(clean(frame["name"]), clean(frame["file"]), int(frame["line"] or 0))
    return CodeFrame(_no_number(clean(text)) if text.strip() else NO_FRAME)


def program(command: str) -> str:
    """Return what a command line runs, without its arguments: "python serve.py", "python -m engine.launch"."""
    words = command.split() or ["?"]
    name = words[0].rpartition("/")[2]
    for place, word in enumerate(words[1:], 1):
        if word == "-m" and place + 1 < len(words):
            return clean(f"{name} -m {words[place + 1]}")
        if word in _SHELL_LIKE:
            return clean(f"{name} {word}")
        if not word.startswith("-"):
            return clean(f"{name} {word.rpartition('/')[2]}" if name.startswith("python") else name)
    return clean(name)


def clean(text: str) -> str:
    """Return the name of a function or a file in one line, longer than those of segments may be."""
    return labels.clean(text, unnamed="?", most=_LONGEST)


def _no_number(text: str) -> str:
    """Return a name that does not end in a number behind a space: viewers would take that for a count."""
    head, _, last = text.rpartition(" ")
    return f"{head} [{last}]" if head and last.replace(".", "").isdecimal() else text


def _whole_lines(pieces: Iterable[str]) -> Iterator[str]:
    """Yield lines; one that was broken inside the quotes of a command line is put together."""
    line = ""
    for piece in pieces:
        line = f"{line}\n{piece}" if line else piece
        last = [*_OPENED.finditer(line)][-1:]
        if not last or '";' in line[last[0].end() :]:
            yield line
            line = ""


def _split(stack: str) -> list[str]:
    """Return the texts of the frames; a separator in a command line or in the name of a thread stays in it."""
    texts: list[str] = []
    for piece in stack.split(";"):
        opened = bool(texts) and texts[-1].startswith("process ") and not texts[-1].endswith('"')
        begins = _FRAME.fullmatch(piece) or _THREAD.fullmatch(piece) or piece.startswith("process ")
        if texts and (opened or not begins):
            texts[-1] += ";" + piece
        else:
            texts.append(piece)
    return texts
