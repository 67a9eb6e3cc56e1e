"""The dashboard on something to watch: runs the screens, and ends what belongs to them."""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radixtop.errors import OK
from radixtop.metrics.prometheus import served_at
from radixtop.needs import need_terminal, need_torch
from radixtop.serving.run_config import RunConfig
from radixtop.source import follower_of
from radixtop.termination import TERMINATING, answered

if TYPE_CHECKING:
    from probes.engines.access import Access
    from probes.mirror import Mirror
    from probes.snapshot import Snapshot
    from probes.text_options import TextOptions
    from radixtop.engine_target import NetworkTarget
    from radixtop.playing.transport import Transport
    from radixtop.session import Session
    from radixtop.settings.setting import Settings
    from radixtop.source import Watched


_WITHOUT_A_SCREEN = "for a report without one: --headless --json"
_LEAVING = (*TERMINATING, signal.SIGQUIT, signal.SIGINT)
_WHERE_THERE_IS_NONE = "run it in a terminal that can show it, or add --headless"


@dataclass(frozen=True, slots=True)
class Showing:
    """How a source is shown: under which title, with which settings, and what to do where no screen can be drawn."""

    title: str
    settings: Settings
    otherwise: str


class LateSession:
    """A session that is put together at its first tick: the screen comes first, what fills it after."""

    def __init__(self, begin: Callable[[], Session]) -> None:
        self._begin = begin
        self._session: Session | None = None
        self._fault: Exception | None = None

    @property
    def mirror(self) -> Mirror | None:
        """The tree, once the session has begun."""
        return None if self._session is None else self._session.mirror

    @property
    def transport(self) -> Transport | None:
        """The controls of its time, once the session has begun."""
        return None if self._session is None else self._session.transport

    def begin(self) -> Session:
        """Put the session together, unless that was done."""
        if self._session is None:
            try:
                self._session = self._begin()
            except Exception as fault:
                self._fault = fault
                raise
            finally:
                gc.enable()
        return self._session

    def tick(self, now: int) -> Snapshot:
        """Begin if need be and return every sample as of `now`."""
        return self.begin().tick(now)

    def follow(self, server: str, rank: int) -> str:
        """See Follower. Raises RadixtopError where one cache is watched."""
        return follower_of(self.begin()).follow(server, rank)

    def close(self) -> None:
        """End the session."""
        if self._session is not None:
            self._session.close()

    def check(self) -> None:
        """Raise why the session could not begin, or what went wrong with it."""
        if self._fault is not None:
            raise self._fault
        if self._session is not None:
            self._session.check()


def watch_run(run: RunConfig, settings: Settings, prometheus: str | None = None) -> int:
    """Start `run`, show it until the user leaves, end it, and return the exit code."""
    need_torch()
    gc.disable()  # what a start makes is no garbage; looking for some takes a tenth of the time to the first frame
    with served_at(prometheus) as metrics:
        title = metrics.titled(f"live {run.workload} · {run.model}")
        source = metrics.watching(LateSession(lambda: _live(run, settings.history)))
        return watch(source, Showing(title, settings, _WITHOUT_A_SCREEN))


def watch_target(target: str | None, settings: Settings, prometheus: str | None = None) -> int:
    """Show the cache of another process, the only one there is unless told, and return the exit code.

    Raises UsageError for a target of no known form, RingError when that process publishes nothing.
    """
    from radixtop.target import only_target, target_of

    gc.disable()
    ring = only_target() if target is None else target_of(target)
    session = LateSession(lambda: _attached(str(ring), settings.history))
    if not ring.is_there:
        session.begin()  # which says why not
    with served_at(prometheus) as metrics:
        return watch(metrics.watching(session), Showing(metrics.titled(str(ring)), settings, _WHERE_THERE_IS_NONE))


def watch_network(
    targets: Sequence[NetworkTarget],
    access: Access,
    settings: Settings,
    prometheus: str | None = None,
    text: TextOptions | None = None,
) -> int:
    """Show servers and streams of KV events, and return the exit code. They need not be there: the screen says so."""
    from radixtop.engine_target import title_of
    from radixtop.fleet.opening import fleet_first

    gc.disable()
    session = LateSession(lambda: _reached(targets, access, text))
    with served_at(prometheus) as metrics:
        settings = fleet_first(settings) if len(targets) > 1 else settings
        showing = Showing(metrics.titled(title_of(targets)), settings, _WHERE_THERE_IS_NONE)
        return watch(metrics.watching(session), showing)


def _reached(targets: Sequence[NetworkTarget], access: Access, text: TextOptions | None) -> Session:
    from radixtop.network_session import NetworkSession

    return NetworkSession(targets, access, text)


def _live(run: RunConfig, history_bytes: int) -> Session:
    from radixtop.session import LiveSession

    return LiveSession(run, history_bytes)


def _attached(target: str, history_bytes: int) -> Session:
    from radixtop.session import attach

    return attach(target, history_bytes)


def watch(source: Watched, showing: Showing) -> int:
    """Show `source` until the user leaves, close it, and return the exit code."""
    try:
        need_terminal(showing.otherwise)
        from radixtop.app import RadixtopApp
        from radixtop.garbage import set_aside

        app = RadixtopApp(source, title=showing.title, settings=showing.settings, at_rest=set_aside)
        # A terminal that is asked to end leaves like `q` does, but for the exit code: the screen restored, the worker
        # ended in order.
        with answered(dict.fromkeys(_LEAVING, lambda number, _: app.call_later(app.leave_at, number))):
            app.run(mouse=showing.settings.mouse)
    finally:
        source.close()
    source.check()
    return app.return_code or OK
