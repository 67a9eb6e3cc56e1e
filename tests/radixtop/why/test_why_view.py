"""Findings on screen: the verdict in words, rows, all about one of them, and the keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from probes.snapshot import Snapshot
from profiles.evidence.evidence import Account, Evidence, Losses, Work
from profiles.evidence.requests import Scheduling
from profiles.finding import FINDINGS, Gain
from radixtop.messages import Frame
from radixtop.question import Answerer
from radixtop.render.lines import Line, plain, width_of
from radixtop.render.why_lines import chosen, detail_lines, finding_row, nothing_in, quiet_lines, rows_head
from radixtop.source import Source
from radixtop.view import VIEWS
from radixtop.why.judged import judged
from radixtop.why.page import WhyPage, WhyQuestion
from radixtop.why.trial import Trial, TrialQuestion, Trials
from radixtop.words.trial import gain_span, with_gains
from radixtop.words.why import SHOWN_IN, answer, headline
from tests.support.evidences import HEALTHY, SHOWN, S
from tests.support.golden import assert_golden
from tests.support.screen import Dashboard, dashboard
from tests.support.why_pages import TROUBLED, WhySource, page_of

GOLDENS = Path(__file__).parents[1] / "goldens" / "why"

Scenario = Callable[[Dashboard], Awaitable[None]]


def said(lines: list[Line]) -> str:
    return "\n".join(plain(lines))


def shown(scenario: Scenario, found: Evidence = TROUBLED, width: int = 80, height: int = 24) -> None:
    """Run a scenario with the view in sight."""
    source = WhySource()
    source.found = found

    async def main() -> None:
        async with dashboard(width, height, source) as running:
            await running.press("y")
            await running.tick()
            await scenario(running)

    asyncio.run(main())


# ---- words


def test_a_run_in_which_nothing_is_wrong_is_praised_in_one_line() -> None:
    assert said(answer(page_of())) == (
        "✓ All is well: nothing to complain about.  "
        "Looked at 200 requests, 100k prompt tokens, 80.0% hit, in 60.0s since the start."
    )


def test_findings_are_counted_by_their_severity() -> None:
    page = judged(WhyQuestion(7 * S), TROUBLED, 7 * S, 2 * S)
    assert said(answer(page)) == (
        "■ 1 alarm, · 1 note.  Looked at 200 requests, 100k prompt tokens, 50.0% hit, in 60.0s since 00:05.0."
    )


def test_what_is_not_known_is_said() -> None:
    evidence = replace(
        HEALTHY, requests=3, work=Work(), scheduling=Scheduling(), losses=Losses(records=1_200, remembers_all=False)
    )
    page = WhyPage(WhyQuestion(), (), evidence, starts_at=5, run_at=0)
    assert plain(answer(page))[1] == (
        "not known: what was before: that is not kept; what requests have in common, of which 8 are needed; "
        "1,200 records were missed; what was cached before the watch began; what a token costs in time: "
        "no step tells; how who waits was put in order"
    )


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (None, "why: reading what is kept of the run"),
        (WhyPage(WhyQuestion(), progress=0.4), "why: reading what is kept of the run, 40%"),
        (WhyPage(WhyQuestion(), trouble="no history is kept"), "why: no history is kept"),
    ],
)
def test_what_is_still_to_come_and_what_never_will_is_said(page: WhyPage | None, words: str) -> None:
    assert said(answer(page)) == words


def test_of_no_request_nothing_is_judged() -> None:
    page = judged(WhyQuestion(), Evidence(), 0, 0)
    assert said(answer(page)).startswith("No request was seen from start to end yet: nothing to judge by.")


def test_the_overview_names_the_first_finding_unless_it_is_a_note() -> None:
    page = page_of("capacity_small")
    line = headline(Frame(answers=(page,)), 100)
    assert line is not None
    assert said([line]) == (
        "why: ■ alarm: The cache is too small: what was evicted is asked for again, 30.0% of prompt tokens"
    )
    calm = replace(page, findings=tuple(replace(finding, severity="note") for finding in page.findings))
    assert headline(Frame(answers=(calm,)), 100) is None
    assert headline(Frame(), 100) is None


def test_every_finding_is_shown_in_some_view() -> None:
    assert set(SHOWN_IN) == set(FINDINGS.names)
    assert set(SHOWN_IN.values()) <= set(VIEWS)


# ---- lines


def test_a_row_has_its_severity_share_tokens_and_time() -> None:
    page = judged(WhyQuestion(), TROUBLED, 2 * S, 0)
    assert plain([rows_head(76), *(finding_row(page, finding, 76) for finding in page.findings)]) == [
        "severity finding                                   of prompts tokens   since",
        "■ alarm  The cache is too small: what was evicted… █▎·· 30.0%  30.0k 00:03.0",
        "· note   Requests compute the same prefix at the … ▏···  2.0%  2,000 00:05.0",
    ]
    assert plain([finding_row(page, page.findings[1], 100)]) == [
        "· note   Requests compute the same prefix at the same t… ▏·······  2.0%  2,000  ~200ms 00:05.0     -"
    ]
    vain = replace(page.findings[1], gain=Gain(0.5, 0.502, "replayed"))
    assert plain([finding_row(page, vain, 100)])[0].endswith(" 00:05.0  +0.2")


def test_everything_about_a_finding_is_told() -> None:
    page = judged(WhyQuestion(), TROUBLED, 2 * S, 0)
    assert plain(detail_lines(page, page.findings[0], 76)) == [
        "■ The cache is too small: what was evicted is asked for again",
        "costs     30,000 tokens, 30.0% of all prompt tokens, 3.00s (derived)",
        "since     00:03.0, 59.0s before this moment",
        "change    --full-slots 18000: give the cache more memory",
        "  SGLang  --mem-fraction-static",
        "  vLLM    --gpu-memory-utilization",
        "gain      not measured yet: r replays what was recorded with this change",
        "sure?     sure: the same content was there, was evicted, and was computed",
        "          again",
        "requests  #61 (512 tokens), #223 (459 tokens): enter opens the first",
        "see       the view capacity: o goes there",
        "evidence  evicted and computed again: 30,000 tokens; requests that met this:",
        "          58 requests; evicted in all: 5,000 tokens; pool: 9,000 tokens;",
        "          least room: 2,000 free or evictable tokens",
    ]


def told_gain(trial: Trial | None, page: WhyPage | None = None) -> str:
    page = page or page_of("capacity_small")
    trials = Trials({} if trial is None else {"capacity_small": trial})
    finding = with_gains(page, trials).findings[0]
    return gain_span(page, finding, trials.of(finding.name, finding.change))[0]


BIGGER = (("full_slots", 18_000),)
GAIN = Gain(0.5, 0.62, "replayed")


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        (None, "not measured yet: r replays what was recorded with this change"),
        (Trial(BIGGER, 0), "reading what was recorded, to replay it; esc ends it"),
        (Trial(BIGGER, 0, 120, 400), "replaying, 120 of 400 requests, 30.0%; esc ends it"),
        (Trial(BIGGER, 0, 400, 400, GAIN), "+12.0 points of hit rate, 50.0% to 62.0% (replayed)"),
        (Trial(BIGGER, 7 * S, 0, 0, GAIN), "+12.0 points of hit rate, 50.0% to 62.0% (replayed, as of 00:07.0)"),
        (Trial(BIGGER, 0, trouble="no history is kept"), "not measured: no history is kept"),
        ((Trial((("full_slots", 9_000),), 0, 400, 400, GAIN)), "not measured yet: r replays what was recorded with "
         "this change"),
    ],
)  # fmt: skip
def test_what_is_known_of_a_gain_is_told(trial: Trial | None, words: str) -> None:
    assert told_gain(trial) == words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("salted_requests", "only whoever sends the requests can change that"),
        ("page_size", "a recording knows whole pages only"),
        ("reuse_off", "a replay has no such setting to try"),
    ],
)
def test_what_no_replay_can_tell_is_said(name: str, words: str) -> None:
    page = page_of(name)
    finding = next(each for each in page.findings if each.name == name)
    assert gain_span(page, finding, None) == (f"not measured: {words}", "dim")


def test_a_part_of_a_run_is_not_replayed() -> None:
    part = page_of("capacity_small", WhyQuestion(5 * S))
    assert told_gain(None, part) == "not measured: a replay serves the run from its start; w counts all of it"


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("width", [36, 76, 196])
def test_each_finding_fits_any_width(name: str, width: int) -> None:
    page = page_of(name)
    for finding in page.findings:
        assert width_of(finding_row(page, finding, width)) <= width
        assert all(width_of(line) <= width for line in detail_lines(page, finding, width))


def test_where_nothing_is_wrong_the_tokens_that_were_not_hit_are_told() -> None:
    text = said(quiet_lines(page_of(), 76))
    assert "hit         80.0% of prompt tokens" in text
    assert "computed    18.0% first seen, of 200 requests" in text
    assert quiet_lines(page_of("capacity_small"), 76) == []


def test_findings_are_filtered_by_any_of_their_words_and_sorted() -> None:
    findings = judged(WhyQuestion(), TROUBLED, 0, 0).findings
    assert [finding.name for finding in chosen(findings, "FULL-SLOTS", "cost")] == ["capacity_small"]
    assert chosen(findings, "", "cost") == findings
    assert [finding.name for finding in chosen(findings, "", "since")] == ["capacity_small", "computed_twice"]
    assert chosen(findings, "nowhere", "severity") == ()
    assert said([nothing_in(page_of("capacity_small"), "nowhere")]).startswith("no finding has 'nowhere' in it")


# ---- the screen


class Trying(Answerer[TrialQuestion]):
    """Says how far a trial is at first, then what came of it."""

    outlives_trees: ClassVar[bool] = True

    def __init__(self) -> None:
        self._asked = TrialQuestion()
        self._steps: list[Trials] = []

    def answer(self, source: Source, snapshot: Snapshot, question: TrialQuestion) -> Trials:
        """See Answerer."""
        if question != self._asked:
            half = Trial(question.settings, 0, 200, 400)
            done = replace(half, served=400, gain=Gain(0.5, 0.62, "replay of 200 requests without a model"))
            self._steps = [Trials({question.finding: trial}) for trial in (done, half)] if question.finding else []
        self._asked = question
        return self._steps.pop() if len(self._steps) > 1 else (self._steps or [Trials()])[0]


@pytest.fixture(autouse=True)
def _trials_are_scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radixtop.why.trying.TrialAnswerer", Trying)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
def test_the_first_finding_and_what_to_change_and_gain_are_in_sight(width: int, height: int) -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("r")
        assert "replaying, 200 of 400 requests, 50.0%; esc ends it" in running.text()
        await running.tick()
        text = running.text()
        assert "1 alarm" in text and "capacity_small" in text and "--full-slots 18000" in text and "+12.0" in text
        assert_golden(text, GOLDENS / f"why-{width}x{height}.txt")

    shown(scenario, width=width, height=height)


def test_a_small_screen_has_both_the_list_and_the_finding() -> None:
    async def scenario(running: Dashboard) -> None:
        text = running.text()
        assert "1 alarm" in text and "▲" not in text and "╭─ capacity_small" in text and "costs     30,000" in text

    shown(scenario, width=44, height=16)


def test_the_cursor_tells_of_another_finding_and_stays_on_it() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("down")
        assert "╭─ computed_twice" in running.text()
        await running.tick()
        assert "╭─ computed_twice" in running.text()
        await running.press("escape")
        assert "╭─ capacity_small" in running.text()

    shown(scenario)


def test_enter_opens_the_request_that_lost_most() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("enter")
        assert "request #61" in running.text()

    shown(scenario)


def test_escape_ends_what_is_being_measured() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("r", "escape")
        assert "not measured yet" in running.text() and running.app.view_name == "why"

    shown(scenario)


def test_what_cannot_be_measured_says_why_when_asked() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("r")
        assert "not measured: only whoever sends" in " ".join(running.text().split())

    shown(scenario, SHOWN["salted_requests"])


def test_o_goes_to_the_view_that_shows_more() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("o")
        assert running.app.view_name == "capacity"

    shown(scenario)


def test_the_filter_and_the_order_are_told() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("slash", *"twice", "enter")
        assert "findings: 1 of 2, by cost" in running.text() and "╭─ computed_twice" in running.text()
        await running.press("c", "s")
        assert "findings: 2, by severity" in running.text()

    shown(scenario)


def test_the_file_has_the_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(running: Dashboard) -> None:
        await running.press("x")
        (path,) = tmp_path.glob("radixtop-why-*.json")
        told = json.loads(path.read_text())["why"]
        assert [finding["name"] for finding in told["findings"]] == ["capacity_small", "computed_twice"]
        assert told["worst_requests"]["capacity_small"] == {"61": 512, "223": 459}

    shown(scenario)


def test_the_overview_tells_once_someone_has_looked() -> None:
    async def main() -> None:
        async with dashboard(120, 40, WhySource()) as running:
            assert "why: " not in running.text()
            await running.press("y", "1")
            await running.tick()
            assert "y why: ■ alarm: The cache is too small" in running.text()

    asyncio.run(main())


def test_a_run_in_which_nothing_is_wrong_shows_what_was_looked_for() -> None:
    async def scenario(running: Dashboard) -> None:
        assert "All is well" in running.text() and "what was looked at" in running.text()

    shown(scenario, HEALTHY)


def test_an_account_without_requests_names_none() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("enter")
        assert "names no request" in running.text()

    shown(scenario, replace(TROUBLED, lost={**HEALTHY.lost, "evicted": Account(30_000, 58, S)}))
