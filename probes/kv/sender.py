"""The thread of a KV event publisher: encodes batches, sends them, and answers who asks for them again."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probes.kv.replay import END, ReplayRing, Replays

if TYPE_CHECKING:
    import zmq

SEQUENCE_BYTES = 8

_RETRY_MS = 5
"""How soon an answer goes on that its subscriber was too slow for."""


@dataclass(frozen=True, slots=True)
class Sockets:
    """What a sender owns once it runs: the context, PUB, and ROUTER unless nothing is replayed."""

    context: zmq.Context[zmq.Socket[bytes]]
    live: zmq.Socket[bytes]
    replay: zmq.Socket[bytes] | None

    def close(self, linger_ms: int) -> None:
        """Close everything; what was sent may take that long to leave."""
        for socket in (self.live, self.replay):
            if socket is not None:
                socket.close(linger_ms)
        self.context.term()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A batch to send: `encode` makes its payload; `whole` says that it states everything, from nothing."""

    sequence: int
    encode: Callable[[], bytes]
    whole: bool


class KVSender(threading.Thread):
    """Sends what is put into it until it is stopped, then what is left, and closes the sockets.

    `waiting` is filled by one thread alone, which rings after that. `fault` is why it gave up, if it did.
    """

    def __init__(self, sockets: Sockets, ring: ReplayRing, topic: bytes, linger_ms: int) -> None:
        super().__init__(name="kv-events", daemon=True)
        self.waiting: deque[Outgoing] = deque()
        self.sent_batches = 0
        self.late_requests = 0
        """How often a subscriber asked for batches that are gone while none that is kept states everything."""
        self.fault: Exception | None = None
        self._sockets = sockets
        self._ring = ring
        self._replays = Replays(ring)
        self._topic = topic
        self._linger_ms = linger_ms
        self._whole_at = -1
        self._stopping = False
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    @property
    def refused_replays(self) -> int:
        """Requests that came while too many others were answered."""
        return self._replays.refused

    def wake(self) -> None:
        """Let the thread see what waits."""
        os.eventfd_write(self._bell, 1)

    def stop(self) -> None:
        """Let the thread send what waits and end; returns once it did."""
        self._stopping = True
        self.wake()
        self.join()
        os.close(self._bell)

    def run(self) -> None:
        """Send and answer until stopped."""
        try:
            self._serve()
        except Exception as error:  # noqa: BLE001 - the thread's end is told to whoever publishes
            self.fault = error
        finally:
            self._sockets.close(self._linger_ms)

    def _serve(self) -> None:
        import zmq

        poller = zmq.Poller()
        poller.register(self._bell, zmq.POLLIN)
        if self._sockets.replay is not None:
            poller.register(self._sockets.replay, zmq.POLLIN)
        while not (self._stopping and not self.waiting):
            ready = dict(poller.poll(_RETRY_MS if self._replays else None))
            if self._bell in ready:
                os.eventfd_read(self._bell)
            while self.waiting:
                self._send(self.waiting.popleft())
            if self._sockets.replay in ready:
                self._take_requests()
            self._replays.serve(self._answer)

    def _send(self, batch: Outgoing) -> None:
        payload = batch.encode()
        self._ring.append(batch.sequence, payload)
        if batch.whole:
            self._whole_at = batch.sequence
        self._sockets.live.send_multipart([self._topic, _sequence(batch.sequence), payload])
        self.sent_batches += 1

    def _take_requests(self) -> None:
        """Take the requests that are there: identity, an empty frame, a sequence number. Others are ignored."""
        import zmq

        assert self._sockets.replay is not None
        while True:
            try:
                frames = self._sockets.replay.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                return
            if len(frames) == 3 and not frames[1] and len(frames[2]) == SEQUENCE_BYTES:
                self._ask(frames[0], int.from_bytes(frames[2], "big"))

    def _ask(self, identity: bytes, sequence: int) -> None:
        oldest = self._ring.oldest
        if sequence < oldest and self._whole_at < oldest:
            self.late_requests += 1
        self._replays.ask(identity, sequence)

    def _answer(self, identity: bytes, sequence: int, payload: bytes) -> bool | None:
        import zmq

        assert self._sockets.replay is not None
        topic = b"" if sequence == END else self._topic
        frames = [identity, b"", topic, _sequence(sequence), payload]
        try:
            self._sockets.replay.send_multipart(frames, zmq.DONTWAIT)
        except zmq.Again:
            return False
        except zmq.ZMQError:
            return None  # the subscriber has left
        return True


def _sequence(number: int) -> bytes:
    return number.to_bytes(SEQUENCE_BYTES, "big", signed=number < 0)
