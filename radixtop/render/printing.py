"""Lines on their way to stdout: colours on a terminal, plain text anywhere else."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import TextIO

from radixtop.render.lines import Line, plain

NARROWEST, WIDEST = 64, 120
PIPE_WIDTH = 80


def width_of_output(out: TextIO | None = None) -> int:
    """Return how many cells a line may take: those of the terminal within reason, 80 where there is none."""
    out = out or sys.stdout
    if not out.isatty():
        return PIPE_WIDTH
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((PIPE_WIDTH, 24)).columns))


def print_lines(lines: Iterable[Line], out: TextIO | None = None) -> None:
    """Write lines to stdout, or to another stream."""
    out = out or sys.stdout
    if not out.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        out.writelines(text + "\n" for text in plain(lines))
        return
    from rich.console import Console
    from rich.text import Text

    from radixtop.render.palette import palette

    console = Console(file=out, highlight=False, markup=False)
    styles = palette("ansi", "ansi")  # of the ground they stand on nothing is known
    for line in lines:
        console.print(Text.assemble(*((text, styles[role]) for text, role in line)), no_wrap=True, crop=False)
