"""The dashboard on something to watch: runs the screens, and ends what belongs to them."""

from __future__ import annotations

import gc
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radixtop.errors import OK
from radixtop.needs import need_terminal, need_torch
from radixtop.prometheus import served_at
from radixtop.run_config import RunConfig
from radixtop.termination import TERMINATING, answered

if TYPE_CHECKING:
    from probes.mirror import Mirror
    from probes.snapshot import Snapshot
    from radixtop.session import LiveSession
    from radixtop.setting import Settings
    from radixtop.source import Watched
    from radixtop.transport import Transport


HISTORY_BYTES = 64_000_000
"""How much of what is watched is kept unless told."""

_WITHOUT_A_SCREEN = "for a report without one: --headless --json"


@dataclass(frozen=True, slots=True)
class Showing:
    """How a source is shown: under which title, with which settings, and what to do where no screen can be drawn."""

    title: str
    settings: Settings
    otherwise: str


class LiveRun:
    """A live session that is put together at its first tick: the screen comes first, what fills it after."""

    def __init__(self, run: RunConfig, history_bytes: int) -> None:
        self._run = run
        self._history_bytes = history_bytes
        self._session: LiveSession | None = None

    @property
    def mirror(self) -> Mirror | None:
        """The tree, once the worker was started."""
        return None if self._session is None else self._session.mirror

    @property
    def transport(self) -> Transport | None:
        """The controls of its time, once the worker was started."""
        return None if self._session is None else self._session.transport

    def tick(self, now: int) -> Snapshot:
        """Start the worker if need be and return every sample as of `now`."""
        if self._session is None:
            from radixtop.session import LiveSession

            self._session = LiveSession(self._run, self._history_bytes)
            gc.enable()
        return self._session.tick(now)

    def close(self) -> None:
        """End the worker."""
        if self._session is not None:
            self._session.close()

    def check(self) -> None:
        """Raise what ended the worker before its time, or what stopped its recording."""
        if self._session is not None:
            self._session.check()


def watch_run(
    run: RunConfig, settings: Settings, history_bytes: int = HISTORY_BYTES, prometheus: str | None = None
) -> int:
    """Start `run`, show it until the user leaves, end it, and return the exit code.

    So many bytes of it are kept to go back to.
    """
    need_torch()
    gc.disable()  # what a start makes is no garbage; looking for some takes a tenth of the time to the first frame
    with served_at(prometheus) as metrics:
        title = metrics.titled(f"live {run.workload} · {run.model}")
        source = metrics.watching(LiveRun(run, history_bytes))
        return watch(source, Showing(title, settings, _WITHOUT_A_SCREEN))


def watch(source: Watched, showing: Showing) -> int:
    """Show `source` until the user leaves, close it, and return the exit code."""
    try:
        need_terminal(showing.otherwise)
        from radixtop.app import RadixtopApp

        app = RadixtopApp(source, title=showing.title, settings=showing.settings)
        # A terminal that is asked to end leaves like `q` does: the screen restored, the worker ended in order.
        leave, interrupt = (lambda *_: app.call_later(app.exit)), (lambda *_: app.call_later(app.action_interrupt))
        with answered({**dict.fromkeys(TERMINATING, leave), signal.SIGINT: interrupt}):
            app.run(mouse=showing.settings.mouse)
    finally:
        source.close()
    source.check()
    return app.return_code or OK
