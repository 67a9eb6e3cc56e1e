"""When something left the cache, for whom it made room, and which component was short."""

from __future__ import annotations

from typing import NamedTuple

from cache_core.events import Evict, EvictionCause


class Leaving(NamedTuple):
    """At about that time; for a request and its namespace, -1 and None where nobody is named.

    `component` is the number of the one that was short of room, None where nobody tells.
    """

    at: int
    request: int = -1
    namespace: int | None = None
    component: int | None = None


class Call:
    """One evict call: which component it was for is told last, once what it took is told."""

    __slots__ = ("at", "cause", "component")

    def __init__(self, at: int, cause: EvictionCause | None) -> None:
        self.at = at
        self.cause = cause
        self.component: int | None = None


class Causes:
    """Knows the evict call that is being told: for whom it makes room, and when."""

    __slots__ = ("_call", "now")

    def __init__(self) -> None:
        self.now: EvictionCause | None = None
        self._call: Call | None = None

    def begins(self, record: EvictionCause) -> None:
        """Note that what is told next went for a request."""
        self.now = record
        self._call = None

    def ends(self, record: Evict | None = None) -> None:
        """Note that the call was told."""
        if record is not None and self._call is not None and self._call.at == record.at:
            self._call.component = record.component
        self.now = self._call = None

    def call(self, at: int) -> Call:
        """Return the call in which something leaves at a time."""
        call = self._call
        if call is None or call.at != at:
            call = self._call = Call(at, self.now)
        return call


def leaving(call: Call | None) -> Leaving | None:
    """Return how something left, None where nobody saw it."""
    if call is None:
        return None
    cause = call.cause
    if cause is None:
        return Leaving(call.at, component=call.component)
    return Leaving(call.at, cause.request, cause.namespace, call.component)
