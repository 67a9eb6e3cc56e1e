"""When something left the cache, and for whom it made room."""

from __future__ import annotations

from typing import NamedTuple

from cache_core.events import EvictionCause


class Leaving(NamedTuple):
    """At about that time; for a request and its namespace, -1 and None where nobody is named."""

    at: int
    request: int = -1
    namespace: int | None = None


class Causes:
    """Knows for whom the evict call makes room that is being told."""

    __slots__ = ("_now",)

    def __init__(self) -> None:
        self._now: EvictionCause | None = None

    def begins(self, record: EvictionCause) -> None:
        """Note that what is told next went for a request."""
        self._now = record

    def ends(self, record: object = None) -> None:
        """Note that the call was told."""
        self._now = None

    @property
    def namespace(self) -> int | None:
        """The namespace of who asks, None of nobody."""
        return None if self._now is None else self._now.namespace

    def leaving(self, at: int) -> Leaving:
        """Return what leaves now, and for whom."""
        now = self._now
        return Leaving(at) if now is None else Leaving(at, now.request, now.namespace)
