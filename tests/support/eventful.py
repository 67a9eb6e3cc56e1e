"""Pages of events, as an answerer cuts them."""

from __future__ import annotations

from collections.abc import Callable

from probes.builtin.event_log import EventLog, EventLogSample
from probes.snapshot import Snapshot, SourceState
from radixtop.eventlog.answerer import EventsAnswerer
from radixtop.eventlog.page import EventsPage, EventsQuestion
from tests.support.watched import CONFIG, NOW, SECOND, FakeSource


def snapshot_of(log: EventLog, lost: int = 0) -> Snapshot:
    """Return a snapshot of now with a log in it."""
    state = SourceState("fake", "live", dropped_records=lost, config=CONFIG)
    return Snapshot(1, NOW, NOW, state, {"event_log": EventLogSample(log.total, log)}, NOW - 83 * SECOND)


def page_of(
    log: EventLog, question: EventsQuestion, lost: int = 0, clock: Callable[[], int] = lambda: 0
) -> EventsPage:
    """Return the answer of an answerer that was made for it."""
    page = EventsAnswerer(clock).answer(FakeSource(), snapshot_of(log, lost), question)
    assert page is not None
    return page
