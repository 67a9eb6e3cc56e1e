"""A run as a timeline: requests, the engine's steps, the cache's operations, what they left, and what pools held.

Records are written as they come, and of what came only open requests and misses are kept: memory does not grow with
the length of a run. A record says when something ended and how long it took; a duration of 0 was not measured, so
the operation is a mark without a length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cache_core.events import (
    CacheReset,
    EngineStep,
    Evict,
    FreeWindow,
    Insert,
    Match,
    Namespace,
    Record,
    RequestRetracted,
    SchedulePass,
    Tombstoned,
)
from probes.fold import Folds
from probes.mirroring.names import Names
from probes.newest import forget_oldest
from probes.snapshot import component_name
from profiles.timelines.gauges import Gauges
from profiles.timelines.request_spans import RequestSpans
from profiles.timelines.trace_events import Args, TraceWriter, Track
from profiles.timelines.trace_lane import Lane

PIDS = 1 << 24
"""Process ids of timelines are this much above the real ones, so that they lie apart from what others say of them."""

_MOST_MISSES = 1 << 16
"""So many matches may wait for the insert of what they missed; more requests never run at once."""

_FLOWS = 1 << 28
"""The numbers of arrows of one process, so that those of several do not meet."""

_KEPT_NAMES = 1024
"""How many names of namespaces are kept."""


class Timeline:
    """Writes the events of one recorded process; `apply` takes its records in their order, `close` ends it."""

    def __init__(self, trace: TraceWriter, pid: int, title: str, components: Sequence[str]) -> None:
        self._trace = trace
        self._components = components
        self._pid = PIDS + pid
        self._requests, self._engine, self._cache, self._tree = (
            Track(self._pid, number, category)
            for number, category in enumerate(("request", "engine", "cache", "tree"), 1)
        )
        self._name_tracks(f"radixtop: {title or 'cache'} of process {pid}")
        self._lanes = {self._engine: Lane(), self._cache: Lane()}
        self._spaces = Names(_KEPT_NAMES)
        self._misses: dict[int, int] = {}
        self._flows = 0
        self._at = 0
        self._tombstones: Counter[int] = Counter()
        self._tombstones_at = 0
        self._spans = RequestSpans(trace, self._requests)
        self._gauges = Gauges(trace, Track(self._pid, 0, "gauge"), components)
        self._folds: Folds = {
            Match: self._match, Insert: self._insert, Evict: self._evict, FreeWindow: self._free_window,
            EngineStep: self._step, SchedulePass: self._schedule, Tombstoned: self._tombstoned,
            CacheReset: self._reset, RequestRetracted: self._retracted, Namespace: self._namespace,
        }  # fmt: skip

    def apply(self, record: Record) -> None:
        """Write what one record says."""
        kind = type(record)
        for folds in (self._folds, self._spans.folds, self._gauges.folds):
            fold = folds.get(kind)
            if fold is not None:
                fold(record)
        self._at = max(self._at, getattr(record, "at", 0))

    def close(self) -> None:
        """End what goes on."""
        self._mark_tombstones()
        self._spans.close(self._at)

    def _name_tracks(self, process: str) -> None:
        self._trace.name_process(self._pid, process)
        tracks = ((self._engine, "engine"), (self._cache, "cache operations"), (self._tree, "tree"))
        for order, (track, name) in enumerate(tracks, 1):
            self._trace.name_track(track, name, order)

    def _match(self, match: Match) -> None:
        asked = {"request": match.request} if match.request >= 0 else {}
        branch = {"branching_point": match.branching_point} if match.branching_point >= 0 else {}
        tokens = _only(match, "queried", "device_hit", "host_hit", "full_hit")
        args = {**asked, **self._namespace_of(match), **tokens, **branch, "nodes_walked": match.nodes_walked}
        drawn = self._draw(self._cache, "match", match.at, match.duration_ns, args)
        if drawn is not None and match.request >= 0 and match.queried_tokens > match.device_hit_tokens:
            self._misses[match.request] = (drawn[0] + drawn[1]) // 2
            if len(self._misses) > _MOST_MISSES:
                forget_oldest(self._misses)

    def _insert(self, insert: Insert) -> None:
        asked = {"request": insert.request} if insert.request >= 0 else {}
        tokens = _only(insert, "key", "present", "new", "duplicate")
        branch = {"branch_inserted": bool(insert.branch_inserted)} if insert.branch_inserted >= 0 else {}
        args = {**asked, **self._namespace_of(insert), **tokens, **branch}
        drawn = self._draw(self._cache, "insert", insert.at, insert.duration_ns, args)
        missed = self._misses.pop(insert.request, None)
        if missed is not None and drawn is not None:
            self._flows += 1
            middle = (drawn[0] + drawn[1]) // 2
            self._trace.flow("miss", self._pid * _FLOWS + self._flows, (self._cache, missed), (self._cache, middle))

    def _evict(self, evict: Evict) -> None:
        component = component_name(self._components, evict.component)
        counts = ("leaves_considered", "pops", "stale_pops", "victims", "cascades")
        freed = {
            f"freed_{component_name(self._components, number)}_tokens": n
            for number, n in enumerate(evict.freed_tokens)
            if n
        }
        args = {
            "asked_tokens": evict.asked_tokens,
            **freed,
            **{name: told for name in counts if (told := getattr(evict, name)) >= 0},
        }
        drawn = self._draw(self._cache, f"evict {component}", evict.at, evict.duration_ns, args)
        if drawn is not None and evict.queue_build_ns > 0:
            start, end = drawn
            self._trace.slice(self._cache, "queue build", start, min(end, start + evict.queue_build_ns))

    def _free_window(self, record: FreeWindow) -> None:
        args = {"request": record.request, "start": record.start, "end": record.end}
        self._trace.instant(self._tree, "free window", record.at, args)

    def _step(self, step: EngineStep) -> None:
        self._draw(self._engine, "step", step.at, step.duration_ns, _only(step, "prefill", "decode"))

    def _schedule(self, pass_: SchedulePass) -> None:
        args = {"waiting": pass_.waiting, "deprioritised": pass_.deprioritised, "fell_back": bool(pass_.fell_back)}
        self._draw(self._engine, "schedule", pass_.at, pass_.duration_ns, args)

    def _tombstoned(self, record: Tombstoned) -> None:
        """Count the nodes that one operation left without data: as a mark each they would be a row each."""
        if record.at != self._tombstones_at:
            self._mark_tombstones()
            self._tombstones_at = record.at
        self._tombstones[record.component] += 1

    def _mark_tombstones(self) -> None:
        for component, nodes in self._tombstones.items():
            name = f"tombstone {component_name(self._components, component)}"
            self._trace.instant(self._tree, name, self._tombstones_at, {"nodes": nodes})
        self._tombstones.clear()

    def _reset(self, record: CacheReset) -> None:
        self._trace.instant(self._tree, "reset", record.at)

    def _retracted(self, record: RequestRetracted) -> None:
        self._misses.pop(record.request, None)
        args = {"request": record.request, "lost_tokens": record.recomputed_tokens}
        self._trace.instant(self._engine, "retraction", record.at, args)

    def _namespace(self, record: Namespace) -> None:
        self._spaces.tell(record.id, record.text, tuple)

    def _namespace_of(self, record: Match | Insert) -> Mapping[str, str]:
        name = self._spaces.get(record.namespace)
        return {"namespace": name} if name else {}

    def _draw(self, track: Track, name: str, at: int, duration_ns: int, args: Args) -> tuple[int, int] | None:
        """Write a slice and return its place, or a mark when nobody measured how long it took."""
        if duration_ns <= 0:
            self._trace.instant(track, name, at, args)
            return None
        start, end = self._lanes[track].fit(at - duration_ns, at)
        self._trace.slice(track, name, start, end, args)
        return start, end


def _only(record: Record, *names: str) -> dict[str, int]:
    return {f"{name}_tokens": getattr(record, f"{name}_tokens") for name in names}
