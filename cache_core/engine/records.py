"""The engine's own records: a request waits, speaks first, is refused; the queue was ordered; a step ended."""

from __future__ import annotations

from collections.abc import Callable

from cache_core.cache import PrefixCache
from cache_core.emission import emit
from cache_core.event_codec import head
from cache_core.events import EngineStep, RequestFirstToken, RequestQueued, RequestRefused, SchedulePass
from cache_core.schedule import Plan

_QUEUED = head(RequestQueued)
_FIRST_TOKEN = head(RequestFirstToken)
_REFUSED = head(RequestRefused)
_STEP = head(EngineStep)
_PASS = head(SchedulePass)


FLUSH_EVERY_NS = 20_000_000
"""Steps may be a few ms long, and a flush costs as much as 50 records: more often would show nobody anything."""


class Emitter:
    """Writes the engine's records into the sink of the cache, when it has one."""

    __slots__ = ("_cache", "_clock", "_flushed")

    def __init__(self, cache: PrefixCache, clock: Callable[[], int]) -> None:
        self._cache = cache
        self._clock = clock
        self._flushed = 0

    def queued(self, request: int, prompt_tokens: int) -> None:
        """A request waits for admission."""
        self._request(_QUEUED, request, prompt_tokens)

    def first_token(self, request: int, prompt_tokens: int) -> None:
        """The first output token of a request was sampled."""
        self._request(_FIRST_TOKEN, request, prompt_tokens, output_tokens=1)

    def refused(self, request: int, prompt_tokens: int, final_tokens: int, reason: int) -> None:
        """A request that would hold `final_tokens` at its end is not served; `reason` is a key of events.REASONS."""
        self._request(_REFUSED, request, prompt_tokens, new_tokens=final_tokens, reason=reason)

    def began(self) -> int:
        """Return the time, for a record that says how long something took; 0 when nobody listens."""
        return 0 if self._cache.sink is None else self._clock()

    def scheduled(self, began: int, waiting: int, plan: Plan, limit: int | None) -> None:
        """A queue of `waiting` requests was ordered; `limit` is past how many the schedule falls back."""
        if self._cache.sink is not None:
            at, fell_back = self._clock(), int(plan.fell_back)
            most = -1 if limit is None else limit
            emit(self._cache, (_PASS, at, at - began, waiting, len(plan.deprioritised), fell_back, most))

    def step(self, duration_ns: int, prefill_tokens: int, decode_tokens: int, queue: tuple[int, int]) -> None:
        """A forward pass ended; `queue` is (running, waiting) after it."""
        if self._cache.sink is not None:
            emit(self._cache, (_STEP, self._clock(), duration_ns, prefill_tokens, decode_tokens, *queue))

    def stepped(self, goes_on: bool) -> None:
        """Publish what waits after a step, unless that was done a moment ago and another step follows."""
        if self._cache.sink is not None:
            now = self._clock()
            if not goes_on or now - self._flushed >= FLUSH_EVERY_NS:
                self._flushed = now
                self.flush()

    def flush(self) -> None:
        """Publish what waits."""
        if self._cache.sink is not None:
            self._cache.flush_sink(self._cache.sink)

    def _request(
        self,
        head_word: int,
        request: int,
        prompt_tokens: int,
        new_tokens: int = 0,
        output_tokens: int = 0,
        reason: int = 0,
    ) -> None:
        if self._cache.sink is not None:
            amounts = prompt_tokens, 0, 0, 0, new_tokens, output_tokens
            emit(self._cache, (head_word, self._clock(), request, *amounts, reason))
