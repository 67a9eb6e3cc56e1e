"""A part of a trace: its first requests, those of its first sessions, or those of its first hour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from profiles.trace import Trace, TraceError, TraceRequest


@dataclass(frozen=True, slots=True)
class TraceCut:
    """What of a trace is wanted; None wants all. Sessions count in the order in which they first ask for something.

    `within_ns` is the time after the first request in which those wanted come.
    """

    requests: int | None = None
    sessions: int | None = None
    within_ns: int | None = None

    @property
    def words(self) -> str:
        """What is wanted, as part of a name; empty for all."""
        parts = []
        if self.requests is not None:
            parts.append(f"first {self.requests:,} requests")
        if self.sessions is not None:
            parts.append(f"first {self.sessions:,} sessions")
        if self.within_ns is not None:
            parts.append(f"first {self.within_ns / 1e9:,g} s")
        return ", ".join(parts)


def cut_trace(trace: Trace, cut: TraceCut) -> Trace:
    """Return the part of a trace that is wanted, which reads as the trace does.

    Raises TraceError when nothing is left, or sessions are wanted of a trace that has none.
    """
    return _Part(trace, cut) if cut.words else trace


class _Part(Trace):
    def __init__(self, trace: Trace, cut: TraceCut) -> None:
        self._trace = trace
        self._cut = cut
        self.name = f"{trace.name} ({cut.words})"
        self._requests = sum(1 for _ in self)
        if not self._requests:
            raise TraceError(f"{self.name} holds no request", "ask for more of it")

    def __len__(self) -> int:
        """See Trace."""
        return self._requests

    def __iter__(self) -> Iterator[TraceRequest]:
        """See Trace."""
        cut = self._cut
        sessions: set[str] = set()
        taken = 0
        for request in self._trace:
            late = cut.within_ns is not None and request.at_ns >= cut.within_ns
            if late or (cut.requests is not None and taken >= cut.requests):
                return
            if cut.sessions is not None:
                if request.session is None:
                    raise TraceError(f"{self._trace.name} has requests of no session", "cut it by requests")
                if request.session not in sessions:
                    if len(sessions) >= cut.sessions:
                        continue
                    sessions.add(request.session)
            taken += 1
            yield request
