"""The rules of putting in order, one by one."""

from __future__ import annotations

import math

import pytest

from probes.kv_feed.frame import Frame
from probes.kv_feed.happenings import Gap, Joined, Repaired, Restarted
from probes.kv_feed.limits import Limits
from probes.kv_feed.sequence import Sequencer, Step

SECOND = 1_000_000_000
LIMITS = Limits(most_held=50)


def frame(seq: int, ts: float | None = None, payload: bytes = b"") -> Frame:
    """Return a batch; what it holds follows from its number and its time."""
    ts = float(seq) if ts is None else ts
    return Frame(seq, ts, payload or f"{seq} {ts}".encode(), 0)


def test_a_publisher_is_silent_once_it_answered_that_there_is_nothing() -> None:
    rules = Sequencer(True, LIMITS)
    rules.connected(0)
    said = [rules.is_silent]
    rules.asked(0)
    rules.replay_ended(1)
    said.append(rules.is_silent)
    rules.receive(frame(0), 2)
    assert [*said, rules.is_silent] == [False, True, False]


def plain(steps: list[Step]) -> list[object]:
    """Return steps with the number in place of a batch."""
    return [step.seq if isinstance(step, Frame) else step for step in steps]


class Rules(Sequencer):
    """Rules at time 0 whose steps are collected."""

    def __init__(self, can_replay: bool = True) -> None:
        super().__init__(can_replay, LIMITS)
        self.steps: list[object] = []

    def live(self, *frames: Frame, now: int = 0) -> list[object]:
        """Take live batches; return what is to be done."""
        return plain([step for each in frames for step in self.receive(each, now)])

    def replayed(self, *frames: Frame, now: int = 0) -> list[object]:
        """Take batches of an answer; return what is to be done."""
        return plain([step for each in frames for step in self.receive_replayed(each, now)])

    def ask(self, now: int = 0) -> int | None:
        """Ask for what is wanted, and return it."""
        wanted = self.wanted
        assert wanted is not None
        self.asked(now)
        return wanted

    def end(self, now: int = 0) -> list[object]:
        """Take the end of an answer; return what is to be done."""
        return plain(self.replay_ended(now))


@pytest.fixture
def joined() -> Rules:
    """Rules that have delivered the batches 0 to 4, of which 4 was flushed at 4.0."""
    rules = Rules()
    rules.live(*map(frame, range(5)))
    assert rules.last_seq == 4
    return rules


class TestJoining:
    """Where the following begins."""

    def test_the_first_batch_of_all_needs_no_question(self) -> None:
        assert Rules().live(frame(0), frame(1)) == [Joined(0, False), 0, 1]

    def test_who_comes_late_asks_from_the_start_and_holds_what_comes_meanwhile(self) -> None:
        rules = Rules()
        rules.connected(0)
        assert rules.ask() == 0
        assert rules.live(frame(7)) == []
        assert rules.replayed(frame(5), frame(6)) == [Joined(5, True), 5, 6, 7]
        assert rules.live(frame(8)) == [8]

    def test_what_comes_both_ways_is_delivered_once(self) -> None:
        rules = Rules()
        rules.live(frame(2), frame(3))
        rules.ask()
        assert rules.replayed(*map(frame, range(5))) == [Joined(0, True), 0, 1, 2, 3, 4]
        assert rules.live(frame(4), frame(5)) == [5]
        assert rules.end() == []
        assert rules.duplicates == 3

    def test_an_answer_that_begins_with_what_is_held_is_all_there_is(self) -> None:
        rules = Rules()
        rules.connected(0)
        rules.ask()
        rules.live(frame(5))
        assert rules.replayed(frame(5)) == [Joined(5, True), 5]

    def test_an_answer_without_a_batch_begins_with_what_is_live(self) -> None:
        rules = Rules()
        rules.live(frame(7))
        rules.ask()
        assert rules.end() == [Joined(7, True), 7]

    def test_no_answer_begins_with_what_is_live_after_a_while(self) -> None:
        rules = Rules()
        rules.live(frame(7))
        rules.ask()
        assert rules.due_at == LIMITS.patience_ns
        assert rules.tick(LIMITS.patience_ns - 1) == []
        assert plain(rules.tick(LIMITS.patience_ns)) == [Joined(7, False), 7]
        assert rules.unanswered == 1

    def test_an_answer_before_anything_was_published_is_followed_by_the_first(self) -> None:
        rules = Rules()
        rules.connected(0)
        rules.ask()
        assert rules.end() == []
        assert rules.live(frame(0)) == [Joined(0, True), 0]

    def test_what_is_published_between_an_answer_and_the_subscription_is_asked_for(self) -> None:
        rules = Rules()
        rules.connected(0)
        rules.ask()
        rules.end()
        assert rules.live(frame(2)) == []
        assert rules.ask() == 0
        assert rules.replayed(frame(0), frame(1)) == [Joined(0, True), 0, 1, 2]

    def test_without_replay_it_begins_with_what_comes(self) -> None:
        rules = Rules(can_replay=False)
        rules.connected(0)
        assert rules.wanted is None
        assert rules.live(frame(7)) == [Joined(7, False), 7]

    def test_a_while_after_a_connection_the_end_is_asked_for_once_more(self, joined: Rules) -> None:
        joined.connected(0)
        joined.ask()
        joined.replayed(frame(4))
        joined.end()
        assert joined.due_at == LIMITS.look_again_ns
        joined.tick(LIMITS.look_again_ns)
        assert joined.ask() == 4
        assert joined.replayed(frame(4), frame(5)) == [5]
        joined.end()
        assert joined.due_at is None


class TestHoles:
    """Batches that are missing."""

    def test_a_hole_is_asked_for_from_the_last_known_batch_on(self, joined: Rules) -> None:
        assert joined.live(frame(7)) == []
        assert joined.ask() == 4
        assert joined.replayed(frame(4), frame(5), frame(6)) == [5, 6, 7]
        assert joined.end() == [Repaired(2)]
        assert joined.repaired == 2
        assert joined.gaps == joined.duplicates == 0

    def test_an_answer_with_holes_is_asked_for_again_until_three_have_not_helped(self, joined: Rules) -> None:
        joined.live(frame(12))
        joined.ask()
        assert joined.replayed(frame(4), frame(5), frame(8), frame(9)) == [5]
        assert joined.end() == [Repaired(3)]
        for _ in range(2):
            assert joined.ask() == 5
            assert joined.replayed(frame(5), frame(9)) == []
            assert joined.end() == []
        assert joined.ask() == 5
        assert joined.replayed(frame(5), frame(9)) == []
        assert joined.end() == [Gap(6, 7), 8, 9]
        assert joined.ask() == 9
        assert joined.replayed(frame(9), frame(10), frame(11)) == [10, 11, 12]
        assert (joined.gaps, joined.missing) == (1, 2)

    def test_an_answer_that_begins_late_is_a_gap(self, joined: Rules) -> None:
        joined.live(frame(9))
        joined.ask()
        assert joined.replayed(frame(7), frame(8)) == [Gap(5, 6), 7, 8, 9]

    def test_no_answer_is_a_gap_after_a_while_and_then_sooner(self, joined: Rules) -> None:
        joined.live(frame(6))
        joined.ask()
        assert plain(joined.tick(LIMITS.patience_ns)) == [Gap(5, 5), 6]
        joined.live(frame(8), now=LIMITS.patience_ns)
        joined.ask(LIMITS.patience_ns)
        assert joined.due_at == LIMITS.patience_ns + LIMITS.short_patience_ns

    def test_an_answer_without_an_end_is_over_after_a_silence(self, joined: Rules) -> None:
        joined.live(frame(9))
        joined.ask()
        joined.replayed(frame(4), frame(5), now=4 * SECOND)
        assert joined.due_at == 4 * SECOND + LIMITS.silence_ns
        assert joined.tick(4 * SECOND + LIMITS.silence_ns - 1) == []
        assert plain(joined.tick(4 * SECOND + LIMITS.silence_ns)) == [Repaired(1)]
        assert joined.wanted == 5

    def test_without_replay_a_hole_is_a_gap_at_once(self) -> None:
        rules = Rules(can_replay=False)
        assert rules.live(frame(0), frame(3)) == [Joined(0, False), 0, Gap(1, 2), 3]

    def test_a_batch_for_which_there_was_no_room_is_asked_for(self, joined: Rules) -> None:
        assert joined.lost(frame(5), 0) == []
        assert joined.ask() == 4
        assert joined.replayed(frame(4), frame(5)) == [5]

    def test_a_batch_for_which_there_was_no_room_is_a_gap_without_replay(self) -> None:
        rules = Rules(can_replay=False)
        rules.live(frame(0))
        assert plain(rules.lost(frame(1), 0)) == [Gap(1, 1)]
        assert rules.live(frame(2)) == [2]

    def test_what_waits_is_bounded_and_what_has_no_room_is_asked_for(self, joined: Rules) -> None:
        joined.live(*map(frame, range(6, 200)))
        assert len(joined.held) == LIMITS.most_held
        joined.ask()
        assert joined.replayed(frame(4), frame(5)) == list(range(5, 56))
        joined.end()
        assert joined.ask() == 55
        assert joined.replayed(*map(frame, range(55, 200))) == list(range(56, 200))


class TestOtherProcesses:
    """Batches of another process than before."""

    def test_a_lower_number_with_a_newer_time_is_a_restart(self, joined: Rules) -> None:
        assert joined.live(frame(0, ts=100.0)) == [Restarted(0), Joined(0, False), 0]

    def test_the_new_process_is_asked_for_its_start(self, joined: Rules) -> None:
        assert joined.live(frame(2, ts=100.0)) == [Restarted(2)]
        assert joined.ask() == 0
        assert joined.replayed(frame(0, 98.0), frame(1, 99.0)) == [Joined(0, True), 0, 1, 2]

    def test_a_batch_without_a_time_that_differs_is_a_restart(self, joined: Rules) -> None:
        assert joined.live(frame(0, ts=math.nan)) == [Restarted(0), Joined(0, False), 0]

    def test_the_same_batch_again_is_no_news(self, joined: Rules) -> None:
        assert joined.live(frame(4), frame(0)) == []
        assert joined.duplicates == 2

    def test_after_a_connection_nothing_is_delivered_before_the_process_is_known(self, joined: Rules) -> None:
        joined.connected(0)
        assert joined.ask() == 4
        assert joined.live(frame(5)) == []
        assert joined.replayed(frame(4)) == [5]

    def test_after_a_connection_a_process_that_is_ahead_is_told_by_its_batches(self, joined: Rules) -> None:
        joined.connected(0)
        joined.ask()
        assert joined.live(frame(5, ts=105.0)) == []
        assert joined.replayed(frame(4, ts=104.0)) == [Restarted(4)]
        assert joined.ask() == 0
        assert joined.replayed(*(frame(seq, 100.0 + seq) for seq in range(6))) == [Joined(0, True), *range(6)]

    def test_what_is_held_of_the_old_process_is_void(self, joined: Rules) -> None:
        joined.live(frame(8))
        joined.connected(0)
        joined.ask()
        assert joined.replayed(frame(4, ts=104.0)) == [Restarted(4)]
        joined.ask()
        assert joined.replayed(*(frame(seq, 100.0 + seq) for seq in range(7))) == [Joined(0, True), *range(7)]
        assert joined.live(frame(7, 107.0)) == [7]

    def test_after_a_connection_an_end_alone_is_a_process_that_is_behind(self, joined: Rules) -> None:
        joined.connected(0)
        joined.ask()
        assert joined.end() == [Restarted(0)]
        assert joined.wanted == 0

    def test_after_a_connection_what_cannot_be_compared_is_another_process(self, joined: Rules) -> None:
        joined.connected(0)
        joined.ask()
        assert joined.replayed(frame(100), frame(101)) == [Restarted(100)]

    def test_the_first_batch_over_a_connection_tells_of_another_process_whatever_its_clock_says(self) -> None:
        rules = Rules(can_replay=False)
        rules.live(*map(frame, range(5)))
        rules.connected(SECOND)
        assert rules.live(frame(2, ts=-3600.0)) == [Restarted(2), Joined(2, False), 2]
        rules.connected(2 * SECOND)
        assert rules.live(frame(2, ts=-3600.0), frame(3, ts=-3599.0)) == [3]

    def test_what_is_held_from_before_a_connection_is_void_though_it_seems_to_be_of_later(
        self, joined: Rules
    ) -> None:
        joined.live(frame(8, ts=1e9))
        joined.connected(SECOND)
        assert joined.ask() == 4
        began = frame(0, ts=5.0)._replace(received_at=SECOND + 1)
        assert joined.live(began, now=SECOND + 1) == [Restarted(0), Joined(0, False), 0]
        assert not joined.held

    def test_two_processes_in_turn_are_contested_and_nothing_is_asked_for(self, joined: Rules) -> None:
        for turn in range(1, 4):
            joined.live(frame(0, ts=100.0 * turn))
        assert joined.is_contested(0)
        assert joined.wanted is None
        assert not joined.is_contested(LIMITS.contested_ns)

    def test_another_batch_of_the_same_number_and_time_is_contested(self, joined: Rules) -> None:
        assert joined.live(frame(4, ts=4.0, payload=b"other")) == []
        assert joined.is_contested(0)

    def test_a_process_whose_clock_is_slow_is_followed_in_the_end(self, joined: Rules) -> None:
        joined.live(*map(frame, range(5, 300)))
        told = joined.live(*(frame(seq, ts=seq - 1000.0) for seq in range(100)))
        assert Restarted(63) in told
        joined.ask()
        assert joined.replayed(*(frame(seq, ts=seq - 1000.0) for seq in range(64)))[:2] == [Joined(0, True), 0]
        assert joined.last_seq == 99
