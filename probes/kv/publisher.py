"""Publishes KV events over ZeroMQ as SGLang does, so that what subscribes to an engine can subscribe to us.

A message is three frames: topic, sequence number (8 bytes, big-endian), msgpack of [time, events, rank]. Who has
missed some asks a second socket for all batches from a number on.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from probes.errors import PublishError
from probes.kv.endpoints import HINT, shifted
from probes.kv.replay import ReplayRing
from probes.kv.sender import KVSender, Outgoing, Sockets
from probes.kv.server_flag import replay_beside

if TYPE_CHECKING:
    import zmq

EventT = TypeVar("EventT")

DEFAULT_ENDPOINT = "tcp://127.0.0.1:5557"

_LONGEST_REQUEST_BYTES = 4096
_REPLAY_HWM = 100
"""How many batches wait in a socket for one subscriber; the others wait in the ring, where they cost nothing."""


@dataclass(frozen=True, slots=True)
class PublisherOptions:
    """Where to publish and what to keep. Ports go up by `rank`.

    `replay_endpoint` is a port 1,000 away when it is None, and there is no replay when it is empty. With `bind=False`
    the publisher connects to a subscriber that binds, and replays only where it is told to.
    """

    endpoint: str = DEFAULT_ENDPOINT
    replay_endpoint: str | None = None
    topic: str = ""
    rank: int = 0
    bind: bool = True
    hwm: int = 100_000
    queue_batches: int = 100_000
    buffer_batches: int = 10_000
    buffer_bytes: int = 1 << 28
    linger_ms: int = 1000


class KVPublisher(Generic[EventT]):
    """Sends batches of events from a thread of its own. `publish` never waits: what the queue cannot take is dropped
    and counted, and its number is left out of the sequence, so that subscribers see the gap.

    `to_plain` makes an event what msgpack encodes; it is called on that thread. Raises PublishError when an
    address cannot be used.
    """

    def __init__(self, to_plain: Callable[[EventT], object], options: PublisherOptions | None = None) -> None:
        self.options = options = options or PublisherOptions()
        self.dropped_batches = 0
        self._to_plain = to_plain
        self._next = 0
        self._lost = False
        self._late_seen = 0
        self._closed = False
        sockets = _open(options)
        self.endpoint, self.replay_endpoint = _bound(sockets.live), _bound(sockets.replay)
        ring = ReplayRing(options.buffer_batches, options.buffer_bytes)
        self._sender = KVSender(sockets, ring, options.topic.encode(), options.linger_ms)
        self._sender.start()

    @property
    def published_batches(self) -> int:
        """Batches that were sent or soon will be."""
        return self._next - self.dropped_batches

    @property
    def sent_batches(self) -> int:
        """Batches that were sent."""
        return self._sender.sent_batches

    @property
    def refused_replays(self) -> int:
        """Requests for a replay that came while too many others were answered."""
        return self._sender.refused_replays

    @property
    def fault(self) -> Exception | None:
        """Why nothing is sent any more, or None."""
        return self._sender.fault

    @property
    def wants_everything(self) -> bool:
        """Whether only a batch that states all blocks anew helps a subscriber, and would get through."""
        if self._closed or self.fault is not None or len(self._sender.waiting) > self.options.queue_batches // 2:
            return False
        return self._lost or self._sender.late_requests > self._late_seen

    def publish(self, events: Sequence[EventT], *, ts: float | None = None, whole: bool = False) -> None:
        """Send a batch, stamped with the time now unless told. A `whole` one clears and then states everything."""
        sequence, self._next = self._next, self._next + 1
        sender = self._sender
        if self._closed or sender.fault is not None or len(sender.waiting) >= self.options.queue_batches:
            self.dropped_batches += 1
            self._lost = True
            return
        if whole:
            self._lost = False
            self._late_seen = sender.late_requests
        stamp = time.time() if ts is None else ts
        sender.waiting.append(Outgoing(sequence, lambda: self._encode(stamp, events), whole))
        sender.wake()

    def close(self) -> None:
        """Send what waits and close the sockets; returns within about a second of the linger time."""
        if not self._closed:
            self._closed = True
            self._sender.stop()

    def _encode(self, ts: float, events: Sequence[EventT]) -> bytes:
        import msgspec

        return msgspec.msgpack.encode([ts, [self._to_plain(event) for event in events], self.options.rank])


def _open(options: PublisherOptions) -> Sockets:
    """Return sockets at their addresses. Raises PublishError, with everything closed."""
    import zmq

    live_at = shifted(options.endpoint, options.rank)
    replay_at = _replay_address(options)
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    live = context.socket(zmq.PUB)
    live.set_hwm(options.hwm)
    replay = context.socket(zmq.ROUTER) if replay_at else None
    sockets = Sockets(context, live, replay)
    try:
        _attach(live, live_at, options.bind)
        if replay is not None:
            replay.setsockopt(zmq.ROUTER_MANDATORY, 1)
            replay.setsockopt(zmq.SNDHWM, _REPLAY_HWM)
            replay.setsockopt(zmq.MAXMSGSIZE, _LONGEST_REQUEST_BYTES)
            _attach(replay, replay_at, True)
    except PublishError:
        sockets.close(0)
        raise
    return sockets


def _replay_address(options: PublisherOptions) -> str:
    if options.replay_endpoint is not None:
        return options.replay_endpoint and shifted(options.replay_endpoint, options.rank)
    if not options.bind:
        return ""  # the address is the subscriber's
    return shifted(replay_beside(options.endpoint), options.rank)


def _attach(socket: zmq.Socket[bytes], endpoint: str, bind: bool) -> None:
    """Bind or connect. Raises PublishError that says what is wrong with the address."""
    import zmq

    if "[" in endpoint:
        socket.setsockopt(zmq.IPV6, 1)
    try:
        socket.bind(endpoint) if bind else socket.connect(endpoint)
    except zmq.ZMQError as error:
        if error.errno == errno.EADDRINUSE:
            raise PublishError(f"{endpoint} is in use", "choose another port, or end what publishes there") from error
        if error.errno in (errno.ENODEV, errno.EADDRNOTAVAIL):
            raise PublishError(f"{endpoint} is no address of this machine", HINT) from error
        raise PublishError(f"cannot publish at {endpoint}: {error}", HINT) from error


def _bound(socket: zmq.Socket[bytes] | None) -> str:
    """Return the address of a socket, with the port that it got; empty when there is none."""
    import zmq

    if socket is None:
        return ""
    address = socket.getsockopt(zmq.LAST_ENDPOINT)
    assert isinstance(address, bytes)
    return address.rstrip(b"\0").decode()
