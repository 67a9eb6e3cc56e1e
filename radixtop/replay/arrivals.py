"""When the requests of a trace arrive: at their times, or one for each that ended; in a session one after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from profiles.trace import TraceRequest
from radixtop.replay.settings import ReplaySettings

Numbered = tuple[int, TraceRequest]
"""A request and its number in the trace, from 0."""

MOST_PARKED = 1 << 14
"""How many requests may wait for their session before nobody looks further down the trace."""

_Session = tuple[str | None, str, str | None]


class Arrivals:
    """Hands the requests out one by one. `next_at` says when the next one arrives, None for not before one ends.

    A request whose session is busy is parked: it arrives when the one before it ended, if its own time has come.
    """

    def __init__(self, requests: Iterable[TraceRequest], settings: ReplaySettings, start_ns: int) -> None:
        self._stream: Iterator[Numbered] = enumerate(requests)
        self._start_ns = start_ns
        self._speed = settings.speed
        self._closed_loop = settings.closed_loop
        self._has_sessions = settings.sessions
        self._limit = settings.limit
        self._busy: dict[_Session, deque[Numbered]] = {}
        self._ready: list[tuple[int, int, TraceRequest]] = []
        self._parked = 0
        self._outstanding = 0
        self._head: Numbered | None = None
        self._next_at: int | None = None
        self._is_next_known = False
        self._advance()

    def next_at(self, now: int) -> int | None:
        """Return when the next request arrives, which may have been."""
        if not self._is_next_known:
            self._next_at = self._found_next(now)
            self._is_next_known = self._closed_loop is None  # then nothing changes it but who comes and who ends
        return self._next_at

    def _found_next(self, now: int) -> int | None:
        if self._closed_loop is not None and self._outstanding >= self._closed_loop:
            return None
        self._park()
        times = [self._ready[0][0]] if self._ready else []
        if self._head is not None and not self._is_parked(self._head[1]):
            times.append(self._due_at(self._head[1], now))
        return min(times, default=None)

    def take(self, now: int) -> Numbered:
        """Return the request that `next_at` spoke of; it is outstanding until it is said to have ended."""
        self._is_next_known = False
        head = self._head
        if self._ready and (head is None or self._is_parked(head[1]) or self._goes_first(head, now)):
            _, number, request = heappop(self._ready)
        else:
            assert head is not None, "nothing arrives"
            number, request = head
            self._advance()
        self._outstanding += 1
        session = self._session(request)
        if session is not None:
            self._busy.setdefault(session, deque())
        return number, request

    def ended(self, request: TraceRequest, now: int) -> None:
        """Take note that a request is over: the next one of its session may come."""
        self._is_next_known = False
        self._outstanding -= 1
        session = self._session(request)
        if session is None:
            return
        waiting = self._busy[session]
        if waiting:
            number, following = waiting.popleft()
            self._parked -= 1
            heappush(self._ready, (max(now, self._due_at(following, now)), number, following))
        else:
            del self._busy[session]

    def _goes_first(self, head: Numbered, now: int) -> bool:
        """Say whether what was parked goes before the head of the trace."""
        at, number, _ = self._ready[0]
        return (at, number) <= (self._due_at(head[1], now), head[0])

    def _park(self) -> None:
        """Put aside what the trace has next as long as its session is busy."""
        while self._head is not None and self._parked < MOST_PARKED and self._is_parked(self._head[1]):
            session = self._session(self._head[1])
            assert session is not None
            self._busy[session].append(self._head)
            self._parked += 1
            self._advance()

    def _is_parked(self, request: TraceRequest) -> bool:
        session = self._session(request)
        return session is not None and session in self._busy

    def _session(self, request: TraceRequest) -> _Session | None:
        if not self._has_sessions or request.session is None:
            return None
        return request.namespace, request.session, request.agent

    def _due_at(self, request: TraceRequest, now: int) -> int:
        if self._closed_loop is not None:
            return now
        return self._start_ns + round(request.at_ns / self._speed)

    def _advance(self) -> None:
        self._head = next(self._stream, None)
        if self._head is not None and self._limit is not None and self._head[0] >= self._limit:
            self._head = None
