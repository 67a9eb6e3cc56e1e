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
from probes.curves.contents import Contents
from probes.curves.grid_pass import GridPass
from probes.curves.line import Admitted, Line
from probes.curves.prompt import BlockPrompt
from probes.curves.residents import residents
from probes.curves.scale import block_tokens, capacities
from probes.fold import Folds
from probes.mirror import Mirror
from probes.newest import forget_oldest
from probes.plausible import MOST_TOKENS
from probes.probe import Probe

RECENT_NS = 300_000_000_000
_MINUTE_NS = 60_000_000_000
_RETURNING = frozenset({0, OUT_OF_SLOTS, LOAD_FAILED})
_MOST_MATCHED = 1 << 12


@dataclass(frozen=True, slots=True)
class CapacityHits:
    """Sums over `requests`: what they asked for, what the cache hit of it, and what LRU hits by capacity."""

    requests: int
    queried_tokens: int
    measured_tokens: int
    hit_tokens: tuple[int, ...]


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


class _Mark(NamedTuple):
    at: int
    hits: CapacityHits


class Capacity(Probe):
    """Finds out what requests asked for, and lets them pass in the order of their admission."""

    needs = frozenset({Match, Insert, NodeAdded, NodeSplit, RequestAdmitted, Pool})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._contents = Contents(mirror)
        self._line = Line()
        self._pass: GridPass | None = None
        self._matched: dict[int, tuple[int, int]] = {}
        self._page = self._unit = 1
        self._pairs = 0
        self._now_tokens: int | None = None
        self._measured_tokens = 0
        self._marks: deque[_Mark] = deque(maxlen=RECENT_NS // _MINUTE_NS + 1)
        self._slot_bytes: float | None = None
        self._is_cold = False
        self._is_whole = True

    def configured(self, config: Mapping[str, object]) -> None:
        """See Probe."""
        page = config.get("page_size")
        self._page = page if type(page) is int and 0 < page <= MOST_TOKENS else 1
        self._pairs = int(config.get("bigram") is True)
        sizes = config.get("slot_bytes")
        size = sizes.get("full") if isinstance(sizes, Mapping) else None
        self._slot_bytes = float(size) if isinstance(size, int | float) and 0 < size < MOST_TOKENS else None

    def folds(self) -> Folds:
        """See Probe."""
        contents = self._contents
        return {
            NodeAdded: contents.added, NodeMarked: contents.marked, NodeSplit: contents.split, Match: self._match,
            RequestAdmitted: self._admitted, Insert: self._insert, RequestFinished: self._finished,
            RequestRetracted: self._retracted, Pool: self._pool, CacheReset: self._reset,
        }  # fmt: skip

    def sample(self, now: int) -> CapacitySample:
        """See Probe."""
        grid, unit = self._pass, self._unit
        if grid is None:
            nothing = CapacityHits(0, 0, 0, ())
            return CapacitySample(None, unit, (), nothing, None, 0, None, self._slot_bytes, self._is_whole)
        total = self._sums(grid)
        since = self._marks[0] if len(self._marks) == self._marks.maxlen else None
        return CapacitySample(
            now_tokens=self._now_tokens,
            block_tokens=unit,
            capacities=tuple(blocks * unit for blocks in grid.capacities),
            total=total,
            recent=None if since is None else _difference(total, since.hits),
            recent_ns=0 if since is None else max(0, now - since.at),
            known_tokens=grid.known_blocks * unit if grid.has_forgotten else None,
            slot_bytes=self._slot_bytes,
            is_whole=self._is_whole,
        )

    def lost(self) -> None:
        """See Probe: who runs did something that nobody saw. What is there is stated, and when it was touched."""
        self._line.clear()
        self._matched.clear()
        self._is_whole, self._is_cold = False, True
        if self._pass is not None:
            self._pass.forget()

    # ---- requests

    def _match(self, record: Match) -> None:
        if record.request >= 0 and record.request not in self._line.running:
            slot = self.mirror.columns.pages.slot_of(record.full_node)
            tokens = max(record.full_hit_tokens, record.device_hit_tokens)
            if slot > 0 < tokens:
                self._matched[record.request] = self._contents.name_of(slot), tokens
                if len(self._matched) > _MOST_MATCHED:
                    forget_oldest(self._matched)

    def _admitted(self, record: RequestAdmitted) -> None:
        request, prompt = record.request, record.prompt_tokens
        if request in self._line.running or not 0 < prompt <= MOST_TOKENS:
            return
        stored = prompt - self._pairs
        hits = max(0, record.device_hit_tokens) + max(0, record.host_hit_tokens)
        admitted = Admitted(record.at, prompt, min(hits, prompt), stored - stored % self._page)
        name, tokens = self._matched.pop(request, (0, 0))
        admitted.reaches(name, tokens)
        self._line.join(request, admitted)
        self._go_on()

    def _insert(self, record: Insert) -> None:
        admitted = self._line.running.get(record.request)
        columns = self.mirror.columns
        slot = columns.pages.slot_of(record.node)
        if admitted is None or slot <= 0:
            return
        if admitted.reaches(self._contents.name_of(slot), columns.start[slot] + columns.length[slot]):
            self._go_on()

    def _finished(self, record: RequestFinished) -> None:
        self._end(record.request)

    def _retracted(self, record: RequestRetracted) -> None:
        """Take note of it; who lacked slots or data comes back, and asks for the same."""
        if record.reason not in _RETURNING:
            self._end(record.request)

    def _end(self, request: int) -> None:
        self._matched.pop(request, None)
        admitted = self._line.running.pop(request, None)
        if admitted is None:
            return
        admitted.is_decided = True
        if admitted.is_served:
            self._hold_answer(admitted)
        else:
            admitted.has_ended = True
        self._go_on()

    # ---- the pass

    def _go_on(self) -> None:
        """Serve those whose turn it is."""
        if self._pass is None:
            return
        for admitted in self._line.turns():
            self._serve(self._pass, admitted)

    def _serve(self, grid: GridPass, admitted: Admitted) -> None:
        if self._is_cold:
            self._warm_up(grid)
        if not self._marks or admitted.at - self._marks[-1].at >= _MINUTE_NS:
            self._marks.append(_Mark(admitted.at, self._sums(grid)))
        grid.serve(self._prompt(grid, admitted, admitted.prompt_tokens), is_counted=True)
        self._measured_tokens += admitted.hit_tokens
        if admitted.has_ended:
            self._hold_answer(admitted)

    def _hold_answer(self, admitted: Admitted) -> None:
        """Hold what was stored behind a prompt, with the prompt."""
        if self._pass is not None and admitted.known_tokens // self._unit > admitted.prompt_tokens // self._unit:
            self._pass.serve(self._prompt(self._pass, admitted, admitted.known_tokens), is_counted=False)

    def _prompt(self, grid: GridPass, admitted: Admitted, tokens: int) -> BlockPrompt:
        known = min(admitted.known_tokens, tokens, grid.capacities[-1] * self._unit)
        path = self._contents.path(admitted.name, known, self._unit)
        return BlockPrompt(path, self._unit, admitted.prompt_tokens)

    def _warm_up(self, grid: GridPass) -> None:
        """Hold what the cache holds, in the order in which it was touched."""
        self._is_cold = False
        for slot, end in residents(self.mirror.columns):
            known = min(end, grid.capacities[-1] * self._unit)
            path = self._contents.path(self._contents.name_of(slot), known, self._unit)
            grid.serve(BlockPrompt(path, self._unit, end), is_counted=False)

    def _pool(self, record: Pool) -> None:
        _, component, free, evictable, protected, held = record
        if component:
            return
        tokens = free + evictable + protected + held
        if tokens == self._now_tokens or not 0 < tokens <= MOST_TOKENS:
            return
        self._now_tokens = tokens
        if self._pass is None:
            self._unit = unit = block_tokens(self._page, tokens)
            self._pass = GridPass(capacities(max(1, tokens // unit)))
            self._go_on()

    def _reset(self, record: CacheReset) -> None:
        if self._pass is not None:
            self._pass.forget()

    def _sums(self, grid: GridPass) -> CapacityHits:
        return CapacityHits(grid.requests, grid.queried_tokens, self._measured_tokens, grid.hits())


def _difference(total: CapacityHits, before: CapacityHits) -> CapacityHits:
    return CapacityHits(
        total.requests - before.requests,
        total.queried_tokens - before.queried_tokens,
        total.measured_tokens - before.measured_tokens,
        tuple(now - then for now, then in zip(total.hit_tokens, before.hit_tokens, strict=True)),
    )
