"""Watching without a screen: until interrupted or over, with metrics to scrape meanwhile and a report at last."""

from __future__ import annotations

import math
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from probes.snapshot import Snapshot
from radixtop.errors import FAILED, INTERRUPTED, OK
from radixtop.fleet.opening import has_several_ranks
from radixtop.metrics.prometheus import Metrics
from radixtop.output import tell_missing
from radixtop.printable import tell
from radixtop.reports.report import document
from radixtop.screenless.headless import write_report
from radixtop.screenless.telling import BREATH_S, tell_unreached
from radixtop.session import Session


@dataclass(frozen=True, slots=True)
class Unattended:
    """How to watch without a screen: what the report is like, for how long at most, and how long between looks."""

    as_json: bool = False
    duration_s: float | None = None
    tick_s: float = 0.25


class Stop:
    """The signal that asked to leave, 0 before one did."""

    def __init__(self) -> None:
        self.signal = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Take a signal; the second SIGINT does not wait for anything."""
        if self.signal == number == signal.SIGINT:
            raise KeyboardInterrupt
        self.signal = number


def is_unattended(is_asked: bool, prometheus: str | None) -> bool:
    """Return whether to go without a screen: when told, or when there are metrics to serve and no terminal."""
    return is_asked or (prometheus is not None and not sys.stdout.isatty())


def report_watch(session: Session, metrics: Metrics, how: Unattended) -> int:
    """Watch `session`, close it, write the report to stdout, and return the exit code.

    It ends when SIGINT or SIGTERM asks for that, when its time is up, or, where nobody scrapes it, with its source.
    """
    session.gather()
    try:
        with _heard() as stop:
            metrics.narrate()
            if how.duration_s is None and (metrics.url or not session.has_end):
                tell("watching until interrupted; one moment: --once")
            snapshot = _watch(session, metrics, how, stop)
        write_report(document(snapshot, {"duration_s": _counted_s(snapshot)}, session.evidence()), how.as_json)
    finally:
        session.close()
    tell_missing(snapshot.source.name, snapshot.source.missing)
    session.check()
    if stop.signal:
        return INTERRUPTED if stop.signal == signal.SIGINT else OK
    if has_several_ranks(snapshot):
        return tell_unreached(snapshot)
    if snapshot.source.state == "lost" or _has_not_begun(session, snapshot):
        tell(f"{snapshot.source.name}: {snapshot.source.message}")
        return FAILED
    return tell_unreached(snapshot)


def _has_not_begun(session: Session, snapshot: Snapshot) -> bool:
    return snapshot.source.state == "starting" and session.longest_start_s < math.inf


def _counted_s(snapshot: Snapshot) -> float | None:
    """Return how long what is counted took: a ring has some of what was before the watch, a replay is soon over."""
    until = snapshot.at if snapshot.source.state == "replay" else snapshot.now
    return round((until - snapshot.since) / 1e9, 3) if snapshot.since else None


def _watch(session: Session, metrics: Metrics, how: Unattended, stop: Stop) -> Snapshot:
    """Tick until it is time to leave, and return the last snapshot."""
    began = time.monotonic()
    deadline = math.inf if how.duration_s is None else began + how.duration_s
    while True:
        snapshot = session.tick(time.perf_counter_ns())
        metrics.put(snapshot)
        is_late = time.monotonic() >= deadline
        if snapshot.source.state == "starting":
            has_failed = session.has_failed(snapshot) and session.longest_start_s < math.inf
            is_late = is_late or has_failed or time.monotonic() >= began + session.longest_start_s
        if stop.signal or is_late or (not metrics.url and session.is_over(snapshot)):
            return snapshot
        time.sleep(BREATH_S if snapshot.source.has_more else how.tick_s)


@contextmanager
def _heard() -> Iterator[Stop]:
    """Take SIGINT and SIGTERM as a wish to leave in order."""
    stop = Stop()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, taken in before.items():
            signal.signal(number, taken)
