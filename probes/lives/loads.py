"""What became of the tokens that requests found in host memory: loaded back, or computed again.

A request's admission says what it found there. What was loaded of that is in its next record: its first prefill, or
its end if there is none.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from cache_core.events import LOAD_FAILED, RequestFinished, RequestPrefilled, RequestRetracted

T = TypeVar("T")
Told = RequestPrefilled | RequestFinished | RequestRetracted
"""The records that say how many tokens were loaded."""


class Loads(Generic[T]):
    """Keeps something of each request that found tokens on the host, as long as it is alive."""

    __slots__ = ("_alive",)

    def __init__(self) -> None:
        self._alive: dict[int, tuple[T, int | None]] = {}

    def expect(self, request: int, kept: T) -> None:
        """Note that a request found tokens on the host."""
        self._alive[request] = kept, None

    def told(self, record: Told) -> tuple[T, int] | None:
        """Return what is kept of a request and how many more tokens it loaded than was known; None if nothing is new.

        A load that failed after all takes back what was told of it: then the number is negative.
        """
        entry = self._alive.get(record.request)
        if entry is None:
            return None
        kept, before = entry
        loaded = 0 if record.reason == LOAD_FAILED else record.host_hit_tokens
        if type(record) is RequestPrefilled:
            self._alive[record.request] = kept, loaded
        else:
            del self._alive[record.request]
        return None if loaded == before else (kept, loaded - (before or 0))

    def clear(self) -> None:
        """Forget every request."""
        self._alive.clear()
