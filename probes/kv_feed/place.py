"""Where to follow events, checked, and the sockets for it."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from probes.errors import FeedError
from probes.kv.endpoints import LAST_PORT, TCP
from probes.kv_feed.question import Limits

if TYPE_CHECKING:
    import zmq

    Socket = zmq.Socket[bytes]

HINT = "use tcp://HOST:PORT, such as tcp://127.0.0.1:5557, or ipc://PATH"

_MOST_FRAMES = 8
_LONGEST_PATH_BYTES = 107
_RECONNECT_MS, _LONGEST_RECONNECT_MS = 200, 2000
_HANDSHAKE_MS = 1500
_HEARTBEAT_MS, _NO_HEARTBEAT_MS = 500, 1500
"""How often the other end is asked for a sign of life, and how long it may be silent: together, what is said within
2 s. A message larger than comes in that time would end the connection: half a megabyte at 3 Mbit/s."""


@dataclass(frozen=True, slots=True)
class Place:
    """The addresses of one publisher: live batches, and where to ask for others ("" for nowhere).

    With `binds` the publisher connects to us.
    """

    live: str
    replay: str = ""
    topic: bytes = b""
    binds: bool = False


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """What bounds a feed: what waits to be taken, what one call takes, how large a message may be."""

    limits: Limits = field(default_factory=Limits)
    waiting_batches: int = 100_000
    waiting_bytes: int = 1 << 25
    take_batches: int = 512
    take_bytes: int = 1 << 22
    largest_message_bytes: int = 1 << 26
    live_hwm: int = 100_000


def checked(place: Place) -> Place:
    """Return a place whose addresses can be. Raises FeedError that says which cannot."""
    _check(place.live, place.binds)
    if place.replay:
        _check(place.replay, False)
    return place


def live_socket(context: zmq.Context[Socket], place: Place, options: FeedOptions) -> Socket:
    """Return a SUB socket at the place. Raises FeedError when it cannot be there."""
    import zmq

    socket = context.socket(zmq.SUB)
    _bound(socket, place.live, options)
    socket.setsockopt(zmq.RCVHWM, options.live_hwm)
    socket.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
    socket.setsockopt(zmq.RECONNECT_IVL_MAX, _LONGEST_RECONNECT_MS)
    socket.setsockopt(zmq.SUBSCRIBE, place.topic)
    return socket


def attach(socket: Socket, place: Place) -> None:
    """Bind or connect the live socket. Raises FeedError that says what is wrong with the address."""
    import zmq

    try:
        socket.bind(place.live) if place.binds else socket.connect(place.live)
    except zmq.ZMQError as error:
        if error.errno == errno.EADDRINUSE:
            raise FeedError(f"{place.live} is in use", "choose another port, or end what listens there") from error
        if error.errno in (errno.ENODEV, errno.EADDRNOTAVAIL):
            raise FeedError(f"{place.live} is no address of this machine", HINT) from error
        raise FeedError(f"cannot follow {place.live}: {error}", HINT) from error


def question_socket(context: zmq.Context[Socket], place: Place, first: int, options: FeedOptions) -> Socket | None:
    """Return a DEALER socket that has asked for all batches from a number on, or None where it cannot.

    It takes in whatever comes: old servers drop what it has no room for.
    """
    import zmq

    socket = context.socket(zmq.DEALER)
    _bound(socket, place.replay, options)
    socket.setsockopt(zmq.RCVHWM, 0)
    try:
        socket.connect(place.replay)
        socket.send_multipart([b"", first.to_bytes(8, "big")], zmq.DONTWAIT)
    except zmq.ZMQError:
        socket.close(0)
        return None
    return socket


def receive(socket: Socket) -> list[bytes] | None:
    """Return the first frames of a message, more than any has that makes sense; None when none is there."""
    import zmq

    try:
        frames = [socket.recv(zmq.DONTWAIT)]
        while socket.getsockopt(zmq.RCVMORE):
            frame = socket.recv(zmq.DONTWAIT)
            if len(frames) < _MOST_FRAMES:
                frames.append(frame)
    except zmq.Again:
        return None
    return frames


def _bound(socket: Socket, endpoint: str, options: FeedOptions) -> None:
    """Set what bounds a socket, and makes it notice that the other end is gone."""
    import zmq

    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.MAXMSGSIZE, options.largest_message_bytes)
    socket.setsockopt(zmq.HANDSHAKE_IVL, _HANDSHAKE_MS)
    socket.setsockopt(zmq.HEARTBEAT_IVL, _HEARTBEAT_MS)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, _NO_HEARTBEAT_MS)
    if "[" in endpoint:
        socket.setsockopt(zmq.IPV6, 1)


def _check(endpoint: str, binds: bool) -> None:
    if endpoint.startswith("ipc://") and 0 < len(os.fsencode(endpoint)) - len("ipc://") <= _LONGEST_PATH_BYTES:
        return
    found = TCP.fullmatch(endpoint)
    if found is None or not endpoint.isprintable():
        raise FeedError(f"{endpoint!r} is no address to follow", HINT)
    port, host = int(found["port"]), found["host"].strip("[]")
    if port > LAST_PORT or not (port or binds):
        raise FeedError(f"{endpoint!r} has a port that cannot be", f"ports are 1 to {LAST_PORT}")
    if not binds and host in ("*", "0.0.0.0", "::"):
        raise FeedError(f"{endpoint!r} is where a server listens, not where it is", "name its host")
