"""The polling thread: what it posts, and what it makes of a source that fails."""

from __future__ import annotations

from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import ClassVar

from probes.snapshot import Snapshot
from radixtop.errors import RadixtopError
from radixtop.messages import Frame
from radixtop.poller import Poller
from radixtop.question import Answerer, Question
from radixtop.source import Source
from radixtop.tree.node import NodeAnswer, NodeQuestion
from radixtop.tree.request import TreeRequest
from radixtop.tree.rows import TreePage
from tests.support.watched import NOW, SECOND, FakeSource

WAIT_S = 30.0
"""How long a test waits for another thread before it fails."""


def polled(source: FakeSource, *times: int, question: Question | None = None) -> list[Frame]:
    """Return the frames of steps at `times`."""
    frames: list[Frame] = []
    poller = Poller(source, frames.append, hz=2.0)
    poller.ask(() if question is None else (question,))
    for time in times:
        poller.step(time)
    return frames


def test_frames_come_at_their_rate_and_ticks_at_least_four_times_a_second() -> None:
    source = FakeSource()
    frames: list[Frame] = []
    poller = Poller(source, frames.append, hz=1.0)
    for quarter in range(8):
        poller.step(NOW + quarter * SECOND // 4, is_asked=False)
    assert (source.ticks, len(frames)) == (8, 2)


def test_a_fast_screen_ticks_as_often_as_it_draws() -> None:
    source = FakeSource()
    frames: list[Frame] = []
    poller = Poller(source, frames.append, hz=10.0)
    for tenth in range(10):
        poller.step(NOW + tenth * SECOND // 10, is_asked=False)
    assert (source.ticks, len(frames)) == (10, 10)


def test_while_more_waits_the_next_tick_is_due_at_once() -> None:
    source = FakeSource()
    poller = Poller(source, lambda frame: None, hz=1.0)
    for more in (True, True, False, False):
        source.state = replace(source.state, has_more=more)
        poller.step(NOW, is_asked=False)
    assert source.ticks == 3


def test_a_death_is_shown_when_it_is_seen() -> None:
    source = FakeSource()
    frames: list[Frame] = []
    poller = Poller(source, frames.append, hz=0.2)
    poller.step(NOW, is_asked=False)
    source.die("lost", "killed")
    poller.step(NOW + SECOND, is_asked=False)
    poller.step(NOW + 2 * SECOND, is_asked=False)
    assert [frame.snapshot.source.state for frame in frames if frame.snapshot] == ["live", "lost"]


def test_a_question_between_ticks_is_answered_with_what_is_known() -> None:
    source = FakeSource()
    frames = polled(source, NOW, NOW + 1)
    assert source.ticks == 1 and frames[1].snapshot is frames[0].snapshot


def test_no_tree_is_cut_unless_it_is_wanted() -> None:
    assert polled(FakeSource(), NOW)[0].answers == ()
    page = polled(FakeSource(), NOW, question=TreeRequest(count=3))[0].answer(TreePage)
    assert page is not None and len(page.rows) == 3


def test_a_source_without_a_tree_has_no_page() -> None:
    assert polled(FakeSource(mirror=None), NOW, question=TreeRequest(count=3))[0].answers == ()


def test_a_node_is_read_while_it_is_in_the_tree() -> None:
    answer = polled(FakeSource(), NOW, question=NodeQuestion(2))[0].answer(NodeAnswer)
    assert answer is not None and answer.detail is not None and answer.detail.node == 2
    assert polled(FakeSource(), NOW, question=NodeQuestion(77))[0].answer(NodeAnswer) == NodeAnswer(77, None)


def test_a_failing_source_is_named_and_what_was_seen_is_kept() -> None:
    source = FakeSource()
    frames: list[Frame] = []
    poller = Poller(source, frames.append)
    poller.step(NOW)
    source.error = OSError("ring is gone")
    poller.step(NOW + SECOND)
    poller.step(NOW + 2 * SECOND)
    assert source.ticks == 2
    assert frames[-1].failure == "OSError: ring is gone"
    assert frames[-1].snapshot is frames[0].snapshot


def test_errands_are_run_on_the_polling_thread_in_order() -> None:
    done: list[int] = []
    poller = Poller(FakeSource(), lambda frame: None)
    poller.run_errand(lambda source: done.append(1))
    poller.run_errand(lambda source: done.append(2))
    assert done == []
    poller.step(NOW)
    assert done == [1, 2]


def test_the_thread_ticks_answers_at_once_and_ends() -> None:
    posted: SimpleQueue[Frame] = SimpleQueue()
    poller = Poller(FakeSource(), posted.put, hz=0.001)
    poller.start()
    assert isinstance(posted.get(timeout=WAIT_S).snapshot, Snapshot)
    poller.ask((TreeRequest(count=2),))
    while posted.get(timeout=WAIT_S).answer(TreePage) is None:
        pass
    poller.stop()
    assert not poller._thread.is_alive()


def test_a_higher_rate_does_not_wait_for_the_old_one() -> None:
    posted: SimpleQueue[Frame] = SimpleQueue()
    source = FakeSource()
    poller = Poller(source, posted.put, hz=0.001)
    poller.start()
    posted.get(timeout=WAIT_S)
    poller.set_rate(200.0)
    while source.ticks < 3:
        posted.get(timeout=WAIT_S)
    poller.stop()


def test_an_errand_that_fails_is_told_and_the_source_stays() -> None:
    source = FakeSource()
    frames: list[Frame] = []
    poller = Poller(source, frames.append, hz=1.0)

    def fail(source: object) -> None:
        raise RadixtopError("there is no other moment to go to")

    poller.run_errand(fail)
    poller.step(NOW, is_asked=False)
    poller.run_errand(lambda source: 1 // 0)
    poller.step(NOW + 1, is_asked=False)
    assert [frame.notice for frame in frames] == [
        (1, "there is no other moment to go to"),
        (2, "ZeroDivisionError: integer division or modulo by zero"),
    ]
    assert (source.ticks, frames[-1].failure) == (2, "")


class Trap(Answerer["Trapped"]):
    """Fails at every answer."""

    def answer(self, source: Source, snapshot: Snapshot, question: Trapped) -> object | None:
        raise ValueError("half \x1b[2J of a tree")


@dataclass(frozen=True)
class Trapped:
    """A question that nobody can answer."""

    answerer: ClassVar[str] = f"{__name__}:Trap"


def test_an_answer_that_fails_is_told_once_and_the_others_come() -> None:
    source = FakeSource()
    frames: list[Frame] = []
    poller = Poller(source, frames.append, hz=2.0)
    poller.ask((Trapped(), TreeRequest(count=3)))
    for number in range(3):
        poller.step(NOW + number * SECOND)
    assert [frame.notice for frame in frames] == [(1, "Trap has no answer: ValueError: half ·[2J of a tree")] * 3
    assert source.ticks == 3
    assert all(frame.answer(TreePage) is not None and not frame.failure for frame in frames)


def test_a_probe_that_fails_is_told_once() -> None:
    source = FakeSource()
    frames: list[Frame] = []
    poller = Poller(source, frames.append, hz=2.0)
    tick = source.tick
    source.tick = lambda now: replace(tick(now), faults=("ages is not known any more: KeyError: 7",))  # type: ignore[method-assign]
    for number in range(3):
        poller.step(NOW + number * SECOND)
    assert [frame.notice for frame in frames] == [(1, "ages is not known any more: KeyError: 7")] * 3
