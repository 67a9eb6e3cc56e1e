"""Requests one by one: which are rows, in words, in lines, and on screen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from probes.builtin.request_log import RequestLogSample
from probes.lives.gaps import Gap
from probes.lives.leaving import Leaving
from probes.lives.misses import PromptTokens, Rounding
from probes.lives.request_life import Life
from probes.lives.request_log import RequestLog
from radixtop.render.lines import Line, plain, width_of
from radixtop.render.request_lines import columns_for, legend, nothing_in, prompt_bar, request_line, rows_head, tabs
from radixtop.render.story_lines import story_lines
from radixtop.requestlog.answerer import page_of, story_of
from radixtop.requestlog.page import BOTTOM, CHOICES, Choice, RequestsPage, RequestsQuestion, Story
from radixtop.words.requests import answer
from tests.support.golden import assert_golden
from tests.support.request_logs import request_log
from tests.support.screen import Dashboard, dashboard
from tests.support.watched import NOW, mirror

GOLDENS = Path(__file__).parent / "goldens" / "requests"
SAMPLE = request_log(NOW)


def page(question: RequestsQuestion, log: RequestLog = SAMPLE.log) -> RequestsPage:
    return page_of(log, mirror(), question, NOW)


def numbers(question: RequestsQuestion) -> list[int]:
    return [row.request for row in page(question).rows]


def story(request: int) -> Story:
    life = SAMPLE.log.find(request)
    assert life is not None
    return story_of(life, SAMPLE.log, mirror(), NOW, 1)


def said(line: Line) -> str:
    return plain([line])[0]


def test_the_newest_request_comes_first() -> None:
    assert numbers(RequestsQuestion(4)) == [602, 601, 600, 505]


@pytest.mark.parametrize(
    ("choice", "first"), [("running", [600]), ("waiting", [601, 505]), ("done", [602, 504]), ("missed", [504, 502])]
)
def test_a_choice_is_of_one_kind(choice: Choice, first: list[int]) -> None:
    assert numbers(RequestsQuestion(2).choosing(choice))[: len(first)] == first


def test_choices_and_orders_come_round() -> None:
    question = RequestsQuestion(2)
    for _ in CHOICES:
        question = question.next_choice()
    assert question == RequestsQuestion(2)
    assert page(question.next_order()).rows[0].tokens.missed == 1_300
    assert page(question.next_order().next_order()).rows[0].ttft_ns == 48_000_000
    assert question.next_order().next_order().next_order() == question


def test_a_window_moves_only_as_far_as_the_cursor_needs() -> None:
    total = page(RequestsQuestion(5)).total
    inside = page(RequestsQuestion(5, first=3, cursor=504))
    assert (inside.first, inside.place) == (3, 4)
    above = page(RequestsQuestion(5, first=10, cursor=504))
    assert (above.first, above.place) == (4, 4)
    last = page(RequestsQuestion(5, cursor=BOTTOM))
    assert (last.first, last.place, len(last.rows)) == (total - 5, total - 1, 5)


def test_a_cursor_whose_request_is_gone_stays_near() -> None:
    assert page(RequestsQuestion(5, first=7, cursor=99_999)).place == 7


def test_the_answer_says_hits_and_then_misses_by_size() -> None:
    text = said(answer(SAMPLE, 120))
    assert text.startswith("last 60 s: 32.5% of prompt tokens were hits; misses: 38.8% first seen, 9.5% in flight, ")


def test_the_answer_does_not_call_new_what_it_may_have_missed() -> None:
    tokens = PromptTokens(1, 100, device=60, first_seen=40)
    sample = RequestLogSample(PromptTokens(), tokens, SAMPLE.gaps, SAMPLE.gaps, False, RequestLog())
    assert said(answer(sample, 120)) == (
        "no request in the last 60 s; in all: 60.0% of prompt tokens were hits; misses: 40.0% not seen lately"
    )
    assert said(answer(sample, 50)) == "in all: 60.0% hits, 40.0% not seen lately"


@pytest.mark.parametrize("sample", [None, request_log(NOW, 0)])
def test_nothing_known_is_not_0_percent(sample: RequestLogSample | None) -> None:
    assert said(answer(sample, 120)).startswith("hits and misses: -")


def test_every_class_has_its_own_sign_in_a_bar() -> None:
    tokens = PromptTokens(
        1, 90, 10, 10, first_seen=10, diverged=10, evicted=10, window_gone=10, unloaded=10, other_namespace=10,
        retracted=10, unknown=10,
    )  # fmt: skip
    assert said(prompt_bar(tokens, 20)) == "██▓▓▫▫▒▒××@@//··<<??"


@pytest.mark.parametrize(("remembers_all", "word"), [(True, "first seen"), (False, "not seen lately")])
def test_the_legend_calls_misses_what_the_rows_call_them(remembers_all: bool, word: str) -> None:
    assert said(legend(80, remembers_all, "window")).rstrip().endswith(f"· {word}  / diverged")


def test_where_states_are_what_is_gone_legend_and_rows_say_so() -> None:
    gone = (
        page(RequestsQuestion(1))
        .rows[0]
        ._replace(is_known=True, tokens=PromptTokens(1, 20, 5, window_gone=14, last_token=1))
    )
    assert "state gone" in said(legend(80, True, "state"))
    assert "state gone 14" in said(request_line(columns_for(116), gone, True, "state"))


def test_an_empty_choice_says_what_it_is_empty_of() -> None:
    nobody = page(RequestsQuestion(9, choice="missed"), RequestLog())
    assert said(nothing_in(nobody)) == "no request yet"
    assert said(nothing_in(page(RequestsQuestion(9, choice="waiting")))).startswith("none is waiting now; f shows")


@pytest.mark.parametrize("width", [38, 76, 90, 116, 196])
def test_rows_keep_to_their_width(width: int) -> None:
    columns = columns_for(width)
    rows = [request_line(columns, row, True, "window") for row in page(RequestsQuestion(20)).rows]
    assert {width_of(line) for line in rows} == {width_of(rows_head(width))}
    assert width_of(rows_head(width)) <= width
    assert width_of(tabs(page(RequestsQuestion(20)), width)) == width


def test_a_request_is_explained_step_by_step() -> None:
    texts = ["\n".join(plain(story_lines(story(request), 100))) for request in (501, 502, 504, 505, 600, 601, 602)]
    assert_golden("\n\n==\n\n".join(texts), GOLDENS / "stories.txt")


def test_a_story_without_a_tree_and_on_a_narrow_screen() -> None:
    life = SAMPLE.log.find(502)
    assert life is not None
    lines = story_lines(story_of(life, SAMPLE.log, None, NOW, 16), 36)
    text = " ".join("\n".join(plain(lines)).split())
    assert "always computed" in text and "stopped at node 1 (gone since)" in text


def test_keys_choose_order_and_explain() -> None:
    async def scenario() -> None:
        async with dashboard(100, 24) as running:
            await running.press("5", "f", "f", "f", "f")
            assert "[missed 18]" in running.text() and "#601" not in running.text()
            await running.press("s")
            assert "by missed" in running.text()
            await running.press("escape", "s", "s", "j", "j", "j", "j", "j", "j")
            await explains(running, "request #502", "the window that a hit needs")
            await running.press("G")
            assert "#0 " in running.text()

    asyncio.run(scenario())


async def explains(running: Dashboard, *words: str) -> None:
    await running.press("enter")
    assert all(word in running.text() for word in words), running.text()
    await running.press("escape")
    assert "requests one by one" in running.text()


@pytest.mark.parametrize(
    ("gaps", "name", "said"),
    [
        ((Gap(10, 60, "state"),), "state gone", "no state was kept there"),
        ((Gap(10, 60, "state", Leaving(4)),), "state gone", "--mamba-slots"),
        ((Gap(10, 30, "window", Leaving(4)), Gap(30, 60, "state")), "data gone", "20 tokens: the window"),
    ],
)
def test_a_state_that_was_gone_is_told_for_what_it_is(gaps: tuple[Gap, ...], name: str, said: str) -> None:
    life = Life(1, 0, 100, Rounding(1, 10))
    life.is_known, life.device, life.gap, life.full_boundary, life.admitted_at = True, 10, 50, 60, 9
    life.gaps = gaps
    text = " ".join(" ".join(plain(story_lines(story_of(life, SAMPLE.log, None, NOW, 1), 120))).split())
    assert name in text and said in text, text
    assert "places for states, 10 tokens apart" in text
