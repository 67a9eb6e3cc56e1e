"""Tells the missed tokens of replayed requests apart by cause, as the request log of a live run does."""

from __future__ import annotations

from dataclasses import astuple

from cache_core.cache import PrefixCache
from cache_core.events import EngineStep, SchedulePass
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.request_log import RequestLogSample
from probes.lives.misses import COLUMNS, PromptTokens
from probes.lives.request_life import Life
from radixtop.replay.virtual_clock import VirtualClock

LOOK_EVERY_REQUESTS = 200
"""The log keeps the newest thousand that ended."""
LOOK_EVERY_STEPS = 500
"""The adapter holds a few thousand flushes; a step makes one or two."""

UNREAD = (EngineStep, SchedulePass)
"""As many as steps, and no prompt's fate hangs on them."""


class MissCount:
    """A probe on records as they come. `sink` takes them; `ended` names the requests that count."""

    def __init__(self, config: dict[str, object], clock: VirtualClock) -> None:
        self.sink = EmbeddedAdapter(config, clock=clock, unread=UNREAD)
        self._aggregator = Aggregator(self.sink, probes=["request_log"])
        self._clock = clock
        self._wanted: set[int] = set()
        self._newest: Life | None = None
        self._sums = [0] * COLUMNS
        self._ended = self._steps = 0

    def follow(self, cache: PrefixCache) -> None:
        """Learn what the cache has."""
        self.sink.bind(cache.snapshot_records, None)

    def ended(self, request_id: int) -> None:
        """Count a request that has just ended, once its records were read."""
        self._wanted.add(request_id)
        self._ended += 1

    def stepped(self) -> None:
        """Read what has come, now and then."""
        self._steps += 1
        if self._ended >= LOOK_EVERY_REQUESTS or self._steps >= LOOK_EVERY_STEPS:
            self.look()

    def look(self) -> None:
        """Read what has come."""
        self._ended = self._steps = 0
        self.sink.flush()
        while True:
            sample = self._aggregator.tick(self._clock()).get(RequestLogSample)
            before = self._newest
            if sample is not None:
                self._take(sample)
            if self._newest is before:
                return

    def total(self) -> PromptTokens:
        """Return what became of the prompts that counted."""
        self.look()
        return PromptTokens(*self._sums)

    def _take(self, sample: RequestLogSample) -> None:
        """Add up those that ended since the last look."""
        newest = self._newest
        for life in reversed(sample.log.done):
            if life is newest:
                break
            if life.request in self._wanted:
                self._wanted.discard(life.request)
                self._sums = [a + b for a, b in zip(self._sums, astuple(life.tokens()), strict=True)]
        if sample.log.done:
            self._newest = sample.log.done[-1]
