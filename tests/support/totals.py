"""What the counters of a run say of each weight, counted from its records without knowing where anything lies.

    weight       counted from
    tokens       pools: what the tree has of the full component, evictable and protected
    bytes        pools: that of every component, times the size of one of its slots
    tombstoned   pools: what the tree has of the full component less what it has of the window's
    hits         requests: device hit at the first admission, and what was loaded from the host after it
    recomputed   requests: the gap at the first admission, and what was found on the host and not loaded
    evicted      evictions: what they freed of the full component
    saved_ns     hits, times what a prefilled token takes
    time_ns      matches, inserts, evictions, and sums of locks and unlocks

A forest's totals are the same numbers; `tests/profiles/growth/test_totals.py` holds them together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cache_core.events import (
    LOCK,
    UNLOCK,
    WHOLE,
    EngineStep,
    Evict,
    Insert,
    Match,
    Pool,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestPrefilled,
    RequestRefused,
    RequestRetracted,
    Timing,
)
from probes.fold import Folds
from probes.lives.admissions import FirstAdmissions
from probes.lives.loads import Loads, Told
from probes.plausible import measured, tokens_in
from probes.prefill_rate import PrefillRate
from profiles.forest import WEIGHTS
from profiles.growth.holdings import Components
from profiles.prices import Prices

_NO_PRICES = Prices()


class Totals:
    """Takes records in their order; `by_weight` says what they add up to so far."""

    def __init__(self, components: Sequence[str] = (), prices: Prices = _NO_PRICES) -> None:
        self._components = Components(tuple(components))
        self._prices = prices
        self._pools: dict[int, Pool] = {}
        self._sums: Counter[str] = Counter()
        self._known = {"hits", "recomputed"}
        self._admissions = FirstAdmissions()
        self._loads: Loads[int] = Loads()
        self._rate = PrefillRate()
        self._folds: Folds = {
            Pool: self._pool, Evict: self._evict, Match: self._timed, Insert: self._timed, Timing: self._timing,
            EngineStep: self._rate.step, RequestAdmitted: self._admit, RequestPrefilled: self._told,
            RequestRetracted: self._retract, RequestFinished: self._finish, RequestRefused: self._end,
        }  # fmt: skip

    def apply(self, record: Record) -> None:
        """Take in one record."""
        fold = self._folds.get(type(record))
        if fold is not None:
            fold(record)

    def by_weight(self) -> dict[str, int]:
        """Return the sums; a weight is missing that the records do not tell."""
        sums = {weight: self._sums[weight] for weight in self._known} | self._held()
        rate = self._prices.prefill_ns_per_token or self._rate.ns_per_token
        if rate:
            sums["saved_ns"] = sums["hits"] * rate
        return {weight: sums[weight] for weight in WEIGHTS if weight in sums}

    def _held(self) -> dict[str, int]:
        in_tree = {number: pool.evictable + pool.protected for number, pool in self._pools.items()}
        components, sizes = self._components, self._prices.slot_bytes
        full, window = _number(components.full), components.window
        if full not in in_tree:
            return {}
        held = {"tokens": in_tree[full]}
        if window is not None and _number(window) in in_tree:
            held["tombstoned"] = in_tree[full] - in_tree[_number(window)]
        if components.names and all(name in sizes for name in components.names):
            held["bytes"] = sum(in_tree.get(place, 0) * sizes[name] for place, name in enumerate(components.names))
        return held

    def _pool(self, record: Pool) -> None:
        self._pools[record.component] = record

    def _evict(self, record: Evict) -> None:
        self._known.add("evicted")
        full = _number(self._components.full)
        freed = record.freed_tokens[full] if full < len(record.freed_tokens) else 0
        self._sums["evicted"] += freed if tokens_in(freed) else 0
        self._timed(record)

    def _timed(self, record: Match | Insert | Evict | Timing) -> None:
        if measured(record.duration_ns):
            self._known.add("time_ns")
            self._sums["time_ns"] += record.duration_ns

    def _timing(self, record: Timing) -> None:
        """Count what has no record of its own; a split is part of a match or an insert."""
        if record.operation in (LOCK, UNLOCK) and record.phase == WHOLE:
            self._timed(record)

    def _admit(self, record: RequestAdmitted) -> None:
        hit, on_host, gap = record.device_hit_tokens, record.host_hit_tokens, record.recomputed_tokens
        if self._admissions.admitted(record.request) and tokens_in(hit, on_host, gap):
            self._sums["hits"] += hit
            self._sums["recomputed"] += on_host + gap
            if on_host:
                self._loads.expect(record.request, on_host)

    def _told(self, record: Told) -> None:
        news = self._loads.told(record)
        if news is not None and tokens_in(abs(news[1])):
            on_host, loaded = news
            self._sums["hits"] += loaded
            self._sums["recomputed"] -= max(-on_host, min(on_host, loaded))

    def _retract(self, record: RequestRetracted) -> None:
        self._told(record)
        self._admissions.retracted(record.request)

    def _finish(self, record: RequestFinished) -> None:
        self._told(record)
        self._end(record)

    def _end(self, record: RequestFinished | RequestRefused) -> None:
        self._admissions.ended(record.request)


def _number(bit: int) -> int:
    return bit.bit_length() - 1


def count(records: Iterable[Record], components: Sequence[str] = (), prices: Prices = _NO_PRICES) -> dict[str, int]:
    """Return the totals of a whole stream of records by weight."""
    totals = Totals(components, prices)
    for record in records:
        totals.apply(record)
    return totals.by_weight()
