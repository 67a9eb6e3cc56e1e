"""Findings up to the moment that is shown: read beside the screen, in slices, and taken along in time."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from profiles.evidence.gather import evidence_of_file
from profiles.ranking import diagnose
from radixtop import cli
from radixtop.playing.saved_run import SavedRun
from radixtop.question import Desk
from radixtop.session import PlaySession, Session
from radixtop.why.answerer import NOT_KEPT, TOO_LARGE, WhyAnswerer
from radixtop.why.page import WhyPage, WhyQuestion
from tests.support.block_script import BlockScript
from tests.support.saved_runs import go, go_to_end, middle
from tests.support.watched import FakeSource


def page_of(answerer: WhyAnswerer, run: SavedRun, from_at: int | None = None) -> WhyPage:
    """Return the page once all is read."""
    page = answerer.answer(run, run.tick(0), WhyQuestion(from_at))
    while answerer.is_busy:
        answerer.go_on(run)
        page = answerer.answer(run, run.tick(0), WhyQuestion(from_at))
    assert page is not None
    return page


def test_the_screen_says_at_the_end_what_the_command_says(run: SavedRun, path: Path) -> None:
    evidence = evidence_of_file(path)
    page = page_of(WhyAnswerer(), run)
    assert (page.findings, page.evidence) == (diagnose(evidence), evidence)
    assert page.findings[0].name == "capacity_small" and page.progress is None


def test_the_worst_requests_of_a_finding_come_first(run: SavedRun) -> None:
    page = page_of(WhyAnswerer(), run)
    assert page.evidence is not None
    assert page.worst["capacity_small"] == page.evidence.account("evicted").worst


def test_going_back_takes_the_findings_along_and_coming_back_finds_them_as_they_were(run: SavedRun) -> None:
    answerer = WhyAnswerer()
    last = page_of(answerer, run)
    go(run, middle(run))
    half = page_of(answerer, run)
    assert half.evidence is not None and last.evidence is not None
    assert 0 < half.evidence.requests < last.evidence.requests
    go_to_end(run)
    assert page_of(answerer, run) == last


def test_between_two_moments_only_what_happens_there_counts(run: SavedRun) -> None:
    whole = page_of(WhyAnswerer(), run)
    part = page_of(WhyAnswerer(), run, middle(run))
    assert part.evidence is not None and whole.evidence is not None and part.evidence.before is not None
    assert part.evidence.requests + part.evidence.before.requests == whole.evidence.requests
    assert part.starts_at == middle(run) > part.run_at and not part.is_cut


def test_reading_is_done_in_slices_that_say_how_far_they_are(run: SavedRun) -> None:
    ticks = count(0, 10_000_000)
    answerer = WhyAnswerer(clock=lambda: next(ticks))
    page = answerer.answer(run, run.tick(0), WhyQuestion())
    assert page is not None and page.evidence is None and answerer.is_busy
    progress = []
    while answerer.is_busy:
        answerer.go_on(run)
        page = answerer.answer(run, run.tick(0), WhyQuestion())
        assert page is not None
        progress.append(page.progress)
    assert progress.pop() is None and page.findings
    assert progress == sorted(progress) and len(progress) > 5 and 0 < progress[-1] <= 1  # type: ignore[type-var, operator]


def test_nothing_is_read_again_while_the_moment_stands_still(run: SavedRun) -> None:
    answerer = WhyAnswerer()
    first = page_of(answerer, run)
    assert page_of(answerer, run) is first


def test_what_a_source_gathers_itself_is_read_off_it(path: Path) -> None:
    session = PlaySession(path, float("inf"))
    session.gather()
    while not session.is_over(snapshot := session.tick(0)):
        pass
    page = WhyAnswerer().answer(session, snapshot, WhyQuestion())
    session.close()
    assert page is not None and page.findings == diagnose(evidence_of_file(path))


def test_a_source_of_which_nothing_is_kept_says_so() -> None:
    source = FakeSource()
    page = WhyAnswerer().answer(source, source.tick(0), WhyQuestion())
    assert page == WhyPage(WhyQuestion(), trouble=NOT_KEPT)


def test_of_a_tree_that_is_too_large_no_second_one_is_made(run: SavedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radixtop.why.answerer.MOST_NODES", 3)
    page = WhyAnswerer().answer(run, run.tick(0), WhyQuestion())
    assert page is not None and page.trouble == TOO_LARGE


def test_a_desk_goes_on_only_with_what_was_asked_last(run: SavedRun) -> None:
    desk = Desk()
    assert not desk.is_busy
    desk.answers(run, run.tick(0), (WhyQuestion(),))
    while desk.is_busy:
        desk.go_on(run)
    (page,) = desk.answers(run, run.tick(0), (WhyQuestion(),))
    assert isinstance(page, WhyPage) and page.findings
    desk.answers(run, run.tick(0), ())
    assert not desk.is_busy and not desk.faults


@pytest.mark.parametrize("flag", ["--once", "--headless"])
def test_documents_have_the_findings(flag: str, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(path), flag, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["findings"]
    assert [finding["name"] for finding in told] == [each.name for each in diagnose(evidence_of_file(path))]


def test_one_look_has_them_as_text(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(path), "--once", "--view", "why"]) == 0
    told = capsys.readouterr().out
    assert "Looked at 240 requests" in told and "capacity_small" in told


# ---- a live source


def live(path: Path, history_bytes: int) -> tuple[Session, BlockScript]:
    """Return a live source over the blocks of the recording."""
    script = BlockScript(path)
    session = Session(script)  # type: ignore[arg-type]
    session.keep(script, history_bytes)
    session.tick(script.at)
    return session, script


def test_a_live_source_is_read_from_its_start_and_followed(path: Path) -> None:
    session, script = live(path, 1 << 22)
    answerer = WhyAnswerer()
    requests = []
    for _ in range(8):
        for _ in range(20):
            session.tick(script.at)
        page = asked(answerer, session, script)
        assert page.evidence is not None and not page.is_cut
        requests.append(page.evidence.requests)
    session.close()
    assert requests == sorted(requests) and requests[0] < requests[-1]


def test_what_is_not_kept_any_more_is_said_to_be_missing(path: Path) -> None:
    session, script = live(path, 1 << 17)
    for _ in range(160):
        session.tick(script.at)
    page = asked(WhyAnswerer(), session, script)
    session.close()
    assert page.trouble or page.is_cut


def test_without_a_history_it_says_how_to_get_one(path: Path) -> None:
    session, script = live(path, 0)
    page = asked(WhyAnswerer(), session, script)
    session.close()
    assert page.trouble.startswith("no history is kept")


def asked(answerer: WhyAnswerer, session: Session, script: BlockScript) -> WhyPage:
    page = answerer.answer(session, session.tick(script.at), WhyQuestion())
    while answerer.is_busy:
        answerer.go_on(session)
        page = answerer.answer(session, session.tick(script.at), WhyQuestion())
    assert page is not None
    return page
