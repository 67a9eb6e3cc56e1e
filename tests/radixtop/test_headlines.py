"""What the overview begins with: an answer of each view that has one, and the way there."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from probes.travel.moment import Moment
from probes.travel.notable import Notable
from probes.travel.timeline import Timeline
from radixtop.headline import HEADLINES
from radixtop.messages import Frame
from radixtop.playing.transport import Course
from radixtop.render.lines import Line, first_that_fits, plain, width_of
from radixtop.tree.rows import Biggest, Standing, TreePage
from radixtop.view import VIEWS
from radixtop.views.overview import headlines
from radixtop.words.tree import answer_of
from tests.support.fleets import engine, fleet
from tests.support.screen import dashboard
from tests.support.watched import NOW, SECOND, FakeSource
from tests.support.why_pages import page_of


def frame() -> Frame:
    """Return a frame of a busy cache, with the answer that the overview asks for."""
    standing = Standing("tree", 9, 1_000, Biggest("system prompt 0", 500, 7))
    moment = Moment(NOW, NOW - 90 * SECOND, NOW, NOW - 90 * SECOND)
    falls = (Notable(NOW - 12 * SECOND, "fall", 0.32),)
    course = Course(Timeline(moment.start, SECOND, NOW, (9,), (3,), (0,)), falls)
    source = FakeSource()
    source.samples = {**source.samples, "fleet": fleet(), "engine": engine()}
    return Frame(source.tick(NOW), (standing, page_of("capacity_small")), moment=moment, course=course)


@pytest.mark.parametrize("name", HEADLINES)
def test_a_headline_is_of_a_view_and_finds_words_for_any_room(name: str) -> None:
    assert name in (*VIEWS, "time")
    for width in (1, 38, 78, 198):
        line = HEADLINES.load(name)(frame(), width)
        assert line is not None and plain([line])[0]


@pytest.mark.parametrize("name", HEADLINES)
def test_a_headline_of_nothing_claims_nothing(name: str) -> None:
    line = HEADLINES.load(name)(Frame(), 78)
    assert line is None or " -  " in plain([line])[0]


def test_headlines_have_the_keys_that_lead_to_more() -> None:
    assert [key for key, _ in headlines(frame(), 80)] == ["0", "y", "5", "3", "4", "2", "t"]


def test_the_largest_fall_of_the_hit_rate_is_told_and_a_run_without_one_is_not() -> None:
    line = HEADLINES.load("time")(frame(), 60)
    assert line is not None and plain([line])[0] == "hit rate fell most at 01:18.0, 12s ago: -32 points"
    assert "t" not in dict(headlines(replace(frame(), course=None), 80))


def test_a_run_whose_hit_rate_never_fell_says_so() -> None:
    of = frame()
    assert of.course is not None
    line = HEADLINES.load("time")(replace(of, course=replace(of.course, notables=())), 80)
    assert line is not None and plain([line])[0] == "hit rate never fell in 01:30.0 by more than it always wavers"


def test_a_cache_without_windows_has_no_headline_of_them() -> None:
    snapshot = frame().snapshot
    assert snapshot is not None
    without = Frame(replace(snapshot, samples={}))
    assert HEADLINES.load("swa")(without, 80) is None


def test_a_source_that_starts_is_not_said_to_lack_requests() -> None:
    snapshot = frame().snapshot
    assert snapshot is not None
    starting = replace(snapshot, samples={}, source=replace(snapshot.source, state="starting"))
    for state, words in ((starting, "nothing has come yet"), (replace(snapshot, samples={}), "does not tell of")):
        line = HEADLINES.load("requests")(Frame(state), 78)
        assert line is not None and words in plain([line])[0]


def test_a_kind_of_misses_that_has_no_room_is_left_out() -> None:
    texts = [plain([HEADLINES.load("requests")(frame(), width) or ()])[0] for width in range(24, 100)]
    assert all(len(text) <= width and texts[-1].startswith(text) for width, text in enumerate(texts, start=24))
    assert texts[0] == "last 60 s: 32.5% hits"


def test_the_longest_words_that_fit_are_taken() -> None:
    lines: list[Line] = [(("a long sentence", "text"),), (("shorter", "text"),), (("-", "text"),)]
    assert [width_of(first_that_fits(lines, width)) for width in (20, 15, 14, 7, 3, 0)] == [15, 15, 7, 7, 1, 1]


def test_a_click_on_a_headline_leads_to_its_view() -> None:
    async def main() -> None:
        async with dashboard(120, 40) as running:
            await running.pilot.click("#overview-headlines", offset=(5, 1))
            await running.settle()
            assert running.app._main.view.id == [name for name in HEADLINES if name not in ("fleet", "why")][1]

    asyncio.run(main())


def test_a_source_that_tells_of_no_tree_is_not_taken_for_an_empty_cache() -> None:
    snapshot = frame().snapshot
    assert snapshot is not None
    told = {name: sample for name, sample in snapshot.samples.items() if name != "tree_shape"}
    empty = Standing("tree", 0, 0, None)
    tree = HEADLINES.load("tree")
    for samples, words in ((snapshot.samples, "the cache holds nothing"), (told, "- this source does not tell what")):
        line = tree(Frame(replace(snapshot, samples=samples), (empty,)), 78)
        assert line is not None and plain([line])[0].startswith(words)


def test_a_tree_that_is_not_known_is_not_taken_for_an_empty_one() -> None:
    snapshot = frame().snapshot
    assert snapshot is not None
    unknown = Frame(replace(snapshot, source=replace(snapshot.source, state="live", tree_known=False)))
    for line in (HEADLINES.load("tree")(unknown, 78), answer_of(unknown, Standing("tree", 0, 0, None), 78)):
        assert line is not None and plain([line]) == ["- what the cache holds is not known"]


def test_a_look_at_the_tree_waits_for_rows_and_for_the_node_beside_them() -> None:
    async def main() -> None:
        async with dashboard(120, 40) as running:
            await running.press("2")
            await running.tick()
            view, seen = running.app._main.view, running.app._scene.frame
            page = seen.answer(TreePage)
            assert page is not None and page.total and view.is_answered_by(seen)
            no_rows = replace(seen, answers=(page._replace(rows=()), *seen.answers))
            no_node = replace(seen, answers=(page,))
            assert not any(view.is_answered_by(each) for each in (no_rows, no_node, Frame(seen.snapshot)))

    asyncio.run(main())
