"""`radixtop attach`: watch the cache of a process that runs already."""

from __future__ import annotations

from typing import Annotated

import typer

from radixtop import options as flag
from radixtop.command import command_app
from radixtop.errors import UsageError
from radixtop.settings.flags import with_settings
from radixtop.settings.setting import Settings

app = command_app()


@app.command()
@with_settings
def attach(
    target: Annotated[
        str | None,
        typer.Argument(metavar="[TARGET]", help="PID, shm:PID or shm:PID-RANK; unless told the only one there is."),
    ] = None,
    headless: flag.Headless = False,
    json: flag.Json = False,
    once: flag.Once = False,
    watch: flag.Watch = False,
    duration: flag.Duration = None,
    prometheus: flag.Prometheus = None,
    *,
    settings: Settings,
) -> int:
    """Watch the cache of a process that runs already.

    The process is one that called radixtop.attach(cache), or the worker of a `radixtop live`, which that may stand
    for. It is not disturbed and lives on. A PID of no such process is answered with the targets that there are.
    With --prometheus and where there is no terminal, metrics are served without a screen until it is interrupted.

    Example: radixtop attach 4711
    """
    from radixtop.metrics.prometheus import served_at
    from radixtop.screenless.telling import Shown, Telling, tell_of
    from radixtop.screenless.unattended import Unattended, is_unattended, report_watch
    from radixtop.session import attach as attach_to
    from radixtop.target import only_target, target_of
    from radixtop.watch import watch_target

    telling = Telling.asked(once, watch, json, headless, prometheus is not None)
    without_screen = not telling and is_unattended(headless or json, prometheus)
    if duration is not None and not (without_screen or telling):
        raise UsageError("--duration does nothing without --headless", "add that, or leave it out")
    if not (telling or without_screen):
        return watch_target(target, settings, prometheus)
    target = str(only_target() if target is None else target_of(target))
    with served_at(prometheus) as metrics:
        session = attach_to(target)
        if telling:
            return tell_of(session, metrics, telling, Shown(metrics.titled(target), settings, duration))
        return report_watch(session, metrics, Unattended(json, duration))
