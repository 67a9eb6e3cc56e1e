"""The rules by which batches are put in order: what is applied, what is lost, what is to be asked for again.

Batches are numbered from 0 by the process that publishes them. Live ones come in order, with holes where something
had no room for them; an answer to a question holds those from a number on that are still kept, and may have holes,
too. A question begins one before the first that is missing: that batch is known, and one that differs under its
number is that of another process. Nothing here waits or reads a clock: every call is told what time it is (ns).
"""

from __future__ import annotations

import math

from probes.kv_feed.frame import Frame
from probes.kv_feed.happenings import Gap, Joined, Repaired, Restarted
from probes.kv_feed.held import HeldFrames, Remembered
from probes.kv_feed.limits import Limits
from probes.kv_feed.question import Question
from probes.kv_feed.rivals import Rivals

Step = Frame | Joined | Restarted | Gap | Repaired
"""What is to be applied next; a frame is a batch that is to be delivered."""

_MOST_IN_VAIN = 3


class Sequencer:
    """Puts the batches of one publisher in order.

    Whoever feeds it asks the publisher for `wanted`, says so with `asked`, and calls `tick` at `due_at`. Without
    `can_replay` nothing is ever wanted, and a hole is a gap at once.
    """

    def __init__(self, can_replay: bool, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.wanted: int | None = None
        """The first number to ask for, or None."""
        self.duplicates = self.restarts = self.gaps = self.missing = self.repaired = 0
        self.unanswered = 0
        """How many questions in a row had no answer."""
        self._can_replay = can_replay
        self._now = 0
        self._next: int | None = None
        self._known, self._known_ts = -1, -math.inf
        self._held = HeldFrames(self.limits.most_held, self.limits.most_held_bytes)
        self._remembered = Remembered()
        self._question: Question | None = None
        self._may_join = self._is_unsure = self._had_answer = False
        self._is_kept = False
        """Whether answers hold batches at all: there are publishers that keep none."""
        self._look_again_at: int | None = None
        self._rivals = Rivals(self.limits.contested_ns)
        self._vain = 0
        """How many answers in a row have helped nothing."""
        self._connected_at = 0
        self._is_new_connection = False
        """Whether a connection was made and no live batch has come over it yet."""

    @property
    def last_seq(self) -> int | None:
        """The number of the last batch that was delivered or given up, or None."""
        return None if self._next is None else self._next - 1

    @property
    def is_asking(self) -> bool:
        """Whether older batches are asked for, or will be as soon as that can be."""
        return self._question is not None or self.wanted is not None

    @property
    def is_silent(self) -> bool:
        """Whether nothing was published yet: an answer said so, and nothing has come since."""
        return self._had_answer and not self.is_asking and self._next is None and not self._held

    @property
    def held(self) -> HeldFrames:
        """The batches that wait for those before them, for checks."""
        return self._held

    @property
    def due_at(self) -> int | None:
        """When `tick` has something to do if nothing happens before, or None."""
        if self._question is not None:
            return self._question.heard_at + self._patience_ns(self._question)
        return self._look_again_at if self.wanted is None else None

    def _patience_ns(self, question: Question) -> int:
        if question.is_answered:
            return self.limits.silence_ns
        return self.limits.short_patience_ns if self.unanswered else self.limits.patience_ns

    @property
    def _replays(self) -> bool:
        return self._can_replay and not self.is_contested(self._now)

    @property
    def _has_hole(self) -> bool:
        return len(self._held) > 0 or self._known >= (self._next or 0)

    def is_contested(self, now: int) -> bool:
        """Say whether more than one process seems to publish at this address. Nothing is asked for then."""
        return self._rivals.are_there(now)

    def connected(self, now: int) -> None:
        """A connection was made: ask for what was missed, and so whether the process is still the same."""
        self._now = now
        self._connected_at = now
        self._is_new_connection = self._next is not None
        if not self._replays:
            return
        if self._next is None:
            self._held.keep(lambda _: False)
        self._is_unsure = self._next is not None
        self._question = None
        self._look_again_at = now + self.limits.look_again_ns
        self._want()

    def asked(self, now: int) -> None:
        """The question for `wanted` was sent; what still comes of an older answer is not passed on any more."""
        joined = self._next is not None
        self._question = Question(now, joined, self._has_hole, self._is_unsure)
        self.wanted = None

    def receive(self, frame: Frame, now: int) -> list[Step]:
        """Take a live batch."""
        self._now = now
        steps: list[Step] = []
        if self._admit(frame, steps):
            self._hold(frame)
            self._advance(steps)
        return steps

    def lost(self, frame: Frame, now: int) -> list[Step]:
        """A live batch came and there was no room for it: it is missing."""
        self._now = now
        steps: list[Step] = []
        if self._admit(frame, steps):
            self._know(frame)
            self._advance(steps)
        return steps

    def receive_replayed(self, frame: Frame, now: int) -> list[Step]:
        """Take a batch of an answer."""
        self._now = now
        steps: list[Step] = []
        begins = self._note_answer()
        self._is_kept = True
        if begins and self._is_foreign(frame):
            self._restart(frame, steps)
            return self._advance(steps)
        self._may_join = self._may_join or begins
        if self._is_here(frame) or (self._next is not None and frame.seq < self._next):
            self.duplicates += not begins
        else:
            self._count_as_missed(frame)
            self._hold(frame)
            if begins and self._next is not None and frame.seq > self._next:
                self._give_up_hole(steps)
        return self._advance(steps)

    def replay_ended(self, now: int) -> list[Step]:
        """The end of an answer came."""
        self._now = now
        steps: list[Step] = []
        question = self._question
        if question is None:
            return steps
        begins = self._note_answer()
        if begins and question.had_joined and (self._is_kept or question.is_catching_up):
            # The newest batch is kept, and ours is not newer than it: the numbers of this process end before ours.
            self._restart(None, steps)
            return steps
        return self._end_question(question, steps, question.has_helped or not question.had_hole)

    def tick(self, now: int) -> list[Step]:
        """Give up what takes too long, look again for what may have been missed."""
        self._now = now
        question = self._question
        if question is not None and now - question.heard_at >= self._patience_ns(question):
            self.unanswered += not question.is_answered
            return self._end_question(question, [], question.has_helped)
        if question is None and self._look_again_at is not None and now >= self._look_again_at:
            self._look_again_at = None
            self._want()
        return []

    def _note_answer(self) -> bool:
        """Note that part of an answer came; say whether it is its beginning."""
        self.unanswered = 0
        question = self._question
        if question is None:
            return False
        begins = not question.is_answered
        question.heard_at, question.is_answered = self._now, True
        if begins:
            self._had_answer = True
            self._is_unsure = False
        return begins

    def _is_here(self, frame: Frame) -> bool:
        """Say whether a batch was delivered or is held already."""
        held = self._held.get(frame.seq)
        return held.payload == frame.payload if held else self._remembered.is_same(frame) is True

    def _is_foreign(self, frame: Frame) -> bool:
        """Say whether the first batch of an answer is of another process than the last delivered.

        After a new connection one that cannot be compared counts as foreign: the batches of two processes never mix.
        """
        same = self._remembered.is_same(frame)
        return same is False or (same is None and self._question is not None and self._question.is_catching_up)

    def _admit(self, frame: Frame, steps: list[Step]) -> bool:
        """Take in a live batch if it is a new one, and say whether it was; it may be that of another process."""
        is_first, self._is_new_connection = self._is_new_connection, False
        if frame.seq > self._known:
            return True
        if self._is_here(frame):
            self.duplicates += 1
            return False
        if is_first or not frame.ts <= self._known_ts:  # over one connection, they come in order
            self._restart(frame, steps)
            return True
        if self._held.get(frame.seq) is None and (self._next is None or frame.seq >= self._next):
            return True
        if self._note_late(frame):
            self._restart(frame, steps)
            return True
        self.duplicates += 1
        return False

    def _note_late(self, frame: Frame) -> bool:
        """Note a batch that is flushed too early to be news; say whether it is of a process with a slow clock."""
        differs = self._held.get(frame.seq) is not None or self._remembered.is_same(frame) is False
        if differs and not self._is_unsure:
            self._rivals.conflict(self._now)
        return self._rivals.came_late(frame.seq)

    def _restart(self, first: Frame | None, steps: list[Step]) -> None:
        """Another process publishes, whose first batch that was seen is `first`: void everything that is older.

        Clocks may be set back, but what came before the connection was made is older.
        """
        since = math.inf if first is None else first.ts
        self._held.keep(lambda frame: frame.ts >= since and frame.received_at >= self._connected_at)
        self._remembered.clear()
        self._next, self._question = None, None
        self._may_join = self._is_unsure = self._had_answer = False
        self._known, self._known_ts = -1, -math.inf
        for frame in (self._held.newest, first):
            if frame is not None:
                self._know(frame)
        self.restarts += 1
        self._rivals.restart(self._now)
        steps.append(Restarted(first.seq if first else 0))
        self._want()
        if first is not None:
            self._hold(first)

    def _know(self, frame: Frame) -> None:
        if frame.seq > self._known:
            self._known, self._known_ts = frame.seq, frame.ts

    def _hold(self, frame: Frame) -> None:
        """Hold a batch, unless there is no room and it is not the next one: then it is missing."""
        self._know(frame)
        if self._held.get(frame.seq) is None and (frame.seq == self._next or self._held.has_room(frame)):
            self._held.add(frame)

    def _count_as_missed(self, frame: Frame) -> None:
        question = self._question
        if question is not None and question.had_joined and (question.is_catching_up or frame.seq < self._known):
            question.came += 1

    def _want(self) -> None:
        """Want what comes next, and the batch before it."""
        self.wanted = max(0, (self._next or 0) - 1) if self._replays else None

    def _advance(self, steps: list[Step]) -> list[Step]:
        """Deliver what can be; want what is missing, or give it up where nothing can be asked for."""
        if self._is_unsure or (self._next is None and not self._join(steps)):
            return steps
        self._deliver(steps)
        while self._has_hole and self._question is None and self.wanted is None:
            self._want()
            if self.wanted is None:
                self._give_up_hole(steps)
        return steps

    def _join(self, steps: list[Step]) -> bool:
        """Begin with the first batch that is held, once no older one can come; say whether it did."""
        if not self._held:
            return False
        first = self._held.first
        if first and not self._may_join and self._replays:
            if self._question is None:
                self._want()
            return False
        self._next = first
        self._may_join = False
        self.wanted = None
        steps.append(Joined(first, self._had_answer))
        return True

    def _deliver(self, steps: list[Step]) -> None:
        assert self._next is not None
        while (frame := self._held.pop(self._next)) is not None:
            self._remembered.add(frame)
            self._vain = 0
            steps.append(frame)
            self._next += 1
            if self._question is not None:
                self._question.has_helped = True

    def _give_up_hole(self, steps: list[Step]) -> None:
        """Go on behind the first hole, if there is one."""
        self._deliver(steps)
        assert self._next is not None
        if not self._has_hole:
            return
        self._vain = 0
        last = self._held.first - 1 if self._held else self._known
        steps.append(Gap(self._next, last))
        self.gaps += 1
        self.missing += last + 1 - self._next
        self._next = last + 1
        self._deliver(steps)

    def _end_question(self, question: Question, steps: list[Step], may_help: bool) -> list[Step]:
        """Nothing more comes of an answer: ask again where that may help, else give up what is missing."""
        self._question = None
        self._is_unsure = False
        if question.came:
            self.repaired += question.came
            steps.append(Repaired(question.came))
        if not may_help and self._next is None:
            self._may_join = len(self._held) > 0
        elif not may_help and not self._may_ask_again(question):
            self._give_up_hole(steps)
        return self._advance(steps)

    def _may_ask_again(self, question: Question) -> bool:
        """Say whether a hole that an answer leaves may be filled by another: engines lose parts of them.

        An answer that begins behind a hole has settled that already.
        """
        self._vain += 1
        return question.is_answered and self._is_kept and self._vain < _MOST_IN_VAIN
