"""The lines of the events view: they keep to their room, and say what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from radixtop.eventlog.page import EventsPage, EventsQuestion, Lately
from radixtop.render.event_lines import EventsLook, before, choice_at, event_lines, rows_in
from radixtop.render.lines import fit, plain, width_of
from tests.support.eventful import page_of
from tests.support.happenings import happenings, log_of
from tests.support.watched import NOW, SECOND


def page(count: int = 40, keep: int = 20_000, lost: int = 0) -> EventsPage:
    return page_of(log_of(happenings(NOW), keep), EventsQuestion(count), lost)


LOOK = EventsLook()


def texts(shown: EventsPage | None, look: EventsLook = LOOK, width: int = 120, height: int = 60) -> list[str]:
    return plain(event_lines(shown, look, width, height))


@pytest.mark.parametrize("size", [(1, 1), (36, 7), (76, 20), (196, 56)], ids=str)
@pytest.mark.parametrize("is_known", [True, False])
def test_the_lines_fill_the_room_and_no_more(size: tuple[int, int], is_known: bool) -> None:
    lines = event_lines(page(rows_in(size[1])) if is_known else None, EventsLook(), *size)
    assert len(lines) == size[1]
    assert all(width_of(fit(line, size[0])) == size[0] for line in lines)


def test_unknown_events_show_no_digit() -> None:
    assert not any(character.isdigit() for line in texts(None) for character in line)


def test_what_is_not_kept_is_counted_above_the_oldest_event() -> None:
    shown = texts(page(keep=20))
    place = next(i for i, line in enumerate(shown) if "not kept" in line)
    assert shown[place] == "… 26 events not kept" and len([line for line in shown[place + 1 :] if line]) == 21


def test_what_was_not_searched_is_said_before_what_is_not_kept() -> None:
    assert plain([before(replace(page(keep=20), unread=7))]) == ["… 7 events not searched yet"]
    assert plain([before(replace(page(keep=20), is_oldest=False))]) == ["… earlier events"]


def test_a_loss_is_a_line_and_its_size_stands_in_the_answer() -> None:
    shown = texts(page(lost=1_234))
    assert shown[0].startswith("last 10s: 45 events  1,234 records lost in all")
    (line,) = [line for line in shown if "▲" in line]
    assert line.split(maxsplit=3) == ["-", "▲", "lost", "records are missing here, 1,234 in all"]


def test_a_quiet_cache_says_so() -> None:
    quiet = replace(page(), lately=Lately(10 * SECOND, 0, {}, 0))
    assert texts(quiet)[0] == "nothing happened in the last 10 s"


def test_an_eviction_is_one_sentence() -> None:
    (line,) = [line for line in texts(page(3 + 11))[3:] if "evict " in line]
    assert line.split(" evict ")[1].strip() == ("full  asked 512  freed 640  3 victims  41 leaves considered  12.3µs")


def test_times_are_since_the_start_or_before_now() -> None:
    newest = -3
    assert texts(page())[newest].split()[0] == "01:22.500"
    assert texts(page(), EventsLook(is_relative=True))[newest].split()[0] == "0.5s"
    assert texts(page(), width=50)[newest].split()[0] == "01:22.5"


def test_the_foot_is_the_event_under_the_cursor() -> None:
    rows = page().rows
    assert texts(page(), EventsLook(cursor=rows[-1].number))[-1] == "refused request 77  too long for the pools"
    assert texts(page())[-1] == "46 events since the watch began"


def test_a_kind_can_be_clicked_where_it_is_written() -> None:
    line = texts(page())[1]
    for name in ("all", "evictions", "engine"):
        assert choice_at(line.index(name), 120) == name
    assert choice_at(110, 120) is None and choice_at(2, 40) is None
