"""A subscriber over real sockets: follows the live stream, and asks for what it missed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import zmq

from tests.support.kv_consumer import Mirror

DEADLINE_S = 20.0
END = b"\xff" * 8


class Subscriber:
    """A SUB and a DEALER socket with a mirror. A context manager.

    `room` is how many messages of a replay are taken in before they are read, 0 any number.
    """

    def __init__(self, live: str, replay: str, room: int = 0) -> None:
        self.mirror = Mirror()
        self._context = zmq.Context()
        self.live: zmq.Socket[bytes] = self._context.socket(zmq.SUB)
        self.live.subscribe(b"")
        self.live.connect(live)
        self.dealer: zmq.Socket[bytes] = self._context.socket(zmq.DEALER)
        self.dealer.set_hwm(room)
        self.dealer.connect(replay)

    def __enter__(self) -> Subscriber:
        return self

    def __exit__(self, *_: object) -> None:
        self.live.close(0)
        self.dealer.close(0)
        self._context.term()

    def receive(self) -> list[bytes]:
        """Return the next live message; raise TimeoutError when none comes."""
        return _receive(self.live)

    def replay(self, sequence: int) -> list[list[bytes]]:
        """Return the answer to a request for everything from a number on, its end included."""
        self.dealer.send_multipart([b"", sequence.to_bytes(8, "big")])
        return list(self._answer())

    def follow(self, upto: int) -> None:
        """Keep the mirror up to date until it has the batch `upto`: what is live, and a replay of every gap."""
        self._fill()
        while self.mirror.next_sequence <= upto:
            _, sequence, payload = self.receive()
            number = int.from_bytes(sequence, "big")
            if number > self.mirror.next_sequence:
                self._fill()
            self.mirror.receive(number, payload)

    def _fill(self) -> None:
        for frames in self.replay(self.mirror.next_sequence)[:-1]:
            self.mirror.receive(int.from_bytes(frames[-2], "big"), frames[-1])

    def _answer(self) -> Iterator[list[bytes]]:
        while True:
            frames = _receive(self.dealer)
            yield frames
            if frames[-2] == END and not frames[-1]:
                return


def first_live(subscriber: Subscriber, publish: Callable[[], None]) -> list[bytes]:
    """Publish until a message arrives: a subscription takes a moment to reach its publisher. Return the message."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        publish()
        if subscriber.live.poll(20):
            return subscriber.receive()
    raise TimeoutError("no message arrived")


def _receive(socket: zmq.Socket[bytes]) -> list[bytes]:
    if not socket.poll(int(DEADLINE_S * 1000)):
        raise TimeoutError("no message came")
    return socket.recv_multipart()
