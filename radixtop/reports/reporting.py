"""From a recording to a report on stdout or in a file: what the report commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from probes.recordings.missing import Missing
from profiles.plain import json_text
from profiles.profile import RecordedProfile
from profiles.report import Report, Stream, document, read
from radixtop.output import opened, tell_missing, tell_written
from radixtop.render.lines import Line, plain
from radixtop.render.printing import PIPE_WIDTH, print_lines, width_of_output

R = TypeVar("R")


def result_of(file: Path, make: Callable[[Stream], Report[R]]) -> tuple[R, str, Missing]:
    """Return the result of a report on a recording, its title, and what is missing of it, which is told on stderr."""
    with RecordedProfile(file) as profile:
        result = read(profile, make)
        tell_missing(file, profile.missing)
        return result, profile.title, profile.missing


def write_document(
    name: str,
    result: object,
    output: Path | None,
    source: Path,
    missing: Missing,
    more: Mapping[str, object] | None = None,
) -> None:
    """Write a result as one JSON document, with what is missing of its recording, and more under names of its own."""
    told = document(name, result, {"missing": missing.document(), **(more or {})})
    write_text(json_text(told, indent=2) + "\n", output, source)


def write_lines(lines: Callable[[int], Iterable[Line]], output: Path | None, source: Path) -> None:
    """Write the lines that fit a width: coloured on a terminal, plain anywhere else."""
    if output is None:
        print_lines(lines(width_of_output()))
    else:
        write_text("".join(text + "\n" for text in plain(lines(PIPE_WIDTH))), output, source)


def write_text(text: str, output: Path | None, source: Path) -> None:
    """Write a text to stdout, or to a file that is not the recording itself."""
    if output is None:
        sys.stdout.write(text)
        return
    with opened(output, source=source) as out:
        out.write(text.encode("utf-8", "replace"))
    tell_written(output)
