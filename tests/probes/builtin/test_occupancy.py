"""Pools: the newest statement, and the share in use."""

from __future__ import annotations

from cache_core.events import Pool, Transfers
from probes.builtin.occupancy import Occupancy, OccupancySample, PoolState, TransferState
from tests.support.observing import S, history, probe_of
from tests.support.records import record


def pool(at: int, component: int, *tokens: int) -> Pool:
    return Pool(at, component, *tokens)


def test_the_newest_statement_of_each_pool_in_the_order_of_the_cache() -> None:
    probe = probe_of(
        Occupancy,
        [pool(1 * S, 1, 10, 0, 0, 0), pool(1 * S, 0, 60, 20, 10, 10), pool(3 * S, 1, 4, 3, 2, 1)],
    )
    assert probe.sample(4 * S) == OccupancySample(
        pools=(PoolState("full", 60, 20, 10, 10, 100), PoolState("swa", 4, 3, 2, 1, 10)),
        history={"full": history(0.4, 0.4, 0.4, 0.4), "swa": history(0.0, 0.0, 0.6, 0.6)},
    )


def test_pools_are_unknown_before_the_first_statement() -> None:
    assert probe_of(Occupancy, []).sample(S) is None


def test_a_pool_without_slots_has_no_share() -> None:
    sample = probe_of(Occupancy, [record(Pool, at=S)]).sample(S)
    assert sample is not None
    assert sample.pools == (PoolState("full", 0, 0, 0, 0, 0),)
    assert sample.history == {"full": history()}


def test_copies_under_way_are_told_with_the_age_of_the_oldest() -> None:
    first = record(Pool, at=S, component=0, free=1)
    assert probe_of(Occupancy, [first]).sample(S).transfers is None  # type: ignore[union-attr]
    stuck = probe_of(Occupancy, [first, record(Transfers, at=S, under_way=2, untaken=1, oldest_ns=5)]).sample(S)
    assert stuck is not None and stuck.transfers == TransferState(2, 1, 5)
    done = probe_of(Occupancy, [first, record(Transfers, at=S, oldest_ns=-1)]).sample(S)
    assert done is not None and done.transfers == TransferState(0, 0, None)
