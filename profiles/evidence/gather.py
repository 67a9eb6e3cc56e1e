"""One pass over the records of a run, live or recorded, to the evidence that diagnoses go by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from pathlib import Path

from cache_core.events import RequestFinished, RequestRefused, RequestRetracted
from probes.adapter import Adapter
from probes.adapters.recording import RecordingAdapter
from probes.aggregator import Aggregator
from probes.builtin.capacity import CapacitySample
from probes.fold import Folds
from probes.lives.request_life import Life
from probes.probe import Probe
from probes.snapshot import SourceState
from profiles.evidence.accounts import Sums, accounts_of
from profiles.evidence.course import Course, joined
from profiles.evidence.evicting import Evicting
from profiles.evidence.evidence import AGAIN, Account, Evidence, Losses, Recency
from profiles.evidence.grid import Grid
from profiles.evidence.holding import Holding
from profiles.evidence.pages import Pages
from profiles.evidence.partings import Partings
from profiles.evidence.scheduling import Queue, Steps, ThrownOut
from profiles.evidence.scope import Scope
from profiles.evidence.segments import segments_of
from profiles.evidence.tenants import TenantSums
from profiles.evidence.texts import Texts
from profiles.evidence.unserved import Unanswered

_PROBES = ("request_log", "requests")
"""The probes that a gathering needs beside its own sums."""


class Gatherer:
    """Takes records beside an aggregator, which has the mirror and the log of requests; read on its thread.

    What happens in [from_ns, to_ns) since the first record counts; what was before is kept as one stretch.
    """

    def __init__(self, from_ns: float = 0, to_ns: float = inf) -> None:
        self._scope = Scope(from_ns, to_ns)
        self._sums, self._course, self._before = Sums(), Course(), Course()
        self._queue, self._thrown_out, self._steps = Queue(self._scope), ThrownOut(self._scope), Steps(self._scope)
        self._unanswered = Unanswered(self._scope)
        self._evicting, self._holding = Evicting(self._scope), Holding(self._scope)
        self._gaps = Partings(self._scope)
        self._tenants, self._texts, self._pages = TenantSums(self._scope), Texts(self._scope), Pages(self._scope)
        self._grid = Grid(self._scope)
        self._requests = self._prompt = self._hit = 0
        self._undecided = 0
        self._capacity: Probe | None = None

    def reader(self, adapter: Adapter, source: SourceState) -> Aggregator:
        """Return who reads a source, which says that of itself, for this gathering.

        What LRU would hit is asked where leaves go in another order.
        """
        self.configure(source)
        is_lru = source.config.get("policy", "lru") == "lru"
        aggregator = Aggregator(adapter, _PROBES if is_lru else (*_PROBES, "capacity"), self.folds())
        self.follow(aggregator)
        return aggregator

    def folds(self) -> Iterable[Folds]:
        """Return what takes which record class, once its probes have."""
        parts = (
            self._queue, self._thrown_out, self._unanswered, self._steps, self._evicting, self._holding,
        )  # fmt: skip
        ends: Folds = {
            RequestFinished: self._ended, RequestRetracted: self._ended, RequestRefused: self._ended,
        }  # fmt: skip
        return (*(part.folds() for part in parts), ends)

    def follow(self, aggregator: Aggregator) -> None:
        """Read the mirror and the log of an aggregator from now on."""
        probe = aggregator.probes.get("request_log")
        sample = None if probe is None else probe.sample(0)
        self._scope.mirror = aggregator.mirror
        self._scope.log = getattr(sample, "log", self._scope.log)
        self._capacity = aggregator.probes.get("capacity")

    def evidence(self, source: SourceState, now: int = 0) -> Evidence:
        """Return the evidence so far, from a source that is in this state; whoever waits does so until `now`.

        That is on the clock of the records, 0 where it goes no further than they do.
        """
        scope = self._scope
        scope.config = source.config
        lost = self._sums.frozen(scope.start_at)
        retractions = self._thrown_out.frozen()
        for name, out in zip(AGAIN, retractions, strict=True):
            if out.tokens:
                lost = {**lost, name: Account(out.tokens, out.requests, out.since_ns)}
        return Evidence(
            config=source.config,
            span_ns=max(0, scope.end_at - scope.start_at),
            requests=self._requests,
            prompt_tokens=self._prompt,
            hit_tokens=self._hit,
            lost=lost,
            tenants=self._tenants.frozen(self._texts.other_namespace_tokens),
            divergence=self._texts.frozen(),
            page=self._pages.frozen(),
            scheduling=self._queue.scheduling(),
            retractions=retractions[0],
            state_retractions=retractions[1],
            unserved=self._unanswered.frozen(now),
            recency=self._recency(),
            work=self._steps.frozen(),
            evictions=self._evicting.evictions(),
            windows=self._evicting.windows(),
            states=self._grid.losses(self._evicting.stateless, self._evicting.stateless_at),
            gaps=self._gaps.frozen(),
            pools=self._holding.pools(),
            waits=self._queue.waits(),
            course=self._course.frozen(),
            before=joined(self._before.frozen()),
            tree=self._holding.tree(self._now()),
            losses=self._losses(source),
        )

    def configure(self, source: SourceState) -> None:
        """Take note of what the source says of itself, before its records come."""
        self._scope.config = source.config

    def _now(self) -> tuple[int | None, int | None]:
        """Return who waits and who runs, as the log knows it."""
        if self._steps.queue is None:
            return None, None
        return self._steps.queue

    def _recency(self) -> Recency | None:
        """Return what LRU would hit of everything; nobody knows it of a part."""
        sample = None if self._capacity is None or not self._scope.is_whole else self._capacity.sample(0)
        if not isinstance(sample, CapacitySample) or not sample.now_tokens:
            return None
        hits = sample.hit_tokens(sample.now_tokens, sample.total)
        if hits is None or not sample.total.queried_tokens:
            return None
        return Recency(sample.total.queried_tokens, sample.total.found_tokens, round(hits))

    def _losses(self, source: SourceState) -> Losses:
        return Losses(
            source.dropped_records, source.torn_blocks, source.tree_known, self._scope.log.is_whole, self._undecided
        )

    def _ended(self, record: RequestFinished | RequestRetracted | RequestRefused) -> None:
        done = self._scope.log.done
        life = done[-1] if done else None
        if life is not None and life.request == record.request and life.ended_at == record.at and life.is_known:
            self._take(life)

    def _take(self, life: Life) -> None:
        """Count a request that ended: when it was admitted first is when it counts."""
        at = life.admitted_at if life.admitted_at is not None else life.arrived_at
        lost = accounts_of(life, self._scope.mirror.components)
        hit = life.device + life.loaded
        after_ns = at - (self._scope.began_at or at)
        if after_ns < self._scope.from_ns:
            self._before.add(after_ns, life.prompt_tokens, hit, lost)
        if not self._scope.counts(at):
            return
        self._requests += 1
        self._prompt += life.prompt_tokens
        self._hit += hit
        self._sums.add(lost, life.request, at)
        self._course.add(max(0, at - self._scope.start_at), life.prompt_tokens, hit, lost)
        self._gaps.take(life, lost.get("window_never", 0) + lost.get("state_never", 0), at)
        self._grid.take(life, at)
        self._tenants.take(life, lost, at)
        self._queue.take(life, lost)
        self._look_at_path(life, lost.get("first_seen", 0), at)

    def _look_at_path(self, life: Life, first_seen: int, at: int) -> None:
        """Look at the names on the path of a request, which is still there, if it computed anything new."""
        is_new = first_seen > 0 or self._scope.page_tokens > 1
        page = self._scope.page_tokens
        segments = segments_of(self._scope.mirror, life.last_node, life.prompt_tokens, page) if is_new else []
        self._texts.take(life, segments, first_seen, at)
        self._pages.take(life, segments, at)


def evidence_of(adapter: Adapter, gatherer: Gatherer, is_over: Callable[[], bool]) -> Evidence:
    """Return the evidence of a source that is read until `is_over` says so. The adapter stays open."""
    aggregator = gatherer.reader(adapter, adapter.state())
    source = aggregator.take_in()
    while not is_over():
        source = aggregator.take_in()
    return gatherer.evidence(source)


def evidence_of_file(path: Path | str, from_ns: float = 0, to_ns: float = inf) -> Evidence:
    """Return the evidence of a recording, or of a part of it. Raises RecordingError when it cannot be read."""
    adapter = RecordingAdapter(path, inf)
    try:
        return evidence_of(adapter, Gatherer(from_ns, to_ns), lambda: adapter.is_at_end)
    finally:
        adapter.close()
