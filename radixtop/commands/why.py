"""`radixtop why`: what costs hits, since when, how sure that is, and what to change."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from radixtop import options as flag
from radixtop.command import command_app, require_use
from radixtop.errors import OK, UsageError
from radixtop.quantities import moment_ns
from radixtop.quantities import seconds as duration_s

if TYPE_CHECKING:
    from collections.abc import Sequence

    from profiles.finding import Finding
    from radixtop.why.looking import Looked

app = command_app()

REACHED = 3
"""The exit code when findings reach the threshold."""

LEVELS = ("note", "warn", "alarm")

PART = "only a whole recording is replayed: leave out --from and --to"
WATCHED = "what is watched is not kept: radixtop record TARGET saves a run, which can be replayed"

Source = Annotated[
    str | None,
    typer.Argument(
        metavar="[TARGET|FILE]",
        help="A recording, or PID, shm:PID or shm:PID-RANK; without one, the only process that publishes.",
    ),
]
Threshold = Annotated[
    str | None, flag.choice("--threshold", LEVELS, "Exit with 3 when a finding is as severe as that.")
]
From = Annotated[
    int | None,
    typer.Option("--from", metavar="TIME", parser=moment_ns, help="Of a recording: from 12.5s, 2m or 01:40 on."),
]
To = Annotated[int | None, typer.Option("--to", metavar="TIME", parser=moment_ns, help="Up to there.")]
Watched = Annotated[
    float, typer.Option("--seconds", metavar="N", parser=duration_s, help="How long a process is watched.")
]
WhatIf = Annotated[
    bool, typer.Option("--what-if/--no-what-if", help="Replay a recording with each change to see what it gives.")
]
Limit = Annotated[float, typer.Option("--limit", metavar="S", min=0.1, max=1e6, help="Seconds for all replays.")]


@app.command(no_args_is_help=False)
def why(
    context: typer.Context,
    source: Source = None,
    json: flag.Document = False,
    threshold: Threshold = None,
    from_: From = None,
    to: To = None,
    watched: Watched = "10s",  # type: ignore[assignment]
    what_if: WhatIf = True,
    limit: Limit = 60.0,
) -> int:
    """Say what costs hits: since when, with which evidence, how sure, what to change, and what that would give.

    Findings are ranked by the tokens that were computed for want of a hit, causes before their symptoms. Of a
    recording each change that a replay can make is replayed. With --from what happens from then on is compared with
    what was before.

    Example: radixtop why run.rtrec --threshold warn
    """
    from radixtop.why.looking import is_recording, look_at_file, look_at_target

    replayed: Path | str
    if source is not None and is_recording(source):
        require_use(context, {"watched": (False, "a process to watch")})
        looked = look_at_file(Path(source), from_ or 0, inf if to is None else to)
        replayed = Path(source) if from_ is None and to is None else PART
    elif from_ is not None or to is not None:
        raise UsageError("--from and --to are moments of a recording", "name a FILE, or leave them out")
    else:
        looked, replayed = look_at_target(source, watched), WATCHED
    return _tell(looked, _found(looked, replayed if what_if else "", limit), json, threshold)


def _found(looked: Looked, replayed: Path | str, limit_s: float) -> Sequence[Finding]:
    """Return the findings: with gains if there is a recording to replay, else with the reason, if one is given."""
    from probes.errors import RecordingError
    from profiles.profile import RecordedProfile
    from profiles.ranking import diagnose
    from radixtop.printable import tell
    from radixtop.why.what_if import Replays, measured, unmeasured

    findings = diagnose(looked.evidence)
    if isinstance(replayed, str):
        return unmeasured(findings, replayed)
    try:
        with RecordedProfile(replayed) as profile:
            return measured(profile, looked.evidence, findings, Replays(limit_s, tell))
    except RecordingError as error:
        tell(f"nothing is replayed: {error}")
        return unmeasured(findings, error.message)


def _tell(looked: Looked, findings: Sequence[Finding], as_json: bool, threshold: str | None) -> int:
    from profiles.finding import SEVERITIES, at_least
    from profiles.plain import json_text
    from radixtop.output import tell_missing
    from radixtop.render.printing import width_of_output
    from radixtop.why.telling import document_of, lines_of

    level = next((severity for severity in SEVERITIES if severity == threshold), None)
    tell_missing(looked.name, looked.missing)
    if as_json:
        typer.echo(json_text(document_of(looked.name, looked.evidence, findings, level, looked.missing), indent=2))
    else:
        typer.echo("\n".join(lines_of(looked.name, looked.evidence, findings, width_of_output())))
    return REACHED if level and any(at_least(finding, level) for finding in findings) else OK
