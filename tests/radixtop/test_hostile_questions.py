"""Whatever a recording holds, every question of the screens about any moment of it has its answer, or none."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import radixtop
from radixtop.ages.page import ResidentQuestion
from radixtop.comparison.question import CompareQuestion, MarkQuestion
from radixtop.eventlog.page import EventsQuestion
from radixtop.eviction.page import NextQuestion
from radixtop.flame.page import WEIGHTS, FlameQuestion
from radixtop.playing.saved_run import SavedRun
from radixtop.question import Desk, Question
from radixtop.requestlog.page import CHOICES, RequestsQuestion, StoryQuestion
from radixtop.requestlog.page import ORDERS as REQUEST_ORDERS
from radixtop.swa.page import TombstonesQuestion
from radixtop.tree.biggest import BiggestQuestion
from radixtop.tree.node import NodeQuestion
from radixtop.tree.request import MODES, ORDERS, TreeRequest
from radixtop.why.page import WhyQuestion
from radixtop.why.trial import TrialQuestion
from tests.support.hostile import ODD, USUAL, write_hostile

SEEDS = range(40)
MOMENTS = (-(2**62), 2**62, 10**12, 10**12 + 10**9)
TEXTS = ("", "a", "\x1b[1m", "日", "[")


def questions(rng: Random) -> tuple[Question, ...]:
    """Return a question of every kind, about something that may not be."""
    number, first, count, text = (
        rng.choice(USUAL + ODD),
        rng.choice((0, 7, 2**40)),
        rng.choice((1, 40)),
        rng.choice(TEXTS),
    )
    some = frozenset(rng.sample(USUAL + ODD, 4))
    return (
        ResidentQuestion(text), MarkQuestion(rng.randrange(3)), CompareQuestion(), BiggestQuestion(),
        NextQuestion(rng.choice(("full", "swa", text)), count), TombstonesQuestion(),
        EventsQuestion(count, number, text=text),
        FlameQuestion(rng.choice((1, 80)), count, tuple(some), rng.choice(WEIGHTS)),
        RequestsQuestion(count, first, number, rng.choice(CHOICES), rng.choice(REQUEST_ORDERS)),
        StoryQuestion(number), NodeQuestion(number), WhyQuestion(rng.choice((None, number, MOMENTS[3]))),
        TrialQuestion(number),
        TreeRequest(
            first, count, rng.choice((1, 64)), some, frozenset({number}), rng.random() < 0.5, text, rng.choice(MODES),
            rng.choice(ORDERS), rng.random() < 0.5, number, rng.choice((-1, 0, 1)),
        ),
    )  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_every_question_about_any_moment_is_answered(seed: int, tmp_path: Path) -> None:
    path, rng = tmp_path / "hostile.radixtop", Random(seed)
    write_hostile(path, seed)
    run, desk = SavedRun(path, clock=lambda: 0), Desk()
    for _ in range(8):
        run.seek(rng.choice(MOMENTS))
        for _ in range(2):
            snapshot = run.tick(0)
            desk.answers(run, snapshot, questions(rng))
            assert (snapshot.faults, desk.faults) == ((), ())
    run.close()


def test_every_kind_of_question_is_asked() -> None:
    sources = "".join(path.read_text() for path in Path(radixtop.__file__).parent.rglob("*.py"))
    kinds = re.findall(r"^class (\w+):\n(?:(?:    .*)?\n)*?    answerer: ClassVar\[str\] = ", sources, re.MULTILINE)
    assert sorted(kinds) == sorted(type(question).__name__ for question in questions(Random(0)))
