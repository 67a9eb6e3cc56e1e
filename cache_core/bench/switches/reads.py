"""What a look leaves behind: a match splits the edge that a key leaves, a look at a queue splits nothing.

All that wait leave a stored document in its middle, each at a place of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from cache_core import LockReceipt, MatchResult, PrefixCache, RadixKey
from cache_core.bench.clock import times_ns
from cache_core.bench.switches.comparison import Comparison, Figure, in_turns, least_us
from cache_core.bench.switches.queues import DOCUMENTS, Waiters, at_once, documents, keys_of, one_by_one, stored

SWITCH = "reads: match / match_queue"


class Left(NamedTuple):
    """How a look went, and what the documents cost in the tree it left: to match with new keys, to lock."""

    nodes: int
    look_ns: list[int]
    match_ns: list[int]
    lock_ns: list[int]


def compare(who: Waiters, runs: int) -> Iterator[Comparison]:
    """Yield nodes of the tree and times, after each that waits was matched, and after one look at all."""
    off, on = in_turns(runs, lambda: _left(one_by_one, who), lambda: _left(at_once, who))
    yield Comparison(SWITCH, who.load, who.case, "nodes", off[0].nodes, on[0].nodes)
    figures: tuple[tuple[Figure, str, int], ...] = (
        ("us a request", "look_ns", who.count),
        ("us a match", "match_ns", DOCUMENTS),
        ("us a lock", "lock_ns", DOCUMENTS),
    )
    for figure, times, calls in figures:
        sides = [least_us([getattr(run, times) for run in side]) / calls for side in (off, on)]
        yield Comparison(SWITCH, who.load, who.case, figure, *sides)


def _left(look: Callable[[PrefixCache, Sequence[RadixKey]], list[int]], who: Waiters) -> Left:
    cache, keys = stored(who.components), keys_of(who.count, who.place)
    look_ns = times_ns(partial(look, cache), [keys])
    nodes = cache.stats()["nodes"]
    found: list[MatchResult] = []
    match_ns = times_ns(cache.match, map(RadixKey, documents()), found.append)
    receipts: list[LockReceipt] = []
    lock_ns = times_ns(cache.lock, [match.node for match in found], receipts.append)
    for receipt in receipts:
        cache.unlock(receipt)
    return Left(nodes, look_ns, match_ns, lock_ns)
