"""Which events a page holds: the newest ones, those before an anchor, those that match."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core.events import EngineStep, NodeAdded, RequestRefused
from probes.builtin.event_log import LOGGED, EventLog, Gone, Missing
from probes.travel.moment import Moment
from radixtop.eventlog.answerer import BUDGET_NS, EventsAnswerer, lately
from radixtop.eventlog.kinds import CHOICES, KIND_OF, classes_of
from radixtop.eventlog.page import EventsQuestion
from radixtop.eventlog.search import SLICE_EVENTS
from tests.support.eventful import page_of, snapshot_of
from tests.support.happenings import happenings, log_of
from tests.support.watched import NOW, SECOND, FakeSource

if TYPE_CHECKING:
    from radixtop.playing.transport import Transport


def numbers(log: EventLog, question: EventsQuestion) -> list[int]:
    return [row.number for row in page_of(log, question).rows]


def removals(count: int) -> EventLog:
    return log_of([Gone(NOW - count + at, at, 0, 1, 0, ()) for at in range(count)])


def test_every_event_has_a_kind_and_every_kind_is_a_choice() -> None:
    assert set(KIND_OF) == {*LOGGED, NodeAdded, Gone, Missing}
    assert set(KIND_OF.values()) - {"losses"} == set(CHOICES) - {"all"}


def test_a_page_that_follows_ends_at_the_newest_event() -> None:
    assert numbers(removals(9), EventsQuestion(3)) == [6, 7, 8]


class Recording:
    """A transport of a recording that began so many seconds ago."""

    moment = Moment(NOW, NOW - 20 * SECOND, NOW, NOW - 20 * SECOND)


def test_times_in_a_recording_count_from_its_start_and_else_from_that_of_the_cache() -> None:
    source, log = FakeSource(), removals(3)
    live = EventsAnswerer(lambda: 0).answer(source, snapshot_of(log), EventsQuestion(3))
    source.transport = cast("Transport", Recording())
    saved = EventsAnswerer(lambda: 0).answer(source, snapshot_of(log), EventsQuestion(3))
    assert live is not None and saved is not None
    assert (NOW - live.started_at, NOW - saved.started_at) == (83 * SECOND, 20 * SECOND)


def test_an_anchor_stays_where_it_is_when_more_events_come() -> None:
    log = removals(9)
    before = page_of(log, EventsQuestion(3, anchor=5))
    log.extend(happenings(NOW))
    after = page_of(log, EventsQuestion(3, anchor=5))
    assert [row.number for row in before.rows] == [row.number for row in after.rows] == [3, 4, 5]
    assert before.below == after.below == (6, 7, 8)


def test_before_the_oldest_event_a_page_is_filled_from_below() -> None:
    page = page_of(log_of(happenings(NOW), keep=20), EventsQuestion(3, anchor=0))
    assert [row.number for row in page.rows] == [26, 27, 28]
    assert (page.is_oldest, page.gone) == (True, 26)


@settings(max_examples=50)
@given(st.integers(0, 60), st.integers(1, 9), st.integers(-1, 60), st.sampled_from(CHOICES))
def test_a_page_is_a_run_of_what_matches(keep: int, count: int, anchor: int, choice: str) -> None:
    log = log_of(happenings(NOW), keep=keep)
    kinds = classes_of(choice)
    kept = log.span(log.first, log.total)
    matching = [log.first + i for i, event in enumerate(kept) if type(event) in kinds]
    if choice == "all":
        matching = [i for i in matching if not (is_step(log, i) and i > log.first and is_step(log, i - 1))]
    page = page_of(log, EventsQuestion(count, anchor, choice))
    found = [row.number for row in page.rows]
    assert len(found) == min(count, len(matching))
    if found:
        place = matching.index(found[0])
        assert found == matching[place : place + count] and page.is_oldest == (place == 0)
        assert list(page.below) == matching[place + len(found) :][:count]


def is_step(log: EventLog, number: int) -> bool:
    return isinstance(log.span(number, number + 1)[0], EngineStep)


def test_consecutive_steps_share_a_row_that_grows_and_is_forgotten_with_them() -> None:
    steps = [EngineStep(NOW + at, 1_000_000 * (at + 1), 0, 6, 6, 4) for at in range(6)]
    refused = RequestRefused(NOW, 77, 0, 0, 0, 0, 0, 0, 1)
    log = log_of([refused, *steps[:2], refused, *steps[2:4]], keep=6)
    answerer = EventsAnswerer(lambda: 0)

    def told() -> list[tuple[int, str]]:
        page = answerer.answer(FakeSource(), snapshot_of(log), EventsQuestion(9))
        assert page is not None
        return [(row.number, f"{row.word} {row.text}") for row in page.rows]

    assert [number for number, _ in told()] == [0, 1, 3, 4]
    log.extend(steps[4:])
    assert [number for number, _ in told()] == [2, 3, 4]
    assert told()[-1][1] == "steps 4  3.00ms to 6.00ms  prefill 0  decode 24  running 6  waiting 4"
    assert told()[0][1].startswith("step prefill 0")
    assert len(numbers(log, EventsQuestion(9, choice="engine"))) == 5


def test_a_text_is_looked_for_in_the_words_and_a_number_sign_means_that_node() -> None:
    log = log_of(happenings(NOW))
    assert {row.word for row in page_of(log, EventsQuestion(99, text="#3")).rows} == {"split", "insert"}
    assert {row.word for row in page_of(log, EventsQuestion(99, text="SYSTEM prompt 0")).rows} == {"match", "lock"}
    refused = page_of(log, EventsQuestion(99, text="request 77")).rows
    assert [(row.word, row.request) for row in refused] == [("refused", 77)]


def test_a_loss_is_shown_whatever_the_kind() -> None:
    words = [row.word for row in page_of(log_of(happenings(NOW, 2)), EventsQuestion(99, choice="windows")).rows]
    assert words == ["tombstone", "window", "lost", "tombstone", "window"]


def test_a_search_takes_a_slice_at_a_time_and_says_what_is_left() -> None:
    log = removals(5 * SLICE_EVENTS)
    time = iter(range(0, 10**12, BUDGET_NS // 2 + 1))
    answerer = EventsAnswerer(lambda: next(time))
    question = EventsQuestion(2, text="#0")
    unread = []
    for _ in range(6):
        page = answerer.answer(FakeSource(), snapshot_of(log), question)
        assert page is not None
        unread.append(page.unread)
    assert unread == sorted(unread, reverse=True) and unread[0] > unread[1] and unread[-1] == 0
    assert [row.number for row in page.rows] == [0]


def test_a_burst_that_outruns_the_search_leaves_it_at_the_newest() -> None:
    log = removals(10)
    time = iter(range(0, 10**12, BUDGET_NS // 4 + 1))
    answerer = EventsAnswerer(lambda: next(time))
    question = EventsQuestion(2, choice="evictions")
    answerer.answer(FakeSource(), snapshot_of(log), question)
    log.extend([Gone(NOW, 5, 0, 1, 0, ())] * (9 * SLICE_EVENTS))
    page = answerer.answer(FakeSource(), snapshot_of(log), question)
    assert page is not None and page.unread > 0
    assert [row.number for row in page.rows] == [log.total - 2, log.total - 1] or not page.rows


def test_lately_is_the_last_ten_seconds_or_as_far_as_the_log_goes() -> None:
    events = happenings(NOW, 60)
    recent = lately(events, False, NOW)
    assert recent.span_ns == 10 * SECOND and recent.counts["Evict"] == 10 and recent.freed_tokens == 6_400
    short = lately(events[-23:], True, NOW)
    assert short.span_ns < 3 * SECOND and short.events == 23
