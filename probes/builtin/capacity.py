"""What LRU would hit with more room and with less: the curve of hit rates by capacity, of the requests that came.

Counted on whole blocks of full attention, each prompt at once, at its first admission: what windows lack, what waits
for another request, and the room that runs are taking are not in it. Answers are held as far as they were stored.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from cache_core.events import (
    LOAD_FAILED,
    OUT_OF_SLOTS,
    CacheReset,
    Insert,
    Match,
    NodeAdded,
    NodeMarked,
    NodeSplit,
    Pool,
    RequestAdmitted,
    RequestFinished,
    RequestRetracted,
)
from probes.curves.line import Admitted
from probes.curves.live_pass import LivePass
from probes.fold import Folds
from probes.mirror import Mirror
from probes.newest import forget_oldest
from probes.plausible import MOST_TOKENS
from probes.probe import Probe

SIZES = (1 / 4, 1 / 2, 1, 2, 4)
"""The sizes that are told in figures, in parts of what there is."""

RECENT_NS = 300_000_000_000
_MINUTE_NS = 60_000_000_000
_RETURNING = frozenset({0, OUT_OF_SLOTS, LOAD_FAILED})
_MOST_MATCHED = 1 << 12
_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class CapacityHits:
    """Sums over `requests`: what they asked for, and what LRU hits of it by capacity.

    The cache itself found `found_tokens` and hit `measured_tokens` of those, the others for want of a window, or of a
    state, not.
    """

    requests: int
    queried_tokens: int
    found_tokens: int
    measured_tokens: int
    hit_tokens: tuple[int, ...]

    @property
    def measured_rate(self) -> float | None:
        """The share of the queried tokens that the cache hit; None of nothing."""
        return self.measured_tokens / self.queried_tokens if self.queried_tokens else None

    @property
    def found_rate(self) -> float | None:
        """The share of the queried tokens that the cache knew; None of nothing."""
        return self.found_tokens / self.queried_tokens if self.queried_tokens else None

    def since(self, before: CapacityHits) -> CapacityHits:
        """Return the sums over those that came after some others."""
        return CapacityHits(
            self.requests - before.requests,
            self.queried_tokens - before.queried_tokens,
            self.found_tokens - before.found_tokens,
            self.measured_tokens - before.measured_tokens,
            tuple(now - then for now, then in zip(self.hit_tokens, before.hit_tokens, strict=True)),
        )


@dataclass(frozen=True, slots=True)
class CapacitySize:
    """A size of the cache, as a multiple of what there is, and what it hits.

    `more_tokens` is what it hits more than half of it, `doubling` that in parts of what was asked for;
    `tokens_per_gib` and `tokens_per_1k` are for each GiB, where that is known, and 1,000 slots of the difference.
    """

    factor: float
    slots: int
    hit_tokens: int
    hit_rate: float
    more_tokens: int | None
    doubling: float | None
    tokens_per_1k: float | None
    tokens_per_gib: float | None
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class CapacitySample:
    """The curve over `capacities`, ascending, in tokens: `total` since the watch began, `recent` of the newest part.

    `now_tokens` are what the pool has, None before that is told. Up to `known_tokens` hits are known, None where
    nothing had to be forgotten, so that no more room would hit more. `recent` is None while that is all. `slot_bytes`
    is what a token takes, where that is told. Without `is_whole` records are missing, or the watch began late: what
    was evicted before counts as new.
    """

    now_tokens: int | None
    block_tokens: int
    capacities: tuple[int, ...]
    total: CapacityHits
    recent: CapacityHits | None
    recent_ns: int
    known_tokens: int | None
    slot_bytes: float | None
    is_whole: bool

    @property
    def newest(self) -> CapacityHits:
        """The recent sums, or all where there are no others."""
        return self.recent or self.total

    def hit_tokens(self, tokens: float, of: CapacityHits) -> float | None:
        """Return what a cache of so many tokens hits; None beyond what is known."""
        last = self.capacities[-1] if self.capacities else 0
        if not 0 < tokens <= (last if self.known_tokens is None else min(last, self.known_tokens)):
            return None
        place = bisect_left(self.capacities, tokens)
        high_at, high = self.capacities[place], of.hit_tokens[place]
        low_at, low = (self.capacities[place - 1], of.hit_tokens[place - 1]) if place else (0, 0)
        return low + (high - low) * (tokens - low_at) / (high_at - low_at)

    def hit_rate(self, tokens: float, of: CapacityHits) -> float | None:
        """Return the share of the queried tokens that a cache of so many hits; None where that is not known."""
        hits = self.hit_tokens(tokens, of)
        return None if hits is None or not of.queried_tokens else hits / of.queried_tokens

    def size(self, factor: float, of: CapacityHits) -> CapacitySize | None:
        """Return what a multiple of what there is hits; None where that is not known."""
        slots = (self.now_tokens or 0) * factor
        hits, fewer, rate = self.hit_tokens(slots, of), self.hit_tokens(slots / 2, of), self.hit_rate(slots, of)
        if hits is None or rate is None:
            return None
        more = None if fewer is None else hits - fewer
        per_slot = None if more is None else more / (slots / 2)
        return CapacitySize(
            factor=factor,
            slots=round(slots),
            hit_tokens=round(hits),
            hit_rate=rate,
            more_tokens=None if more is None else round(more),
            doubling=None if more is None else more / of.queried_tokens,
            tokens_per_1k=None if per_slot is None else 1_000 * per_slot,
            tokens_per_gib=None if per_slot is None or self.slot_bytes is None else per_slot * _GIB / self.slot_bytes,
            memory_bytes=None if self.slot_bytes is None else round(slots * self.slot_bytes),
        )


class _Mark(NamedTuple):
    at: int
    hits: CapacityHits


class Capacity(Probe):
    """Finds out what requests asked for, and lets them pass in the order of their admission."""

    needs = frozenset({Match, Insert, NodeAdded, NodeSplit, RequestAdmitted, Pool})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._pass = LivePass(mirror)
        self._matched: dict[int, tuple[int, int]] = {}
        self._page_tokens = 1
        self._unkeyed_tokens = 0
        self._now_tokens: int | None = None
        self._marks: deque[_Mark] = deque(maxlen=RECENT_NS // _MINUTE_NS + 1)
        self._slot_bytes: float | None = None
        self._is_whole = True

    def configured(self, config: Mapping[str, object]) -> None:
        """See Probe."""
        page = config.get("page_size")
        self._page_tokens = page if type(page) is int and 0 < page <= MOST_TOKENS else 1
        self._unkeyed_tokens = int(config.get("bigram") is True)  # of pairs there is one less than of tokens
        sizes = config.get("slot_bytes")
        size = sizes.get("full") if isinstance(sizes, Mapping) else None
        self._slot_bytes = float(size) if isinstance(size, int | float) and 0 < size < MOST_TOKENS else None

    def folds(self) -> Folds:
        """See Probe."""
        contents = self._pass.contents
        return {
            NodeAdded: contents.added, NodeMarked: contents.marked, NodeSplit: contents.split, Match: self._match,
            RequestAdmitted: self._admitted, Insert: self._insert, RequestFinished: self._finished,
            RequestRetracted: self._retracted, Pool: self._pool, CacheReset: self._reset,
        }  # fmt: skip

    def sample(self, now: int) -> CapacitySample:
        """See Probe."""
        grid, unit = self._pass.grid, self._pass.block_tokens
        total = self._sums()
        since = self._marks[0] if len(self._marks) == self._marks.maxlen else None
        return CapacitySample(
            now_tokens=self._now_tokens,
            block_tokens=unit,
            capacities=() if grid is None else tuple(blocks * unit for blocks in grid.capacities),
            total=total,
            recent=None if since is None else total.since(since.hits),
            recent_ns=0 if since is None else max(0, now - since.at),
            known_tokens=grid.known_blocks * unit if grid is not None and grid.has_forgotten else None,
            slot_bytes=self._slot_bytes,
            is_whole=self._is_whole,
        )

    def lost(self) -> None:
        """See Probe: who runs did something that nobody saw."""
        self._matched.clear()
        self._is_whole = False
        self._pass.lost()

    def whole(self) -> None:
        """See Probe: what is there was stated, and when it was touched."""
        self._pass.whole()

    def _match(self, record: Match) -> None:
        if record.request >= 0 and record.request not in self._pass.running:
            slot = self.mirror.columns.pages.slot_of(record.full_node)
            tokens = max(record.full_hit_tokens, record.device_hit_tokens)
            if slot > 0 < tokens:
                self._matched[record.request] = self._pass.contents.name_of(slot), tokens
                if len(self._matched) > _MOST_MATCHED:
                    forget_oldest(self._matched)

    def _admitted(self, record: RequestAdmitted) -> None:
        request, prompt = record.request, record.prompt_tokens
        if request in self._pass.running or not 0 < prompt <= MOST_TOKENS:
            return
        stored = prompt - self._unkeyed_tokens
        hits = min(prompt, max(0, record.device_hit_tokens) + max(0, record.host_hit_tokens))
        found = min(prompt, hits + max(0, record.recomputed_tokens))
        admitted = Admitted(record.at, prompt, (found, hits), stored - stored % self._page_tokens)
        admitted.reaches(*self._matched.pop(request, (0, 0)))
        self._pass.join(request, admitted)
        self._go_on()

    def _insert(self, record: Insert) -> None:
        admitted = self._pass.running.get(record.request)
        columns = self.mirror.columns
        slot = columns.pages.slot_of(record.node)
        if admitted is None or slot <= 0:
            return
        if admitted.reaches(self._pass.contents.name_of(slot), columns.start[slot] + columns.length[slot]):
            self._go_on()

    def _finished(self, record: RequestFinished) -> None:
        self._end(record.request)

    def _retracted(self, record: RequestRetracted) -> None:
        """Take note of it; who lacked slots or data comes back, and asks for the same."""
        if record.reason not in _RETURNING:
            self._end(record.request)

    def _end(self, request: int) -> None:
        self._matched.pop(request, None)
        self._pass.ended(request)
        self._go_on()

    def _go_on(self) -> None:
        """Serve those whose turn it is; once a minute the sums are kept."""
        for admitted in self._pass.served():
            if not self._marks or admitted.at - self._marks[-1].at >= _MINUTE_NS:
                self._marks.append(_Mark(admitted.at, self._sums()))

    def _pool(self, record: Pool) -> None:
        _, component, free, evictable, protected, held = record
        if component:
            return
        tokens = free + evictable + protected + held
        if tokens != self._now_tokens and 0 < tokens <= MOST_TOKENS:
            self._now_tokens = tokens
            self._pass.sized(self._page_tokens, tokens)
            self._go_on()

    def _reset(self, record: CacheReset) -> None:
        self._pass.forget()

    def _sums(self) -> CapacityHits:
        grid = self._pass.grid
        if grid is None:
            return CapacityHits(0, 0, 0, 0, ())
        live = self._pass
        return CapacityHits(grid.requests, grid.queried_tokens, live.found_tokens, live.measured_tokens, grid.hits())
