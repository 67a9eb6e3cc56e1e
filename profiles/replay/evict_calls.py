"""Evict records that follow each other, put together to the calls they come from."""

from __future__ import annotations

from cache_core import events
from profiles.replay.operations import Evict


class EvictCalls:
    """A call asks its components in their order, and what one freed along counts for the next."""

    __slots__ = ("_asked", "_at", "_last", "_ready")

    def __init__(self) -> None:
        self._asked: dict[int, int] = {}
        self._at = 0
        self._last = -1
        self._ready: list[Evict] = []

    def take(self, record: events.Evict) -> None:
        """Take in the share of one component."""
        if record.component <= self._last:
            self._close()
        self._asked[record.component] = max(0, record.asked_tokens)
        self._at, self._last = record.at, record.component

    def ended(self) -> list[Evict]:
        """Return the calls that nothing can be added to any more: all of them."""
        if self._asked:
            self._close()
        ready, self._ready = self._ready, []
        return ready

    def _close(self) -> None:
        asked = tuple(self._asked.get(component, 0) for component in range(self._last + 1))
        self._ready.append(Evict(self._at, asked))
        self._asked.clear()
        self._last = -1
