"""The log of events: what is in it, what it costs in memory, and what it says of what is not."""

from __future__ import annotations

from cache_core.events import Label, NodeAdded, NodeLabelled, NodeRemoved, Pool, Tombstoned
from probes.builtin.event_log import KEPT_EVENTS, LOGGED, EventLog, EventLogProbe, EventLogSample, Gone, Missing
from probes.mirror import Mirror
from tests.support.records import added, record


def logged(*records: object) -> EventLogSample:
    probe = EventLogProbe(Mirror())
    for one in records:
        probe.observe(one)  # type: ignore[arg-type]
    return probe.sample(0)


def test_an_event_is_the_record_itself_under_its_number() -> None:
    removed = [record(Tombstoned, at=at) for at in range(3)]
    sample = logged(*removed)
    assert sample.events == 3
    assert all(a is b for a, b in zip(sample.log.span(1, 3), removed[1:], strict=True))


def test_what_states_how_things_are_is_no_event() -> None:
    assert logged(added(1, 0, 4), record(Pool)).events == 0
    assert NodeAdded not in LOGGED


def test_what_is_stored_is_an_event_where_nobody_tells_of_inserts_but_not_what_is_stated_again() -> None:
    mirror = Mirror()
    mirror.tells_use = False
    probe = EventLogProbe(mirror)
    for node, at in ((1, 5), (2, 7), (3, 7), (1, 5), (4, 9)):
        probe.observe(added(node, 0, 4, at=at))
    log = probe.sample(0).log
    assert [event[1] for event in log.span(0, 9)] == [1, 2, 3, 4]


def test_the_oldest_events_go_and_are_counted() -> None:
    log = EventLog(keep=3)
    log.extend([record(Tombstoned, at=at) for at in range(5)])
    assert (log.first, log.total) == (2, 5)
    assert [event[0] for event in log.span(0, 4)] == [2, 3]
    assert str(log) == "the newest 3 of 5 events"


def test_a_burst_of_any_size_leaves_the_newest() -> None:
    probe = EventLogProbe(Mirror())
    append = probe.folds()[Tombstoned]
    for at in range(KEPT_EVENTS + 7):
        append(record(Tombstoned, at=at))
    probe.advance(KEPT_EVENTS + 7, 0, 1)
    assert (probe.sample(0).log.first, probe.sample(0).events) == (7, KEPT_EVENTS + 7)


def test_a_loss_stands_between_the_events_around_it() -> None:
    probe = EventLogProbe(Mirror())
    probe.observe(record(Tombstoned, at=1))
    probe.lost()
    probe.observe(record(Tombstoned, at=2))
    log = probe.sample(0).log
    assert [type(event) for event in log.span(0, 9)] == [Tombstoned, Missing, Tombstoned]
    assert log.span(1, 2) == [Missing(1)]


def test_a_loss_before_the_first_event_has_no_time() -> None:
    probe = EventLogProbe(Mirror())
    probe.lost()
    assert probe.sample(0).log.span(0, 9) == [Missing(-1)]


def test_a_node_that_leaves_is_kept_as_it_was() -> None:
    mirror = Mirror()
    probe = EventLogProbe(mirror)
    for told in (added(7, 0, 64, start=0, content_key=99), Label(3, "chat"), record(NodeLabelled, node=7, label=3)):
        mirror.apply(told)
    for number in (7, 8):
        removed = record(NodeRemoved, at=5, node=number)
        probe.before()[NodeRemoved](removed)
        mirror.apply(removed)
    assert probe.sample(0).log.span(0, 9) == [Gone(5, 7, 0, 64, 99, ((0, 3),))]
