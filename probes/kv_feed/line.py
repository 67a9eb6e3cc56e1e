"""One publisher that is followed: its sockets, and what becomes of what they bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from probes.errors import WireError
from probes.kv_feed.connection import WATCHED, Connection
from probes.kv_feed.endpoints import Endpoints, checked
from probes.kv_feed.frame import Frame, read_message
from probes.kv_feed.limits import FeedOptions
from probes.kv_feed.outbox import Outbox
from probes.kv_feed.sender_clock import SenderClock
from probes.kv_feed.sequence import Sequencer, Step
from probes.kv_feed.sockets import live_socket, open_live, question_socket, receive
from probes.window import SECOND_NS

if TYPE_CHECKING:
    import zmq

    Socket = zmq.Socket[bytes]

_AT_A_TIME = 256
"""How many messages of one socket are taken before others have their turn."""

_UNDATED_NS = 2 * SECOND_NS
"""How long what was asked for waits for a batch that tells how long ago it was."""


class Line:
    """Follows one publisher. Any thread may make it; one thread serves it. Others read its counters, which may lag.

    Raises FeedError for an address that cannot be followed.
    """

    def __init__(
        self, context: zmq.Context[Socket], endpoints: Endpoints, options: FeedOptions, clock: Callable[[], int]
    ) -> None:
        import zmq

        self.endpoints = checked(endpoints)
        self.options = options
        self.sequencer = Sequencer(bool(endpoints.replay), options.limits)
        self.sender_clock = SenderClock()
        self.outbox = Outbox(options.waiting_batches, options.waiting_bytes, self.sender_clock)
        self.received = self.received_bytes = self.malformed = 0
        self.last_error = ""
        self.fault = ""
        self.is_changed = False
        """Whether its sockets are others than before; whoever polls them resets it."""
        self._context = context
        self._clock = clock
        self._live = live_socket(context, endpoints, options)
        self._monitor: Socket = self._live.get_monitor_socket(WATCHED)
        self._question: Socket | None = None
        self._answer_begins = False
        self._restarts = 0
        try:
            open_live(self._live, endpoints)
        except BaseException:
            self.close()
            raise
        found = self._live.getsockopt(zmq.LAST_ENDPOINT)
        assert isinstance(found, bytes)
        self.endpoint = found.rstrip(b"\0").decode() if endpoints.binds else endpoints.live
        self.connection = Connection(self.endpoint, endpoints.binds, clock())

    @property
    def sockets(self) -> tuple[Socket, ...]:
        """What to poll."""
        sockets = (self._live, self._monitor)
        return sockets if self._question is None else (*sockets, self._question)

    @property
    def due_at(self) -> int | None:
        """When it is to be served if none of its sockets is ready before, or None."""
        times = [at for at in (self.sequencer.due_at, self.connection.stuck_at) if at is not None]
        return min(times, default=None)

    @property
    def waits_for_room(self) -> bool:
        """Whether it asks for something as soon as enough is taken."""
        return self.sequencer.wanted is not None and self.connection.is_up

    def is_undated(self, now: int) -> bool:
        """Say whether what waits is of the past, and a batch that tells how long ago it was may come soon."""
        is_answered = self.sequencer.is_asking and self.connection.is_up and not self.outbox.is_crowded
        if self.sender_clock.is_known or not is_answered:
            return False
        since = self.outbox.waiting_since
        return since is not None and now - since < _UNDATED_NS

    def serve(self) -> bool:
        """Take what came and do what is due; say whether more may be there."""
        self._hear_of_connection()
        more = self._take_live()
        more = self._take_answer() or more
        now = self._clock()
        self.outbox.add(self.sequencer.tick(now))
        stuck_at = self.connection.stuck_at
        if stuck_at is not None and now >= stuck_at:
            self._connect_anew(now)
        self._ask(now)
        return more

    def close(self) -> None:
        """Close the sockets, whatever waits in them."""
        self._end_answer()
        self._live.disable_monitor()
        self._monitor.close(0)
        self._live.close(0)

    def _hear_of_connection(self) -> None:
        from zmq.utils.monitor import parse_monitor_message

        while (frames := receive(self._monitor)) is not None:
            happened = parse_monitor_message(frames)
            now = self._clock()
            if self.connection.note(int(happened["event"]), int(happened["value"]), now):
                self.sequencer.connected(now)

    def _take_live(self) -> bool:
        for _ in range(_AT_A_TIME):
            frames = receive(self._live)
            if frames is None:
                return False
            frame = self._read(frames)
            if frame is not None:
                take = self.sequencer.lost if self.outbox.is_full else self.sequencer.receive
                self._put(take(frame, frame.received_at), frame)
        return True

    def _take_answer(self) -> bool:
        for _ in range(_AT_A_TIME):
            frames = None if self._question is None else receive(self._question)
            if frames is None:
                return False
            malformed = self.malformed
            frame = self._read(frames)
            if frame is not None:
                self._take_answered(frame)
            elif malformed == self.malformed:
                self._end_answer()
                self.outbox.add(self.sequencer.replay_ended(self._clock()))
        return True

    def _take_answered(self, frame: Frame) -> None:
        """Take a batch of an answer. Without room it is dropped and asked for again.

        The first is always taken, since it tells which process answers.
        """
        if self._answer_begins or not self.outbox.is_crowded:
            self._answer_begins = False
            frame = frame._replace(is_answer=True)
            self._put(self.sequencer.receive_replayed(frame, frame.received_at), frame)

    def _put(self, steps: list[Step], frame: Frame) -> None:
        """Let what came of a batch wait, once it is known when that was."""
        if self.sequencer.restarts != self._restarts:
            self._restarts = self.sequencer.restarts
            self.sender_clock.begin()
        self.sender_clock.learn(frame)
        self.outbox.add(steps)

    def _read(self, frames: list[bytes]) -> Frame | None:
        """Return the batch of a message; None for the end of an answer, and for what makes no sense."""
        try:
            frame = read_message(frames, self._clock())
        except WireError as error:
            self.malformed += 1
            self.last_error = error.message
            return None
        self.received += 1
        self.received_bytes += len(frames[-1])
        return frame

    def _ask(self, now: int) -> None:
        """Ask for what is wanted, if there is room. Each question has its own socket, so that answers do not mix."""
        first = self.sequencer.wanted
        if first is None or not self.connection.is_up or self.outbox.is_crowded:
            return
        self._end_answer()
        self._question = question_socket(self._context, self.endpoints, first, self.options)
        self._answer_begins = self.is_changed = True
        self.sequencer.asked(now)  # without a socket, too: a question that cannot be sent has no answer

    def _end_answer(self) -> None:
        if self._question is not None:
            self._question.close(0)
            self._question = None
            self.is_changed = True

    def _connect_anew(self, now: int) -> None:
        import zmq

        self.connection.reopened(now)
        try:
            self._live.disconnect(self.endpoints.live)
        except zmq.ZMQError:
            pass  # it has given up already
        self._live.connect(self.endpoints.live)
