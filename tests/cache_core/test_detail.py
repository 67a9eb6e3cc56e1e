"""How much a cache tells: durations and bare matches may go, what changes the tree never does."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.events import (
    FULL_DETAIL,
    LOCK,
    MATCH,
    MATCH_SAMPLE,
    SPARSE,
    SPLIT,
    UNLOCK,
    UNTIMED,
    Evict,
    Insert,
    Match,
    Record,
    Timing,
)
from tests.support.sinks import Sink


def run(detail: int) -> list[Record]:
    """Return what a small run emits at a level of detail."""
    sink = Sink()
    cache = PrefixCache(CacheConfig(window=8, full_slots=200, swa_slots=100), sink=sink)
    cache.set_detail(detail)
    for number in range(64):
        request = cache.admit(RadixKey([1, 2, 3, 4, 5 + number % 3, number, 7, 8]))
        request.prefill(8)
        request.finish()
        cache.match(RadixKey([1, 2, 3]))
    cache.evict(full_tokens=40)
    cache.emit_pools()
    sink.flush()
    return sink.flushed


def shape(records: list[Record]) -> Counter[str]:
    return Counter(type(record).__name__ for record in records if not isinstance(record, (Timing, Match)))


@pytest.mark.parametrize("detail", [UNTIMED, SPARSE])
def test_less_detail_leaves_out_nothing_that_changes_the_tree(detail: int) -> None:
    assert shape(run(detail)) == shape(run(FULL_DETAIL))


@pytest.mark.parametrize("detail", [UNTIMED, SPARSE])
def test_an_untimed_cache_states_no_duration(detail: int) -> None:
    records = run(detail)
    assert {record.duration_ns for record in records if isinstance(record, (Match, Insert, Evict))} == {0}
    assert not any(isinstance(record, Timing) for record in records)


def test_a_timed_cache_states_every_duration() -> None:
    records = run(FULL_DETAIL)
    assert all(record.duration_ns > 0 for record in records if isinstance(record, (Match, Insert, Evict)))


def test_locks_and_splits_are_summed() -> None:
    calls = {(r.operation, r.phase): (r.calls, r.duration_ns) for r in run(FULL_DETAIL) if isinstance(r, Timing)}
    assert calls[LOCK, 0][0] >= calls[UNLOCK, 0][0] == 64
    assert calls[MATCH, SPLIT][0] > 0
    assert all(duration_ns > 0 for _, duration_ns in calls.values())


def test_a_sparse_cache_tells_some_bare_matches_and_all_of_requests() -> None:
    matches = [record for record in run(SPARSE) if isinstance(record, Match)]
    assert sum(match.request >= 0 for match in matches) == 64
    assert sum(match.request < 0 for match in matches) == 64 // MATCH_SAMPLE


def test_the_detail_returns() -> None:
    cache = PrefixCache(CacheConfig(window=8, full_slots=64, swa_slots=64), sink=Sink())
    cache.set_detail(SPARSE)
    assert cache.times is None
    cache.set_detail(FULL_DETAIL)
    assert cache.times is not None
    cache.attach_sink(None)
    assert cache.times is None
