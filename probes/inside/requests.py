"""Requests of an engine, as far as calls on its cache and its admission tell of them.

A waiting request is matched again and again, and only the match before its admission is its own: the newest one is
held back until the request is admitted, and told as nobody's when another one comes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from cache_core.event_codec import head
from cache_core.events import (
    Match,
    RawRecord,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRetracted,
)

UNKNOWN = -1
"""What a record says of a count that the engine does not tell."""

NOBODY = -1
"""The request of what no request asked for."""

MOST_REQUESTS = 1 << 16
"""Of more, the oldest are forgotten: they were never finished where we look."""

_ADMITTED, _PREFILLED = head(RequestAdmitted), head(RequestPrefilled)
_FINISHED, _RETRACTED = head(RequestFinished), head(RequestRetracted)
_MATCH = head(Match)


@dataclass(frozen=True, slots=True)
class RequestReadings:
    """How an engine's requests are read: what names one while it lives, and its lengths in tokens."""

    name: Callable[[Any], Hashable]
    prompt_tokens: Callable[[Any], int]
    prefix_tokens: Callable[[Any], int]
    """How many leading tokens have slots once it is admitted: what was found, and what was loaded to it."""
    output_tokens: Callable[[Any], int]


@dataclass(slots=True)
class Life:
    """What is known of a request that did not end. `held` is its newest match while it waits."""

    number: int
    held: Match | None = None
    prompt_tokens: int = 0
    device_hit_tokens: int = 0
    host_hit_tokens: int = 0
    loaded_tokens: int = 0
    prefilled_upto: int = 0
    is_admitted: bool = False


class Requests:
    """Numbers requests and tells of their lives. They are known by names that stay here."""

    def __init__(
        self, tell: Callable[[RawRecord], None], tell_match: Callable[[Match], None], readings: RequestReadings
    ) -> None:
        """`tell_match` takes matches that turned out to be nobody's."""
        self._read = readings
        self._tell = tell
        self._tell_match = tell_match
        self._lives: dict[Hashable, Life] = {}
        self._next = 1

    def matched(self, request: Any, match: Match) -> None:
        """Take a match that was made for a request; one that runs already had its own."""
        life = self._life(request)
        if life.is_admitted:
            self._tell_match(match)
            return
        if life.held is not None:
            self._tell_match(life.held)
        life.held = match

    def number(self, request: Any) -> int:
        """Return the number of a request, NOBODY where there is none."""
        return NOBODY if request is None else self._life(request).number

    def admitted(self, request: Any, at: int) -> Life:
        """Tell the admission of a request once, with the match that it was admitted on."""
        life = self._life(request)
        if life.is_admitted:
            return life
        life.is_admitted = True
        life.prompt_tokens = self._read.prompt_tokens(request)
        match, life.held = life.held, None
        recomputed = new = UNKNOWN
        if match is not None:
            self._tell((_MATCH, *match._replace(request=life.number)))
            life.device_hit_tokens, life.host_hit_tokens = match.device_hit_tokens, max(0, match.host_hit_tokens)
            usable = life.device_hit_tokens + life.host_hit_tokens
            recomputed = UNKNOWN if match.full_hit_tokens < 0 else match.full_hit_tokens - usable
            new = life.prompt_tokens - usable - max(0, recomputed)
            if life.host_hit_tokens:
                loaded = self._read.prefix_tokens(request) - life.device_hit_tokens
                life.loaded_tokens = min(max(0, loaded), life.host_hit_tokens)
        self._say(_ADMITTED, life, at, (life.host_hit_tokens, recomputed, new, 0))
        life.prefilled_upto = life.device_hit_tokens + life.loaded_tokens
        return life

    def written_back(self, request: Any, upto: int, at: int) -> None:
        """Tell a chunk of the prompt that has its slots, up to a position; UNKNOWN tells nothing."""
        life = self.admitted(request, at)
        if life.prefilled_upto < upto <= life.prompt_tokens:
            self._say(
                _PREFILLED,
                life,
                at,
                (life.loaded_tokens, 0, upto - life.prefilled_upto, self._read.output_tokens(request)),
            )
            life.prefilled_upto = upto

    def ended(self, request: Any, is_finished: bool, at: int) -> None:
        """Tell that a request left the cache: it finished, or it was preempted or aborted."""
        name = self._read.name(request)
        life = self._lives.get(name)
        if life is None:
            return
        if life.held is not None:
            self._tell_match(life.held)
        if life.is_admitted:
            kind, lost = (_FINISHED, 0) if is_finished else (_RETRACTED, UNKNOWN)
            self._say(kind, life, at, (life.loaded_tokens, lost, 0, self._read.output_tokens(request)))
        if is_finished:
            del self._lives[name]
        else:
            self._lives[name] = Life(life.number)  # it may be admitted again

    def let_go(self) -> None:
        """Tell the matches that are held back as nobody's: what they found is of no use to the requests any more."""
        for life in self._lives.values():
            if life.held is not None:
                self._tell_match(life.held)
                life.held = None

    def _say(self, kind: int, life: Life, at: int, counts: tuple[int, int, int, int]) -> None:
        host, recomputed, new, outputs = counts
        self._tell(
            (kind, at, life.number, life.prompt_tokens, life.device_hit_tokens, host, recomputed, new, outputs, 0)
        )

    def _life(self, request: Any) -> Life:
        name = self._read.name(request)
        life = self._lives.get(name)
        if life is None:
            life = self._lives[name] = Life(self._next)
            self._next += 1
            if len(self._lives) > MOST_REQUESTS:
                forgotten = self._lives.pop(next(iter(self._lives)))
                if forgotten.held is not None:
                    self._tell_match(forgotten.held)
        return life
