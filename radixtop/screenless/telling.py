"""Telling of a cache without a screen: one moment as text or JSON, or a JSON line at every look.

Data goes to stdout and nothing else does. Whoever reads it may leave: a closed pipe ends it quietly.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from profiles.plain import json_text
from radixtop.errors import FAILED, OK, UsageError
from radixtop.fleet.opening import fleet_first, has_several_ranks
from radixtop.metrics.prometheus import Metrics
from radixtop.needs import is_terminal
from radixtop.output import tell_missing
from radixtop.printable import tell
from radixtop.reports.report import Document, document
from radixtop.settings.setting import Settings

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from profiles.evidence.evidence import Evidence
    from radixtop.session import Session

TICK_S = 0.25
"""The longest time between two looks into a ring: it is emptied before its writer comes round."""

BREATH_S = 0.005
"""The time between two looks while more has come than one look takes in: who fetches it gets a turn."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What was asked for: one moment (`once`) or every one (`watch`), as JSON or as text."""

    once: bool
    watch: bool
    as_json: bool

    def __bool__(self) -> bool:
        return self.once or self.watch

    @classmethod
    def asked(cls, once: bool, watch: bool, as_json: bool, headless: bool, serves: bool = False) -> Telling:
        """Return what flags ask for. Raises UsageError for flags that contradict each other.

        Where stdout is no terminal that can show the dashboard, one moment is told; unless metrics are served there.
        """
        if once and watch:
            raise UsageError("--once is one moment, --watch is all of them", "leave one of them out")
        if watch and not as_json:
            raise UsageError("--watch does nothing without --json", "add that; for the screen leave --watch out")
        if headless and (once or watch):
            raise UsageError(f"--headless reports at the end, {'--once' if once else '--watch'} does not wait for it")
        is_unsaid = not (watch or headless or as_json or serves)
        return cls(once or (is_unsaid and not is_terminal(sys.stdout)), watch, as_json)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a moment is shown with: the source's title, the settings, and how long is looked before it is told."""

    title: str
    settings: Settings
    seconds: float | None = None


def tell_of(session: Session, metrics: Metrics, telling: Telling, shown: Shown) -> int:
    """Tell of a session on stdout, close it, and return the exit code: 1 when its cache was lost."""
    if not telling.watch and (telling.as_json or shown.settings.view == "why"):
        session.gather()
    try:
        metrics.narrate()
        looks = _looks(session, metrics, min(TICK_S, shown.settings.interval))
        if telling.watch:
            snapshot = _stream(session, looks, shown)
        else:
            snapshot = _moment(session, looks, shown)
            _tell_moment(session, snapshot, telling, shown)
    finally:
        session.close()
    tell_missing(snapshot.source.name, snapshot.source.missing)
    session.check()
    for fault in snapshot.faults:
        tell(fault)
    if has_several_ranks(snapshot):
        return tell_unreached(snapshot)
    if snapshot.source.state == "starting":
        tell(f"{snapshot.source.name} told nothing whole: {snapshot.source.message or 'it does not answer'}")
        return FAILED
    if snapshot.source.state == "lost":
        tell(f"{snapshot.source.name}: {snapshot.source.message}")
        return FAILED
    return tell_unreached(snapshot)


def _looks(session: Session, metrics: Metrics, seconds: float) -> Iterator[Snapshot]:
    """Yield a snapshot a tick, until nothing can come any more; a recording that is read at once needs no sleep."""
    while True:
        snapshot = session.tick(time.perf_counter_ns())
        metrics.put(snapshot)
        yield snapshot
        if session.is_over(snapshot):
            return
        time.sleep(0.0 if session.is_hurried else BREATH_S if snapshot.source.has_more else seconds)


def _moment(session: Session, looks: Iterator[Snapshot], shown: Shown) -> Snapshot:
    """Return the first snapshot that has seen the whole cache for as long as was asked: an interval unless told."""
    seconds = shown.settings.interval if shown.seconds is None else shown.seconds
    began = time.monotonic()
    due, is_whole = began + session.patience_s, False
    for snapshot in looks:
        if not is_whole and session.is_whole(snapshot):
            due, is_whole = time.monotonic() + seconds, True
        now = time.monotonic()
        is_read = is_whole or not session.is_catching_up() or now >= began + session.longest_patience_s
        if (now >= due and is_read) or session.has_failed(snapshot):
            break
    return snapshot


def tell_unreached(snapshot: Snapshot) -> int:
    """Say on stderr which servers, ranks and files are not there or tell nothing, and return the exit code."""
    from radixtop.fleet.reached import behind, empty, unreached, unread, untold  # of servers and files only

    away = unreached(snapshot) if has_several_ranks(snapshot) else ()
    lines = [*away, *untold(snapshot), *unread(snapshot), *behind(snapshot)]
    for line in (*lines, *empty(snapshot)):
        tell(line)
    return FAILED if lines else OK


def _stream(session: Session, looks: Iterator[Snapshot], shown: Shown) -> Snapshot:
    """Write a JSON line at every interval from the first whole snapshot on, and one for what came last."""
    due, told, is_whole = 0.0, False, False
    late = time.monotonic() + session.patience_s
    until = None if shown.seconds is None else time.monotonic() + shown.seconds
    for snapshot in looks:
        is_whole = is_whole or session.is_whole(snapshot) or time.monotonic() >= late
        told = is_whole and snapshot.source.state != "starting" and time.monotonic() >= due
        if told:
            due = time.monotonic() + shown.settings.interval
            _write(line_of(snapshot))
            if sys.__stdout__ is None:  # it was closed from the start: nobody will ever read a line
                raise BrokenPipeError
        if until is not None and time.monotonic() >= until:
            break
    if not told:
        _write(line_of(snapshot))
    return snapshot


def line_of(snapshot: Snapshot) -> str:
    """Return a snapshot as a JSON document in one line."""
    return json_text(moment_document(snapshot), separators=(",", ":"))


def moment_document(snapshot: Snapshot, evidence: Evidence | None = None) -> Document:
    """Return the report of a moment: when it is, how the source does, and what is known by then."""
    source = snapshot.source
    told = document(snapshot, {}, evidence)
    return {
        "schema": told.pop("schema"),
        "at": told.pop("at"),
        "source": {"name": source.name, "state": source.state, "message": source.message},
        **{name: value for name, value in told.items() if name not in ("kv_events", "integrity")},
    }


def _tell_moment(session: Session, snapshot: Snapshot, telling: Telling, shown: Shown) -> None:
    if telling.as_json:
        _write(json_text(moment_document(snapshot, session.evidence()), indent=2))
        return
    if session.is_dark(snapshot):
        return  # why, is told on stderr
    from radixtop.screenless.glance import lines_of  # the screens, which JSON can do without

    settings = fleet_first(shown.settings) if has_several_ranks(snapshot) else shown.settings
    _write("\n".join(lines_of(session, shown.title, settings)))


def _write(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
