"""A publisher of KV events and a network that loses, doubles and delays what it sends, without any socket."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from probes.kv_feed.frame import Frame
from probes.kv_feed.happenings import Gap, Joined, Repaired, Restarted
from probes.kv_feed.limits import Limits
from probes.kv_feed.sequence import Sequencer, Step

SECOND = 1_000_000_000
MINUTE = 60 * SECOND


def actions(losses: st.SearchStrategy[float]) -> list[st.SearchStrategy[tuple[Any, ...]]]:
    """Return what can happen on a wire: the name of one of its methods, and what that is called with."""
    return [
        st.tuples(st.just("publish"), st.integers(1, 12), losses),
        st.tuples(st.just("arrive"), st.integers(1, 12)),
        st.tuples(st.just("ask"), losses, st.booleans()),
        st.tuples(st.just("answer"), st.integers(1, 12)),
        st.tuples(st.just("wait")),
        st.tuples(st.just("overflow"), st.integers(1, 4)),
        st.tuples(st.just("reconnect")),
        st.tuples(st.just("restart")),
    ]


class Follower:
    """What a consumer knows after the steps that it was told, each checked against what may follow which."""

    def __init__(self) -> None:
        self.next: int | None = None
        self.process: bytes | None = None
        self.delivered: list[bytes] = []
        self.joined_at: list[int] = []
        self.restarts = self.repaired = 0
        self.gaps: list[tuple[int, int]] = []

    def apply(self, steps: list[Step]) -> None:
        """Check and apply steps."""
        for step in steps:
            match step:
                case Joined(first):
                    assert self.next is None, "joined twice"
                    self.next, self.process = first, None
                    self.joined_at.append(first)
                case Restarted():
                    self.next, self.restarts = None, self.restarts + 1
                case Gap(first, last):
                    assert first == self.next, f"gap from {first}, next is {self.next}"
                    assert last >= first
                    self.next = last + 1
                    self.gaps.append((first, last))
                case Repaired(batches):
                    self.repaired += batches
                case Frame():
                    self._deliver(step)

    def _deliver(self, frame: Frame) -> None:
        assert frame.seq == self.next, f"{frame.seq} was delivered, next is {self.next}"
        process, number = frame.payload.split(b":")
        assert int(number) == frame.seq
        assert self.process in (None, process), "batches of two processes as if of one"
        self.next, self.process = frame.seq + 1, process
        self.delivered.append(frame.payload)


class LossyWire:
    """A publisher, what is on its way, and the sequencer at the other end.

    `kept` is how many batches it can send again. Of an answer everything may be lost but what comes first: that
    meets an empty queue. Where nothing can be asked for, the first batch of a process arrives first: without it, one
    that goes on with the numbers of another cannot be told from it.
    """

    limits = Limits(most_held=20, most_held_bytes=400)

    def __init__(self, seed: int, kept: int, can_replay: bool = True) -> None:
        self.random = Random(seed)
        self.sequencer = Sequencer(can_replay, self.limits)
        self.follower = Follower()
        self.now = 0
        self.process = 0
        self.sent: list[Frame] = []
        self._kept = kept
        self._can_replay = can_replay
        self._ts = 0.0
        self._live: list[Frame] = []
        self._answer: list[Frame | None] = []
        self.sequencer.connected(self.now)

    def publish(self, count: int, loss: float) -> None:
        """Send batches, each of which may be lost, doubled, or change places with the one before."""
        for _ in range(count):
            frame = self._make()
            first = frame.seq == 0 and not self._can_replay
            if self.random.random() < loss and not first:
                continue
            self._live.append(frame)
            if self.random.random() < loss / 2:
                self._live.append(frame)
            if len(self._live) > 1 and self._live[-2].seq + self._can_replay and self.random.random() < loss / 2:
                self._live[-2:] = self._live[:-3:-1]

    def arrive(self, count: int) -> None:
        """Let live batches arrive."""
        for frame in self._live[:count]:
            self._told(self.sequencer.receive(self._arrived(frame), self.now))
        del self._live[:count]

    def overflow(self, count: int) -> None:
        """Let live batches arrive where there is no room for them."""
        for frame in self._live[:count]:
            self._told(self.sequencer.lost(self._arrived(frame), self.now))
        del self._live[:count]

    def ask(self, loss: float, ends: bool = True) -> None:
        """Send the question that is wanted; parts of its answer may be lost, its end with them."""
        wanted = self.sequencer.wanted
        if wanted is None:
            return
        self.sequencer.asked(self.now)
        found = [frame for frame in self.sent[-self._kept :] if frame.seq >= wanted]
        self._answer = [*found[:1], *(frame for frame in found[1:] if self.random.random() >= loss)]
        if ends or not found:
            self._answer.append(None)

    def answer(self, count: int) -> None:
        """Let parts of an answer arrive."""
        for frame in self._answer[:count]:
            if frame is None:
                self._told(self.sequencer.replay_ended(self.now))
            else:
                self._told(self.sequencer.receive_replayed(self._arrived(frame), self.now))
        del self._answer[:count]

    def wait(self) -> None:
        """Let time pass until something is due."""
        self.now = max(self.now + 1, self.sequencer.due_at or 0)
        self._told(self.sequencer.tick(self.now))

    def reconnect(self) -> None:
        """Break the connection and make it anew: what was on its way is lost."""
        if not self._can_replay and self._live and not self._live[0].seq:
            self.arrive(1)
        self._live, self._answer = [], []
        self.now += SECOND
        self.sequencer.connected(self.now)

    def restart(self) -> None:
        """Let another process publish."""
        self.process += 1
        self.sent = []
        self.now += MINUTE
        self.reconnect()

    def settle(self) -> None:
        """Lose nothing any more until nothing is on its way or due."""
        self.publish(1, loss=0.0)
        self.arrive(len(self._live))
        for _ in range(200):
            self.ask(loss=0.0)
            self.answer(len(self._answer))
            self.wait()
            if self.sequencer.wanted is None and self.sequencer.due_at is None:
                return
        raise AssertionError("the questions never end")

    def _make(self) -> Frame:
        self._ts += 1.0
        frame = self._framed(len(self.sent))
        self.sent.append(frame)
        return frame

    def _framed(self, seq: int) -> Frame:
        """Return the batch of a number; a subclass has others."""
        return Frame(seq, self._ts, b"%d:%d" % (self.process, seq), self.now)

    def _arrived(self, frame: Frame) -> Frame:
        """Return a batch as it is once it came."""
        return frame._replace(received_at=self.now)

    def _told(self, steps: list[Step]) -> None:
        self.follower.apply(steps)
        held = self.sequencer.held
        assert len(held) <= self.limits.most_held + 1
        assert held.bytes <= self.limits.most_held_bytes + max((len(frame.payload) for frame in self.sent), default=0)
