"""What a change gives, measured beside the screen: the figures of `radixtop why`, one trial at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from profiles.evidence.gather import evidence_of_file
from profiles.finding import Finding
from profiles.profile import RecordedProfile
from profiles.ranking import diagnose
from radixtop.playing.saved_run import SavedRun
from radixtop.session import Session
from radixtop.source import Source
from radixtop.why import rerun
from radixtop.why.answerer import NOT_KEPT
from radixtop.why.trial import Trial, TrialQuestion, Trials
from radixtop.why.trying import TrialAnswerer
from radixtop.why.what_if import Replays, measured
from tests.support.block_script import BlockScript
from tests.support.processes import children_of, is_running, until
from tests.support.saved_runs import go, middle
from tests.support.watched import FakeSource

SETTINGS = (("full_slots", 9_000),)


@pytest.fixture
def answerer() -> Iterator[TrialAnswerer]:
    one = TrialAnswerer()
    yield one
    one.close()


@pytest.fixture(scope="module")
def first(path: Path) -> Finding:
    """Return the first finding, as the command measures it."""
    evidence = evidence_of_file(path)
    with RecordedProfile(path) as profile:
        return measured(profile, evidence, diagnose(evidence)[:1], Replays(120, lambda said: None))[0]


def asked(answerer: TrialAnswerer, source: Source, number: int = 1, name: str = "capacity_small") -> Trials:
    moment = None if source.transport is None else source.transport.moment
    snapshot = source.tick(0 if moment is None else moment.end)
    return answerer.answer(source, snapshot, TrialQuestion(number, name, SETTINGS if name else ()))


def over(answerer: TrialAnswerer, source: Source, number: int = 1) -> Trial:
    """Return the trial once it is over."""
    trial = asked(answerer, source, number).known["capacity_small"]

    def is_over() -> bool:
        nonlocal trial
        answerer.go_on(source)
        trial = asked(answerer, source, number).known["capacity_small"]
        return trial.is_over

    until(is_over, 30, "the end of the trial")
    return trial


def test_it_says_what_the_command_says(answerer: TrialAnswerer, run: SavedRun, first: Finding) -> None:
    assert first.change is not None and first.change.settings == SETTINGS
    trial = over(answerer, run)
    assert run.moment is not None
    assert trial == Trial(SETTINGS, run.moment.at, trial.served, 480, first.gain)


def test_a_live_run_is_replayed_up_to_now_from_what_is_kept(
    answerer: TrialAnswerer, path: Path, first: Finding
) -> None:
    session, script = live(path, 1 << 22)
    while script.blocks:
        session.tick(script.at)
    session.tick(script.at)
    assert over(answerer, session).gain == first.gain
    session.close()


def test_only_what_happened_up_to_the_moment_is_replayed_and_what_is_known_is_kept(
    answerer: TrialAnswerer, run: SavedRun
) -> None:
    go(run, middle(run))
    half = over(answerer, run)
    again = over(answerer, run, 2)
    assert half.gain is not None and half.gain == again.gain
    assert half.of == 2 * again.of and 100 < again.of < 200
    assert not asked(answerer, run, 3).known["capacity_small"].is_over
    assert asked(answerer, run, 4, "").known == {"capacity_small": again}


def test_another_trial_ends_the_one_before_and_none_ends_it_too(answerer: TrialAnswerer, run: SavedRun) -> None:
    others = {*children_of(os.getpid())}
    asked(answerer, run)
    (before,) = {*children_of(os.getpid())} - others
    assert asked(answerer, run, 2, "dead_weight").running == "dead_weight"
    (now,) = {*children_of(os.getpid())} - others
    assert now != before and not is_running(before)
    assert asked(answerer, run, 3, "") == Trials()
    assert not is_running(now)


def test_a_process_that_dies_is_told(answerer: TrialAnswerer, run: SavedRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rerun, "PROGRAM", "tests.support.no_such_program")
    assert "its process ended with exit code 1" in over(answerer, run).trouble


def test_a_run_of_too_few_requests_is_not_replayed(answerer: TrialAnswerer, run: SavedRun) -> None:
    assert run.moment is not None
    go(run, run.moment.start + 1)
    assert over(answerer, run).trouble.startswith("fewer than 8 requests")


def test_of_what_is_not_kept_nothing_is_measured(answerer: TrialAnswerer, path: Path) -> None:
    assert over(answerer, FakeSource()).trouble == NOT_KEPT
    session, script = live(path, 0)
    session.tick(script.at)
    assert over(answerer, session, 2).trouble.startswith("no history is kept: ")
    session.close()


def live(path: Path, history_bytes: int) -> tuple[Session, BlockScript]:
    """Return a live source over the blocks of the recording."""
    script = BlockScript(path)
    session = Session(script)  # type: ignore[arg-type]
    session.keep(script, history_bytes)
    return session, script
