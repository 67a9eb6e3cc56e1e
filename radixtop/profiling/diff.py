"""`radixtop profile diff`: what differs between two recordings, or between two moments of one."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from profiles.diff.format import DIFF_FORMATS
from radixtop import options as flag
from radixtop.errors import UsageError

if TYPE_CHECKING:
    from profiles.diff.difference import Difference


def diff(
    before: Annotated[Path, typer.Argument(metavar="A", help="A recording.")],
    after: Annotated[Path | None, typer.Argument(metavar="[B]", help="A later one; or --from and --to.")] = None,
    from_: Annotated[str, typer.Option("--from", metavar="TIME", help="A moment of A, such as 10s.")] = "",
    to: Annotated[str, typer.Option("--to", metavar="TIME", help="A moment of A, or its end.")] = "",
    format: Annotated[str, flag.choice("--format", DIFF_FORMATS, "How it is shown.")] = "table",
    weight: flag.Weight = "tokens",
    top: Annotated[int, typer.Option("--top", metavar="N", min=1, help="Frames in the table.")] = 20,
    full: flag.Full = False,
    output: flag.Output = None,
) -> None:
    """Say what differs between two recordings, or two moments of one: what came, what left, what stayed.

    Frames are compared by content, wherever each side cuts it. Times count from the start of the recording; what
    adds up over a run (hits, evictions) counts up to each moment, what is in the cache is that of the moment.

    Example: radixtop profile diff run.rtrec --from 10s --to 40s --format html -o diff.html
    """
    from profiles.diff.format import DiffOptions, write_difference
    from radixtop.output import opened, spare, tell_written

    if (after is None) == (not from_ and not to):
        raise UsageError("two things make a difference", "give two recordings, or one with --from and --to")
    if output is not None and after is not None:
        spare(after, output)
    difference = _of_moments(before, from_ or "0s", to or "end") if after is None else _of_runs(before, after)
    shown = output is None and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if shown else None
    parts = None if full else DiffOptions().parts
    options = DiffOptions(weight, parts, top, width, colour=shown and "NO_COLOR" not in os.environ)
    with opened(output, is_text=DIFF_FORMATS.load(format).is_text, source=before) as out:
        write_difference(difference, format, options, out)
    tell_written(output)


def _of_runs(before: Path, after: Path) -> Difference:
    """Compare two recordings; they are called by their file names, which differ where their workloads do not."""
    from dataclasses import replace

    from profiles.diff.difference import compare
    from profiles.diff.instants import forests_of
    from profiles.labels import clean
    from profiles.profile import RecordedProfile
    from radixtop.output import tell_missing

    with RecordedProfile(before) as one, RecordedProfile(after) as other:
        sides = forests_of((one, other))
        tell_missing(before, one.missing)
        tell_missing(after, other.missing)
    old, new = (replace(forest, title=clean(path.name)) for forest, path in zip(sides, (before, after), strict=True))
    return compare(old, new)


def _of_moments(path: Path, from_: str, to: str) -> Difference:
    from dataclasses import replace

    from profiles.diff.difference import compare
    from profiles.diff.instants import END, forests_at, instant_ns
    from profiles.profile import RecordedProfile
    from radixtop.output import tell_missing
    from radixtop.printable import tell

    times = instant_ns(from_), instant_ns(to)
    with RecordedProfile(path) as profile:
        found = forests_at(profile, times)
        tell_missing(path, profile.missing)
    for text, time in zip((from_, to), times, strict=True):
        if found.length_ns < time < END:
            tell(f"{path}: ends {found.length_ns / 1e9:.1f} s after its start, before {text}")
    sides = [replace(forest, title=f"{forest.title} at {text}".strip())
             for forest, text in zip(found.forests, (from_, to), strict=True)]  # fmt: skip
    return compare(sides[0], sides[1], one_run=times[0] <= times[1])
