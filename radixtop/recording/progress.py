"""How a recording is told while it is made: a line that is written over on a terminal, now and then one elsewhere."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TextIO

from radixtop.render.lines import clean
from radixtop.render.units import count, elapsed, grouped, rate, size

TERMINAL_NS = 250_000_000
FILE_NS = 10_000_000_000
"""How long a line stands until the next one."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a recording is. `waiting` says what it waits for or what is wrong, `held_bytes` what memory holds."""

    elapsed_ns: int
    records: int
    records_per_s: float | None
    size_bytes: int
    lost_records: int
    torn_blocks: int
    held_bytes: int | None = None
    waiting: str = ""


def progress_line(progress: Progress) -> str:
    """Return the line of a moment."""
    held = "" if progress.held_bytes is None else f"{size(progress.held_bytes)} held"
    parts = (
        elapsed(progress.elapsed_ns),
        f"{count(progress.records)} records",
        rate(progress.records_per_s),
        size(progress.size_bytes),
        held,
        losses(progress.lost_records, progress.torn_blocks),
        progress.waiting,
    )
    return "  ".join(part for part in parts if part)


def losses(lost_records: int, torn_blocks: int) -> str:
    """Return what was lost, in words."""
    torn = f", {grouped(torn_blocks)} blocks torn" if torn_blocks else ""
    return f"{grouped(lost_records)} lost{torn}"


class Narrator:
    """Writes to a stream that may be a terminal, or may be gone: then it is silent."""

    def __init__(self, stream: TextIO, silent: bool = False) -> None:
        """Write to `stream`; `silent` keeps everything but `end` back, for a terminal that someone else draws on."""
        self._stream = stream
        self._silent = silent
        self._is_terminal = stream.isatty()
        self._drawn = 0
        self._due_at: int | None = None

    def say(self, text: str) -> None:
        """Write a line that stays."""
        if not self._silent:
            self.end(text)

    def end(self, text: str) -> None:
        """Write a line that stays, whoever else draws there: they are done."""
        self._write(self._cleared() + clean(text) + "\n")

    def is_due(self, now: int) -> bool:
        """Say whether it is time for a line of progress."""
        if self._due_at is None and not self._is_terminal:
            self._due_at = now + FILE_NS  # a short run in a script needs none
        return not self._silent and (self._due_at is None or now >= self._due_at)

    def show(self, line: str, now: int) -> None:
        """Write a line of progress."""
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            line = clean(line)[:width]
            self._write("\r" + line.ljust(self._drawn))
            self._drawn = len(line)
            self._due_at = now + TERMINAL_NS
        else:
            self._write(clean(line) + "\n")
            self._due_at = now + FILE_NS

    def _cleared(self) -> str:
        blank = "\r" + " " * self._drawn + "\r" if self._drawn else ""
        self._drawn = 0
        return blank

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._silent = True
