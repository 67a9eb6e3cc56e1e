"""How the connection of a feed is doing, from the events of its socket, and what to say about it."""

from __future__ import annotations

from typing import Literal

from probes.kv.endpoints import TCP
from probes.kv.server_flag import server_flag
from probes.window import SECOND_NS

CONNECTED, CONNECT_DELAYED, CONNECT_RETRIED = 0x1, 0x2, 0x4
ACCEPTED, CLOSED, DISCONNECTED = 0x20, 0x80, 0x200
HANDSHAKE_SUCCEEDED, HANDSHAKE_FAILED = 0x1000, 0x800 | 0x2000 | 0x4000
WATCHED = (
    CONNECTED | CONNECT_DELAYED | CONNECT_RETRIED | ACCEPTED | CLOSED | DISCONNECTED
    | HANDSHAKE_SUCCEEDED | HANDSHAKE_FAILED
)  # fmt: skip
"""The events of a ZeroMQ socket that tell something, by their numbers."""

_MUTE_NS = SECOND_NS
_NO_ANSWER_NS = 3 * SECOND_NS // 2
_STUCK_NS = 3 * SECOND_NS
_SHORT_NS = SECOND_NS
_MANY_SHORT = 2

Phase = Literal["dialling", "refused", "unnamed", "mute", "foreign", "up", "gone"]
"""Of a connection that we make. `mute`: nobody has spoken the protocol over it yet; `foreign`: nobody does."""


def flag_for(endpoint: str) -> str:
    """Return the flag that makes a server of either engine publish where we look."""
    found = TCP.fullmatch(endpoint)
    live = f"tcp://*:{found['port']}" if found else endpoint
    return f'{server_flag("sglang", live)} (vLLM: and "enable_kv_cache_events":true)'


class Connection:
    """The phase that a socket is in. It knows the socket's events alone; every call is told what time it is (ns)."""

    def __init__(self, endpoint: str, binds: bool, now: int) -> None:
        self.endpoint = endpoint
        self._binds = binds
        self._phase: Phase = "dialling"
        self._since = self._heard_at = now
        self._was_up = self._was_tried = False
        self._short_lives = 0
        self._peers: set[int] = set()

    @property
    def is_up(self) -> bool:
        """Whether somebody who speaks the protocol is at the other end."""
        return bool(self._peers) if self._binds else self._phase == "up"

    @property
    def stuck_at(self) -> int | None:
        """When the socket is to be connected anew if nothing happens: after some errors it does not try again."""
        return self._heard_at + _STUCK_NS if self._phase in ("foreign", "gone") and not self._binds else None

    def up_ns(self, now: int) -> int:
        """Return how long it has been up."""
        return now - self._since if self.is_up else 0

    def reopened(self, now: int) -> None:
        """The socket is connected anew."""
        self._heard_at = now

    def note(self, event: int, value: int, now: int) -> bool:
        """Take an event of the socket; say whether a connection was made."""
        self._heard_at = now
        if self._binds:
            return self._note_peer(event, value, now)
        if event == HANDSHAKE_SUCCEEDED:
            self._enter("up", now)
            self._was_up = True
            return True
        if event == CONNECTED and self._phase != "foreign":
            self._enter("mute", now)
        elif event == CLOSED:
            self._enter("gone" if self._was_up else "refused", now)
        elif event == CONNECT_RETRIED and not self._was_tried and TCP.fullmatch(self.endpoint):
            self._enter("unnamed", now)
        elif event == DISCONNECTED:
            self._end(now)
        elif event & HANDSHAKE_FAILED:
            self._enter("foreign", now)
        self._was_tried = event != CONNECT_RETRIED
        return False

    def message(self, now: int) -> str:
        """Say what is wrong and what to do, or nothing. Any thread may ask while another one notes."""
        phase, waited_ns = self._phase, now - self._since
        if self._binds:
            return self._no_peer() if not self._peers and waited_ns > _NO_ANSWER_NS else ""
        at = self.endpoint
        match phase:
            case "up":
                return ""
            case "dialling":
                return f"no answer from {at}; check host, port and firewall" if waited_ns > _NO_ANSWER_NS else ""
            case "refused":
                return f"nothing listens at {at}; is the server started with {flag_for(at)}?"
            case "unnamed":
                return f"the host of {at} is unknown; check its name"
            case "mute" if waited_ns <= _MUTE_NS:
                return self._gone() if self._was_up else ""
            case "mute" | "foreign":
                return self._foreign()
            case "gone":
                return self._breaks() if self._short_lives >= _MANY_SHORT else self._gone()

    def _enter(self, phase: Phase, now: int) -> None:
        if phase != self._phase:
            self._phase, self._since = phase, now

    def _end(self, now: int) -> None:
        """A connection broke: it was one, or the other end did not speak the protocol."""
        if self._phase == "up":
            self._short_lives = self._short_lives + 1 if now - self._since < _SHORT_NS else 0
            self._enter("gone", now)
        else:
            self._enter("foreign", now)

    def _note_peer(self, event: int, value: int, now: int) -> bool:
        if event == ACCEPTED:
            self._peers.add(value)
            self._enter("up", now)
        elif event == DISCONNECTED:
            self._peers.discard(value)
            if not self._peers:
                self._enter("dialling", now)
        return event == HANDSHAKE_SUCCEEDED

    def _gone(self) -> str:
        return f"the server at {self.endpoint} is gone; waiting for it to come back"

    def _breaks(self) -> str:
        return (
            f"the connection to {self.endpoint} breaks as soon as something comes: a message may be too large, "
            f"or it is not the port of KV events"
        )

    def _foreign(self) -> str:
        if self._was_up:
            return f"the server at {self.endpoint} answers no more: it hangs, or something else has its port"
        return (
            f"what listens at {self.endpoint} publishes no KV events: is it the port of HTTP or of replays? "
            f"The server publishes them with {flag_for(self.endpoint)}"
        )

    def _no_peer(self) -> str:
        return (
            f'no server has connected to {self.endpoint} yet; its "endpoint" in --kv-events-config must be this '
            "machine's name and this port, without *"
        )
