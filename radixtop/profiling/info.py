"""`radixtop profile info`: what a recording is, at a glance."""

from __future__ import annotations

from typing import Annotated

import typer

from radixtop import options as flag


def info(
    file: flag.RecordingFile,
    check: Annotated[bool, typer.Option("--check", help="Read every block, so that all damage is found.")] = False,
    json: flag.Document = False,
) -> None:
    """Say what a recording is: of what and of when, how many records of which kinds, how it ended, what is lost.

    Example: radixtop profile info run.rtrec --json
    """
    import sys
    from json import dumps

    from profiles.overview import overview
    from profiles.plain import plain
    from radixtop.reports.overview_text import lines

    found = overview(file, check)
    for line in [dumps(plain(found), indent=1)] if json else lines(found):
        sys.stdout.write(line + "\n")
