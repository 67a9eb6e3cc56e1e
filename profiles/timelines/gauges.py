"""The curves of a timeline: pools, hit rate, who runs and who waits, evictions, what is too short for a slice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cache_core.events import (
    INSERT,
    LOCK,
    MATCH,
    SPLIT,
    UNLOCK,
    WHOLE,
    EngineStep,
    Evict,
    Pool,
    ProbeCost,
    Record,
    Timing,
)
from probes.fold import Folds
from probes.snapshot import component_name
from profiles.hits import RecentHits
from profiles.timelines.trace_events import TraceWriter, Track

_EVERY_NS = 100_000_000
"""How often the hit rate is drawn: it is one of the last ten seconds."""

_SUMMED = {
    (MATCH, SPLIT): "splits in matches", (INSERT, SPLIT): "splits in inserts",
    (LOCK, WHOLE): "locks", (UNLOCK, WHOLE): "unlocks",
}  # fmt: skip


class Gauges:
    """Writes a curve wherever it changes."""

    def __init__(self, trace: TraceWriter, track: Track, components: Sequence[str]) -> None:
        self._trace = trace
        self._track = track
        self._components = components
        self._drawn: dict[str, Mapping[str, float]] = {}
        self._evicted: Counter[str] = Counter()
        self._summed_ns: Counter[str] = Counter()
        self._hits = RecentHits()
        self._rate_due = 0
        self.folds: Folds = {
            **dict.fromkeys(self._hits.folds, self._count),
            Pool: self._pool, EngineStep: self._step, Evict: self._evict, Timing: self._timing, ProbeCost: self._cost,
        }  # fmt: skip

    def _pool(self, pool: Pool) -> None:
        parts = {"free": pool.free, "evictable": pool.evictable, "protected": pool.protected, "held": pool.held}
        self._draw(f"{component_name(self._components, pool.component)} pool", pool.at, parts)

    def _step(self, step: EngineStep) -> None:
        self._draw("requests", step.at, {"running": step.running, "waiting": step.waiting})

    def _evict(self, evict: Evict) -> None:
        for number, tokens in enumerate(evict.freed_tokens):
            self._evicted[component_name(self._components, number)] += tokens
        self._draw("evicted tokens", evict.at, self._evicted)

    def _timing(self, timing: Timing) -> None:
        name = _SUMMED.get((timing.operation, timing.phase))
        if name is not None:
            self._summed_ns[name] += timing.duration_ns
            self._draw("time spent, us", timing.at, {name: ns / 1000 for name, ns in self._summed_ns.items()})

    def _cost(self, cost: ProbeCost) -> None:
        if cost.elapsed_ns > 0:
            self._draw("watching", cost.at, {"percent": round(100 * cost.spent_ns / cost.elapsed_ns, 3)})

    def _count(self, record: Record) -> None:
        self._hits.folds[type(record)](record)
        at = getattr(record, "at", 0)
        if at >= self._rate_due:
            self._rate_due = at + _EVERY_NS
            percent = self._hits.percent(at)
            if percent is not None:
                self._draw("hit rate, last 10 s", at, {"percent": round(percent, 2)})

    def _draw(self, name: str, at: int, values: Mapping[str, float]) -> None:
        if self._drawn.get(name) != values:
            self._drawn[name] = dict(values)
            self._trace.counter(self._track, name, at, values)
