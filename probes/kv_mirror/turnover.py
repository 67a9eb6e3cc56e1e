"""How fast blocks of a rank come and go, by the times of the batches that told of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from probes.kv.wire import DEVICE
from probes.kv_mirror.places import Place, full_of
from probes.window import Counters

_WINDOW_S = 10
_STORED, _REMOVED = range(2)


class Turnover(NamedTuple):
    """Tokens/s that came to the device and went from it over the last 10 s; None before they are known."""

    stored_tokens_per_s: float | None = None
    removed_tokens_per_s: float | None = None


NO_TURNOVER = Turnover()


class TurnoverCount:
    """Counts what the places of a rank say, whenever it was: what is read late counts when it happened."""

    __slots__ = ("_came", "_place", "_seconds", "_went")

    def __init__(self) -> None:
        self.begin(())

    def begin(self, places: Iterable[Place]) -> None:
        """Count from nothing again: what is in `places` by now was counted or is void."""
        self._seconds = Counters(2)
        self._place = full_of(places, DEVICE)
        self._came, self._went = self._place.came_tokens, self._place.went_tokens

    def note(self, places: Iterable[Place], at: int) -> None:
        """Take what a batch of a time did."""
        place = full_of(places, DEVICE)
        if place is not self._place:
            is_first = not (self._came or self._went)
            self._place = place
            self._came, self._went = (0, 0) if is_first else (place.came_tokens, place.went_tokens)
        row = self._seconds.row(at)
        row[_STORED] += place.came_tokens - self._came
        row[_REMOVED] += place.went_tokens - self._went
        self._came, self._went = place.came_tokens, place.went_tokens

    def per_s(self, now: int) -> Turnover:
        """Return the rates as of now."""
        return Turnover(*(self._seconds.rate_per_s(now, column, _WINDOW_S) for column in (_STORED, _REMOVED)))
