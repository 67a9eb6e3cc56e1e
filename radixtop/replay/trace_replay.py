"""Replays a trace of requests on a cache and the engine's scheduler, with a virtual clock and no model.

The hot path builds no record unless somebody takes them: figures come from what the engine returns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice

from cache_core.cache import PrefixCache
from cache_core.control import build
from cache_core.engine.generation import Finished
from cache_core.events import EventSink
from profiles.trace import Trace, TraceRequest
from radixtop.replay.arrivals import Arrivals
from radixtop.replay.block_cache import BlockCache
from radixtop.replay.miss_count import MissCount
from radixtop.replay.pool_watch import PoolWatch
from radixtop.replay.prompts import BlockPrompts, Prompts, TokenPrompts, block_config
from radixtop.replay.replay_sums import ReplaySums
from radixtop.replay.result import ReplayResult, Spread
from radixtop.replay.settings import ReplaySettings
from radixtop.replay.sinks import Follower, Tee
from radixtop.replay.trace_engine import TraceEngine
from radixtop.replay.virtual_clock import VirtualClock

PROGRESS_EVERY_NS = 100_000_000


@dataclass(frozen=True, slots=True)
class ReplayProgress:
    """How far a replay is."""

    requests: int
    prompt_tokens: int
    hit_tokens: int
    virtual_ns: int


def replay_trace(
    requests: Iterable[TraceRequest],
    settings: ReplaySettings,
    *,
    sink: EventSink | None = None,
    clock: VirtualClock | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[ReplayProgress], object] | None = None,
) -> ReplayResult:
    """Replay `requests`, which come in the order of their times, and return the figures.

    `sink` gets the records of the cache; one that stamps anything goes by the same `clock`. `stop` is asked after
    every step whether to end with what there is, `progress` is told ten times a second how far it is.
    """
    return _Replay(requests, settings, sink, clock or VirtualClock()).run(stop, progress)


class _Replay:
    """One run."""

    def __init__(
        self, requests: Iterable[TraceRequest], settings: ReplaySettings, sink: EventSink | None, clock: VirtualClock
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._begin_ns = clock.now
        in_blocks = settings.tokens == "blocks"
        self._slot_tokens, requests = _slot_tokens(requests, settings) if in_blocks else (Fraction(1), requests)
        described = {**settings.config.describe(), "cache": settings.cache}
        self._misses = MissCount(described, clock) if settings.misses else None
        self._cache = self._build(sink)
        prompts: Prompts = BlockPrompts() if in_blocks else TokenPrompts(settings)
        self._engine = self._build_engine(prompts)
        self._watch = PoolWatch(self._cache)
        self._arrivals = Arrivals(requests, settings, self._begin_ns)
        self._sums = ReplaySums(prompts)
        self._steps = 0

    def run(
        self, stop: Callable[[], bool] | None, progress: Callable[[ReplayProgress], object] | None
    ) -> ReplayResult:
        """Serve until nothing is left, or until told to stop."""
        began = told = time.perf_counter_ns()
        interrupted = False
        while not interrupted and self._turn():
            interrupted = stop is not None and stop()
            if progress is not None and (now := time.perf_counter_ns()) - told >= PROGRESS_EVERY_NS:
                told = now
                progress(self._progress())
        self._engine.close()
        self._cache.emit_pools()
        if self._cache.sink is not None:
            self._cache.flush_sink(self._cache.sink)
        if progress is not None:
            progress(self._progress())
        return self._result(time.perf_counter_ns() - began, interrupted)

    def _build(self, sink: EventSink | None) -> PrefixCache:
        settings, misses = self._settings, self._misses
        sinks = [each for each in (sink, None if misses is None else misses.sink) if each is not None]
        together = None if not sinks else sinks[0] if len(sinks) == 1 else Tee(sinks)
        if settings.tokens == "blocks" and settings.cache == "prefix":
            config = block_config(settings.config, self._slot_tokens)
            cache: PrefixCache = BlockCache(config, sink=together, clock=self._clock)
        else:
            config = settings.config if self._slot_tokens == 1 else block_config(settings.config, self._slot_tokens)
            cache = build(settings.cache, config, sink=together, clock=self._clock)
        if isinstance(sink, Follower):
            sink.follow(cache)
        if misses is not None:
            misses.follow(cache)
        return cache

    def _build_engine(self, prompts: Prompts) -> TraceEngine:
        settings = self._settings
        if self._slot_tokens > 1:
            settings = settings.changed(chunk_size=max(1, int(settings.chunk_size / self._slot_tokens)))
        return TraceEngine(self._cache, settings, self._clock, prompts, self._arrive)

    def _turn(self) -> bool:
        """Let arrive what is due, then step, or go on to when something arrives; return False when all is over."""
        clock, engine = self._clock, self._engine
        self._arrive(clock.now)
        if engine.has_work:
            ends = engine.step()
            self._steps += 1
            self._watch.look()
            for end in ends:
                self._end(end)
            if self._misses is not None:
                self._misses.stepped()
            return True
        arrives_at = self._arrivals.next_at(clock.now)
        if arrives_at is None:
            return False
        clock.advance_to(arrives_at)
        return True

    def _arrive(self, until: int) -> None:
        """Submit what arrives up to a time, each request at its own; the clock goes along."""
        arrivals, clock = self._arrivals, self._clock
        while (at := arrivals.next_at(clock.now)) is not None and at <= until:
            clock.advance_to(at)
            number, request = arrivals.take(clock.now)
            self._sums.arrived += 1
            self._engine.arrive(number, request)

    def _end(self, end: Finished) -> None:
        number, request, started = self._engine.leave(end.request_id)
        now = self._clock.now
        self._arrivals.ended(request, now)
        self._sums.end(end)
        if number < self._settings.warm_up:
            return
        if end.refused:
            self._sums.refuse(request)
            return
        self._sums.measure(request, end, None if started is None else started - (now - end.duration_ns))
        if self._misses is not None:
            self._misses.ended(end.request_id)

    def _progress(self) -> ReplayProgress:
        sums = self._sums
        done = sums.finished + sums.refused
        return ReplayProgress(done, sums.prompt_tokens, sums.hit_tokens, self._clock.now - self._begin_ns)

    def _result(self, wall_ns: int, interrupted: bool) -> ReplayResult:
        sums, watch = self._sums, self._watch
        return ReplayResult(
            settings=self._settings,
            requests=sums.arrived,
            finished=sums.finished,
            refused=sums.refused,
            measured=sums.measured,
            prompt_tokens=sums.prompt_tokens,
            hit_tokens=sums.hit_tokens,
            full_hit_tokens=sums.full_hit_tokens,
            host_hit_tokens=sums.host_hit_tokens,
            computed_tokens=self._engine.computed_tokens,
            output_tokens=sums.output_tokens,
            retractions=sums.retractions,
            evicted_nodes=watch.evicted_nodes,
            evicted_tokens=round(watch.evicted_slots * self._slot_tokens),
            misses=None if self._misses is None else self._misses.total(),
            ttft_ns=Spread.of(sums.ttft_ns),
            queued_ns=Spread.of(sums.queued_ns),
            inter_token_ns=Spread.of(sums.inter_token_ns),
            duration_ns=Spread.of(sums.duration_ns),
            virtual_ns=self._clock.now - self._begin_ns,
            wall_ns=wall_ns,
            steps=self._steps,
            pools=watch.peaks(),
            slot_tokens=round(self._slot_tokens),
            refused_measured=sums.refused_measured,
            refused_tokens=sums.refused_tokens,
            interrupted=interrupted,
        )


def _slot_tokens(
    requests: Iterable[TraceRequest], settings: ReplaySettings
) -> tuple[Fraction, Iterable[TraceRequest]]:
    """Return how many tokens a block of the trace has, by its first request or on average, and all requests."""
    if isinstance(requests, Trace) and not requests.ids_have_one_length:
        tokens = blocks = 0
        for request in islice(requests, settings.limit):
            tokens, blocks = tokens + request.prompt_tokens, blocks + request.blocks
        return max(Fraction(1), Fraction(tokens, max(1, blocks))), requests
    stream = iter(requests)
    first = next(stream, None)
    if first is None:
        return Fraction(1), iter(())
    return Fraction(first.block_tokens), chain([first], stream)
