"""Follows the KV events of one publisher: what it hands out is in order, and every loss is told."""

from __future__ import annotations

from probes.kv_feed.connection import flag_for
from probes.kv_feed.endpoints import Endpoints
from probes.kv_feed.happenings import FeedState, Happening
from probes.kv_feed.limits import FeedOptions
from probes.kv_feed.line import Line
from probes.kv_feed.loop import FeedLoop

_NO_TOPIC_NS = 10_000_000_000


class Feed:
    """One publisher, followed by a thread: its own, or a `loop` that serves others as well and outlives this feed.

    `topic` is what the topics of messages begin with. With `bind` the publisher connects to `endpoint`; nothing is
    replayed without an address to ask at. Raises FeedError for addresses that cannot be; what is not there is waited
    for, and `state` says so.
    """

    def __init__(
        self,
        endpoint: str,
        replay: str | None = None,
        topic: bytes | str = b"",
        *,
        bind: bool = False,
        loop: FeedLoop | None = None,
        options: FeedOptions | None = None,
    ) -> None:
        name = topic.encode() if isinstance(topic, str) else topic
        endpoints = Endpoints(endpoint, replay or "", name, bind)
        self._owns_loop = loop is None
        self._loop = FeedLoop() if loop is None else loop
        self._closed = False
        try:
            self._line = Line(self._loop.context, endpoints, options or FeedOptions(), self._loop.clock)
        except BaseException:
            if self._owns_loop:
                self._loop.close()
            raise
        self._loop.add(self._line)

    @property
    def endpoint(self) -> str:
        """Where live batches come from, or where they are waited for, with the port that was free."""
        return self._line.endpoint

    def take(self) -> list[Happening]:
        """Return what came, in order, and decoded now: so much at most that the caller is not kept for long.

        The past is not told before its end or a live batch says how long ago it was, which a moment decides.
        """
        line = self._line
        if not self._closed and line.is_undated(self._loop.clock()):
            return []
        taken = line.outbox.take(line.options.take_batches, line.options.take_bytes)
        if taken and line.waits_for_room and not line.outbox.is_crowded and not self._closed:
            self._loop.wake()
        return taken

    def state(self) -> FeedState:
        """Return how it is doing now."""
        line = self._line
        rules = line.sequencer
        now = self._loop.clock()
        since = line.outbox.waiting_since
        return FeedState(
            is_connected=line.connection.is_up and not self._closed,
            last_seq=rules.last_seq,
            received=line.received,
            bytes=line.received_bytes,
            gaps=rules.gaps,
            missing=rules.missing,
            repaired=rules.repaired,
            duplicates=rules.duplicates,
            malformed=line.malformed + line.outbox.unreadable,
            restarts=rules.restarts,
            message="" if self._closed else self._message(now),
            behind_s=0.0 if since is None else max(0, now - since) / 1e9,
            waiting=len(line.outbox),
            ended=self._closed or bool(line.fault),
            is_contested=rules.is_contested(now),
            is_catching_up=rules.is_asking or len(line.outbox) > 0,
            is_dated=line.sender_clock.is_known,
            is_silent=rules.is_silent and not line.outbox,
        )

    def close(self) -> None:
        """Stop following; returns within a second. What was not taken is there still."""
        if self._closed:
            return
        self._closed = True
        if self._owns_loop:
            self._loop.close()
        else:
            self._loop.remove(self._line)

    def _message(self, now: int) -> str:
        """Say what is wrong first, and what to do about it."""
        line = self._line
        endpoints = line.endpoints
        if line.fault:
            return f"following {endpoints.live} failed: {line.fault}"
        error = line.last_error or line.outbox.last_error
        if error and line.received <= line.outbox.unreadable:
            return f"what comes from {endpoints.live} are no KV events: {error}; is it the port of something else?"
        if said := line.connection.message(now):
            return said
        if line.sequencer.is_contested(now):
            return (
                f"more than one server seems to publish at {endpoints.live}, or one restarts over and over; "
                "give each a port of its own"
            )
        if line.sequencer.unanswered:
            return (
                f"{endpoints.replay} answers no request for missed batches, so they stay missing; "
                f"is the server started with {flag_for(endpoints.live)}?"
            )
        if endpoints.topic and not line.received and line.connection.up_ns(now) > _NO_TOPIC_NS:
            topic = ascii(endpoints.topic.decode(errors="replace"))
            return f"nothing of the topic {topic} has come from {endpoints.live}; leave it out to follow all topics"
        return ""
