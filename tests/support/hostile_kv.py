"""Servers that are not what a feed looks for: sockets that send anything, and publishers that send nonsense."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import zmq

Answer = Callable[[socket.socket], None]
ANY_PORT = "tcp://127.0.0.1:0"


@contextmanager
def raw_server(answer: Answer) -> Iterator[str]:
    """Yield the address of a server that does something with every connection, then closes it."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10)
                try:
                    answer(connection)
                except OSError:
                    pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(15)


def http(connection: socket.socket) -> None:
    """Answer as a server of HTTP answers what it does not understand."""
    connection.recv(64)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def mute(connection: socket.socket) -> None:
    """Take everything and say nothing until the other end goes."""
    while connection.recv(1024):
        pass


class Publisher:
    """A PUB and a ROUTER socket that send whatever frames they are told. A context manager.

    `room` is how many messages of an answer wait to be sent; what does not fit is lost, as with the engines. `at`
    are the addresses of another one that is gone.
    """

    def __init__(self, room: int = 1000, at: Sequence[str] = (ANY_PORT, ANY_PORT)) -> None:
        self._context = zmq.Context()
        self.live: zmq.Socket[bytes] = self._context.socket(zmq.XPUB)
        self.replay: zmq.Socket[bytes] = self._context.socket(zmq.ROUTER)
        self.replay.setsockopt(zmq.SNDHWM, room)
        self.endpoint, self.replay_endpoint = map(_bind, (self.live, self.replay), at)

    def __enter__(self) -> Publisher:
        return self

    def __exit__(self, *_: object) -> None:
        self.live.close(0)
        self.replay.close(0)
        self._context.term()

    def subscribed(self) -> None:
        """Return once somebody subscribes."""
        while self.live.recv()[0] != 1:
            pass

    def send(self, *messages: Sequence[bytes]) -> None:
        """Send live messages."""
        for frames in messages:
            self.live.send_multipart(frames)

    def asked(self) -> tuple[bytes, int]:
        """Return who asks, and for which number, once somebody does."""
        identity, _, number = self.replay.recv_multipart()
        return identity, int.from_bytes(number, "big")

    def answer(self, identity: bytes, *messages: Sequence[bytes]) -> None:
        """Send the messages of an answer, as their asker sees them."""
        for frames in messages:
            self.replay.send_multipart([identity, *frames])


def _bind(bound: zmq.Socket[bytes], at: str) -> str:
    bound.setsockopt(zmq.RCVTIMEO, 20_000)
    bound.bind(at)
    found = bound.getsockopt(zmq.LAST_ENDPOINT)
    assert isinstance(found, bytes)
    return found.rstrip(b"\0").decode()
