"""`radixtop play`: watch a recording in the same screens."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from radixtop import options as flag
from radixtop.command import command_app
from radixtop.errors import UsageError
from radixtop.quantities import moment_ns
from radixtop.settings.flags import with_settings
from radixtop.settings.setting import Settings

app = command_app()


@app.command()
@with_settings
def play(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that --record made.")],
    speed: Annotated[
        float | None, typer.Option("--speed", min=0.01, max=1e6, metavar="X", help="How much faster.")
    ] = None,
    at: Annotated[
        int | None,
        typer.Option("--at", metavar="TIME", parser=moment_ns, help="Begin at 12.5s, 2m or 01:40 of the recording."),
    ] = None,
    paused: Annotated[bool, typer.Option("--paused", help="Stand still there.")] = False,
    headless: flag.Headless = False,
    json: flag.Json = False,
    once: flag.Once = False,
    watch: flag.Watch = False,
    prometheus: flag.Prometheus = None,
    *,
    settings: Settings,
) -> int:
    """Watch a recording in the same screens.

    Without a screen it is read through at once, unless --speed or --prometheus ask for its own pace. Metrics are
    those of the moment that is played; without a screen they are served until it is interrupted.

    Example: radixtop play run.rtrec --at 01:40 --paused
    """
    from radixtop.metrics.prometheus import served_at
    from radixtop.playing.saved_run import SavedRun
    from radixtop.screenless.telling import Shown, Telling, tell_of
    from radixtop.screenless.unattended import Unattended, is_unattended, report_watch
    from radixtop.session import PlaySession
    from radixtop.watch import Showing
    from radixtop.watch import watch as show

    telling = Telling.asked(once, watch, json, headless, prometheus is not None)
    without_screen = not telling and is_unattended(headless or json, prometheus)
    if (at is not None or paused) and (telling or without_screen):
        raise UsageError(
            "--at and --paused are for the screen", "leave them out to read the recording from its start"
        )
    with served_at(prometheus) as metrics:
        title = metrics.titled(file.name)
        if telling:
            pace = math.inf if telling.once else speed or 1.0
            return tell_of(PlaySession(file, pace), metrics, telling, Shown(title, settings, math.inf))
        if without_screen:
            at_once = speed is None and prometheus is None
            session = PlaySession(file, math.inf if at_once else speed or 1.0)
            return report_watch(session, metrics, Unattended(json, tick_s=0.0 if at_once else 0.25))
        otherwise = "to export the recording: radixtop profile flame FILE; for a report: --headless"
        run = SavedRun(file)
        run.begin(at or 0, speed or 1.0, is_paused=paused)
        return show(metrics.watching(run), Showing(title, settings, otherwise))
