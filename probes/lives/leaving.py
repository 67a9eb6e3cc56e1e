"""When something left the cache, and for whom it made room."""

from __future__ import annotations

from typing import NamedTuple

from cache_core.events import EvictionCause

Gone = tuple[int, EvictionCause | None]
"""When, and what was told of why, if anything was."""


class Leaving(NamedTuple):
    """At about that time; for a request and its namespace, -1 and None where nobody is named."""

    at: int
    request: int = -1
    namespace: int | None = None


class Causes:
    """Knows for whom the evict call makes room that is being told."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now: EvictionCause | None = None

    def begins(self, record: EvictionCause) -> None:
        """Note that what is told next went for a request."""
        self.now = record

    def ends(self, record: object = None) -> None:
        """Note that the call was told."""
        self.now = None


def leaving(gone: Gone | None) -> Leaving | None:
    """Return how something left, None where nobody saw it."""
    if gone is None:
        return None
    at, cause = gone
    return Leaving(at) if cause is None else Leaving(at, cause.request, cause.namespace)
