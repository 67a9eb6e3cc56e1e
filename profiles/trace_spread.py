"""Sessions that all begin at once, one after another instead: the load shape that their trace does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import heappop, heappush

from profiles.time_order import MOST_HELD_BYTES
from profiles.trace import Trace, TraceError, TraceRequest


def spread_sessions(trace: Trace, gap_ns: int) -> Trace:
    """Return a trace in which each session comes so much later than the one that began before it.

    Pauses within a session stay as they are, and requests of no session when they were. Raises TraceError for a gap
    that is none.
    """
    if gap_ns < 0:
        raise TraceError(f"{gap_ns} ns is no gap between sessions", "take 0 or more")
    return _Spread(trace, gap_ns)


class _Spread(Trace):
    """Holds what is due later than it was, until then."""

    def __init__(self, trace: Trace, gap_ns: int) -> None:
        self._trace = trace
        self._gap_ns = gap_ns
        self.name = f"{trace.name} (a session every {gap_ns / 1e9:,g} s)"

    def __len__(self) -> int:
        """See Trace."""
        return len(self._trace)

    def __iter__(self) -> Iterator[TraceRequest]:
        """See Trace."""
        sessions: dict[str, int] = {}
        held: list[tuple[int, int, TraceRequest]] = []
        held_bytes = 0
        for order, request in enumerate(self._trace):
            while held and held[0][0] <= request.at_ns:  # nothing to come is due before that
                held_bytes -= len(held[0][2].path)
                yield _due(held)
            number = 0 if request.session is None else sessions.setdefault(request.session, len(sessions))
            heappush(held, (request.at_ns + number * self._gap_ns, order, request))
            held_bytes += len(request.path)
            if held_bytes > MOST_HELD_BYTES:
                raise TraceError(f"{self.name} has too many requests that wait", "take a smaller gap, or less of it")
        while held:
            yield _due(held)


def _due(held: list[tuple[int, int, TraceRequest]]) -> TraceRequest:
    """Take out the request that is due first."""
    at_ns, _, request = heappop(held)
    return replace(request, at_ns=at_ns)
