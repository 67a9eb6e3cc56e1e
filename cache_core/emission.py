"""Operation records: built after an operation, appended behind the records of what it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cache_core import events
from cache_core.event_codec import head
from cache_core.results import MatchResult
from cache_core.stats import pool_stats
from cache_core.tally import EvictTally

if TYPE_CHECKING:
    from cache_core.cache import PrefixCache
    from cache_core.insertion import Write
    from cache_core.node import Node
    from cache_core.request import Request

_MATCH = head(events.Match)
_INSERT = head(events.Insert)
_CAUSE = head(events.EvictionCause)
_FREE_WINDOW = head(events.FreeWindow)
_RESET = head(events.CacheReset)
_POOL = head(events.Pool)
_TRANSFERS = head(events.Transfers)
ADMITTED = head(events.RequestAdmitted)
PREFILLED = head(events.RequestPrefilled)
FINISHED = head(events.RequestFinished)
RETRACTED = head(events.RequestRetracted)

Asked = tuple[int, int, int]
"""Who asked a match for what: namespace id, queried tokens, and the request (-1: nobody's)."""


def emit(cache: PrefixCache, record: events.RawRecord) -> None:
    """Append a record to the cache's sink and flush it when enough wait."""
    sink = cache.sink
    if sink is not None:
        records = sink.records
        records.append(record)
        if len(records) >= events.FLUSH_RECORDS:
            cache.flush_sink(sink)


def emit_changes(cache: PrefixCache) -> None:
    """Emit what was noted of nodes, where no record of an operation follows."""
    if cache.changes is not None:
        cache.changes.emit(cache.clock())
        emit_waiting(cache)


def emit_waiting(cache: PrefixCache) -> None:
    """Flush the cache's sink when enough records wait in it."""
    sink = cache.sink
    if sink is not None and len(sink.records) >= events.FLUSH_RECORDS:
        cache.flush_sink(sink)


def emit_match(cache: PrefixCache, began: int, asked: Asked, reached: Node, found: MatchResult) -> None:
    """Emit what a match split, then the match, which walked down to the end of `reached`."""
    namespace, tokens, request = asked
    ended = cache.clock()
    assert cache.changes is not None
    cache.changes.emit(ended)
    if request < 0 and cache.detail >= events.SPARSE and cache.leaves_out_match():
        emit_waiting(cache)
        return
    branch = -1 if found.branching_point is None else found.branching_point
    emit(
        cache,
        (
            _MATCH, ended, _took_ns(began, ended), namespace, tokens, found.hit_tokens, found.host_hit_tokens,
            found.full_hit_tokens, branch, reached.depth, found.node.id, reached.id, request,
        ),
    )  # fmt: skip


def emit_insert(cache: PrefixCache, job: Write, began: int, present: int, node: Node) -> None:
    """Emit what an insert changed, then the insert."""
    ended = cache.clock()
    assert cache.changes is not None
    cache.changes.segments = job.key.segments
    cache.changes.emit(ended)
    duplicates = max(0, present - job.owned)
    emit(
        cache,
        (
            _INSERT, ended, _took_ns(began, ended), job.key.namespace.id, job.end, present, job.end - present,
            duplicates, job.live_from, job.branch, node.id, job.request,
        ),
    )  # fmt: skip


def emit_cause(cache: PrefixCache, asker: Request) -> None:
    """Emit for whom the evict call that is told next made room."""
    emit(cache, (_CAUSE, cache.clock(), asker.request_id, asker.key.namespace.id))


def emit_evict(
    cache: PrefixCache, began: int, component: int, asked: int, before: list[int], tally: EvictTally
) -> None:
    """Emit what an evict call removed, then the component's share of the call."""
    ended = cache.clock()
    assert cache.changes is not None
    cache.changes.emit(ended)
    freed = (now - earlier for now, earlier in zip(tally.freed, before, strict=True))
    emit(
        cache,
        (
            cache.evict_head, ended, _took_ns(began, ended), component, asked, tally.leaves_considered,
            tally.queue_build_ns, tally.pops, tally.stale_pops, tally.victims, tally.cascades, *freed,
        ),
    )  # fmt: skip


def _took_ns(began: int, ended: int) -> int:
    """Return the time between two readings of the clock, 0 when the first was left out."""
    return ended - began if began else 0


def emit_request(request: Request, head: int, *, recomputed: int = 0, new: int = 0, reason: int = 0) -> None:
    """Emit a step in the life of a request: tokens by class, as far as the kind of record has them."""
    loaded = request.loaded_tokens
    emit(
        request.cache,
        (
            head, request.cache.clock(), request.request_id, len(request.key), request.hit_tokens - loaded,
            request.host_hit_tokens if head == ADMITTED else loaded, recomputed, new, len(request.outputs), reason,
        ),
    )  # fmt: skip


def emit_free_window(cache: PrefixCache, request: int, start: int, end: int) -> None:
    """Emit that a request gave window slots back."""
    if cache.sink is not None:
        emit(cache, (_FREE_WINDOW, cache.clock(), request, start, end))


def emit_reset(cache: PrefixCache) -> None:
    """Emit that the cache is empty."""
    if cache.sink is not None:
        emit(cache, (_RESET, cache.clock()))


def pool_records(cache: PrefixCache) -> list[events.RawRecord]:
    """Return a record per component of its free, evictable, protected and held slots; of transfers; of times."""
    at = cache.clock()
    records: list[events.RawRecord] = [
        (_POOL, at, number, pool["free"], pool["evictable"], pool["protected"], pool["held"])
        for number, pool in enumerate(pool_stats(cache).values())
    ]
    if cache.host is not None:
        transfers = cache.host.flights.stats()
        oldest_ns = -1 if transfers["oldest_ns"] is None else transfers["oldest_ns"]
        records.append((_TRANSFERS, at, transfers["under_way"], transfers["untaken"], oldest_ns))
    if cache.times is not None:
        records += cache.times.records(at)
    return records
