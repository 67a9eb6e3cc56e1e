"""The sockets that events come through."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from probes.errors import FeedError
from probes.kv_feed.endpoints import HINT, Endpoints
from probes.kv_feed.limits import FeedOptions

if TYPE_CHECKING:
    import zmq

    Socket = zmq.Socket[bytes]

_MOST_FRAMES = 8
_RECONNECT_MS, _LONGEST_RECONNECT_MS = 200, 2000
_HANDSHAKE_MS = 1500
_HEARTBEAT_MS, _NO_HEARTBEAT_MS = 500, 1500
"""How often the other end is asked for a sign of life, and how long it may be silent: together, what is said within
2 s. A message larger than comes in that time would end the connection: half a megabyte at 3 Mbit/s."""


def live_socket(context: zmq.Context[Socket], endpoints: Endpoints, options: FeedOptions) -> Socket:
    """Return a SUB socket at the endpoints. Raises FeedError when it cannot be there."""
    import zmq

    socket = context.socket(zmq.SUB)
    _bound(socket, endpoints.live, options)
    socket.setsockopt(zmq.RCVHWM, options.live_hwm)
    socket.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
    socket.setsockopt(zmq.RECONNECT_IVL_MAX, _LONGEST_RECONNECT_MS)
    socket.setsockopt(zmq.SUBSCRIBE, endpoints.topic)
    return socket


def open_live(socket: Socket, endpoints: Endpoints) -> None:
    """Bind or connect the live socket. Raises FeedError that says what is wrong with the address."""
    import zmq

    try:
        socket.bind(endpoints.live) if endpoints.binds else socket.connect(endpoints.live)
    except zmq.ZMQError as error:
        if error.errno == errno.EADDRINUSE:
            raise FeedError(
                f"{endpoints.live} is in use", "choose another port, or end what listens there"
            ) from error
        if error.errno in (errno.ENODEV, errno.EADDRNOTAVAIL):
            raise FeedError(f"{endpoints.live} is no address of this machine", HINT) from error
        raise FeedError(f"cannot follow {endpoints.live}: {error}", HINT) from error


def question_socket(
    context: zmq.Context[Socket], endpoints: Endpoints, first: int, options: FeedOptions
) -> Socket | None:
    """Return a DEALER socket that has asked for all batches from a number on, or None where it cannot.

    It takes in whatever comes: old servers drop what it has no room for.
    """
    import zmq

    socket = context.socket(zmq.DEALER)
    _bound(socket, endpoints.replay, options)
    socket.setsockopt(zmq.RCVHWM, 0)
    try:
        socket.connect(endpoints.replay)
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
