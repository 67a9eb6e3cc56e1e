"""Transfers that are given up: what they held is free, what they were to copy is nowhere, and nobody relies on it."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import CacheConfig, KeyRangeError, LockError, check_integrity
from tests.support.cache_runs import HOSTED, CacheRun
from tests.support.caches import admit, hits, insert, key
from tests.support.hosted import hosted, settle, take, used
from tests.support.observe import everything, ledger, shape
from tests.support.setups import name_of

KINDS = ["full", "swa", "mamba"]


def stored(cache: Any, text: str, **more: Any) -> None:
    """Insert a key, with a state where there are any."""
    more |= {"state_slot": cache.allocate_state()} if cache.mamba is not None else {}
    insert(cache, text, **more)


def away(kind: str = "full", **more: Any) -> Any:
    """Return a cache whose A8 is on the host alone."""
    cache = hosted(kind, **more)
    stored(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    settle(cache)
    return cache


@pytest.mark.parametrize("kind", KINDS)
def test_a_backup_that_is_given_up_leaves_the_node_as_if_it_never_was(kind: str) -> None:
    cache = hosted(kind)
    stored(cache, "A8")
    (transfer,) = take(cache)
    cache.host.abandon(transfer.id)
    assert not any(used(cache).values()) and not any(pool.protected for pool in ledger(cache).values())
    assert cache.stats()["transfers"] == {"under_way": 0, "untaken": 0, "oldest_ns": None}
    assert cache.evict(full_tokens=8).full_tokens == 8
    assert cache.stats()["nodes"] == 0


def test_what_goes_on_from_a_backup_that_is_given_up_loses_its_copy_too() -> None:
    cache = hosted()
    insert(cache, "A4")
    insert(cache, "A8")
    first, second = take(cache)
    cache.host.complete(second.id)
    cache.evict(full_tokens=4)
    assert cache.stats()["host_nodes"] == 1
    cache.host.abandon(first.id)
    assert (used(cache), cache.stats()["host_nodes"]) == ({"full": 0}, 0)
    assert hits(cache, "A8")[0] == 4


def test_a_backup_is_not_given_up_before_one_that_goes_on_from_it() -> None:
    cache = hosted()
    insert(cache, "A4")
    insert(cache, "A8")
    first, second = take(cache)
    before = everything(cache)
    with pytest.raises(LockError, match=rf"transfers \[{second.id}\] go on from its copies"):
        cache.host.abandon(first.id)
    assert everything(cache) == before
    cache.host.abandon(second.id)
    cache.host.abandon(first.id)
    assert used(cache) == {"full": 0}


def test_a_node_that_was_to_be_saved_on_its_way_out_is_gone() -> None:
    cache = hosted(write_policy="write_back")
    insert(cache, "A4")
    insert(cache, "A8")
    cache.evict(full_tokens=8)
    child, parent = take(cache)
    cache.host.complete(child.id)
    cache.host.abandon(parent.id)
    assert (cache.stats()["nodes"], used(cache)) == (0, {"full": 0})


def test_a_node_that_came_back_before_its_backup_was_given_up_stays_on_the_device() -> None:
    cache = hosted(write_policy="write_back")
    insert(cache, "A8")
    cache.evict(full_tokens=8)
    (transfer,) = take(cache)
    insert(cache, "A8")
    cache.host.abandon(transfer.id)
    assert (used(cache), hits(cache, "A8")[0]) == ({"full": 0}, 8)


def test_a_window_that_was_to_be_copied_later_is_given_up_alone() -> None:
    cache = hosted("swa")
    insert(cache, "A8", swa_from=8)
    settle(cache)
    insert(cache, "A8")
    (transfer,) = take(cache)
    assert set(transfer.parts) == {"swa"}
    cache.host.abandon(transfer.id)
    assert used(cache) == {"full": 8, "swa": 0}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("policy", ["write_through", "write_back"])
def test_what_was_to_be_loaded_is_on_the_host_alone_again(kind: str, policy: str) -> None:
    cache = away(kind, write_policy=policy)
    before = shape(cache)
    request = admit(cache, "A8 B4", prefilled=False)
    assert request.load_back() == 8
    (transfer,) = take(cache)
    request.retract()
    cache.host.abandon(transfer.id)
    assert shape(cache) == before
    assert hits(cache, "A8")[0] == 0 and cache.match(key("A8")).host_hit_tokens == 8
    assert all(pool.free == pool.total for pool in ledger(cache).values())


def test_a_load_is_not_given_up_while_a_request_relies_on_it() -> None:
    cache = away()
    request = admit(cache, "A8 B4", prefilled=False)
    request.load_back()
    (transfer,) = take(cache)
    receipt = cache.lock(cache.match(key("A8")).node)
    before = everything(cache)
    with pytest.raises(LockError, match=rf"held by requests \[{request.request_id}\]"):
        cache.host.abandon(transfer.id)
    assert everything(cache) == before
    request.retract()
    with pytest.raises(LockError, match="unlock these first"):
        cache.host.abandon(transfer.id)
    cache.unlock(receipt)
    cache.host.abandon(transfer.id)
    assert cache.stats()["host_nodes"] == 1


def test_a_window_that_was_to_be_loaded_is_a_tombstone_again() -> None:
    cache = hosted("swa")
    insert(cache, "A8")
    settle(cache)
    insert(cache, "A8 B8")
    settle(cache)
    cache.evict(swa_tokens=8)
    before = shape(cache)
    request = admit(cache, "A8 C4", prefilled=False)
    assert request.load_back() > 0
    (transfer,) = take(cache)
    assert set(transfer.parts) == {"swa"}
    request.retract()
    cache.host.abandon(transfer.id)
    assert shape(cache) == before


def test_a_backup_that_a_load_was_to_read_is_given_up_after_it() -> None:
    cache = hosted(write_policy="write_back")
    insert(cache, "A8")
    cache.evict(full_tokens=8)
    request = admit(cache, "A8 B4", prefilled=False)
    assert request.load_back() == 8
    backup, load = take(cache)
    with pytest.raises(LockError, match=rf"transfers \[{load.id}\]"):
        cache.host.abandon(backup.id)
    request.retract()
    cache.host.abandon(load.id)
    cache.host.abandon(backup.id)
    assert (cache.stats()["nodes"], used(cache)) == (0, {"full": 0})


def loading(**more: Any) -> tuple[Any, int, int]:
    """Return a cache with A8 under way back to the device, that transfer, and that of C4 that was put on it, or 0."""
    cache = away(**more)
    request = admit(cache, "A8 B4", prefilled=False)
    request.load_back()
    (load,) = take(cache)
    admit(cache, "A8 C4").finish()
    request.retract()
    return cache, load.id, next((transfer.id for transfer in take(cache)), 0)


def test_what_was_put_on_a_load_and_copied_stays_on_the_host() -> None:
    cache, load, backup = loading()
    with pytest.raises(LockError, match=rf"transfers \[{backup}\]"):
        cache.host.abandon(load)
    cache.host.complete(backup)
    cache.host.abandon(load)
    assert (cache.stats()["nodes"], cache.stats()["host_nodes"]) == (2, 2)
    assert cache.match(key("A8 C4")).host_hit_tokens == 12


def test_what_was_put_on_a_load_without_a_copy_is_gone() -> None:
    cache, load, backup = loading(write_policy="write_back")
    assert not backup
    cache.host.abandon(load)
    assert (cache.stats()["nodes"], cache.match(key("A8 C4")).host_hit_tokens) == (1, 8)
    assert not take(cache)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_only_a_transfer_that_was_taken_can_be_given_up(number: int) -> None:
    cache = hosted()
    insert(cache, "A4")
    settle(cache)
    insert(cache, "B4")
    before = everything(cache)
    with pytest.raises(LockError, match=f"transfer {number} cannot be abandoned"):
        cache.host.abandon(number)
    assert everything(cache) == before


def test_a_stuck_transfer_shows_by_its_age() -> None:
    times = iter(range(0, 10_000, 10))
    cache = hosted()
    cache.clock = lambda: next(times)
    insert(cache, "A4")
    take(cache)
    insert(cache, "B4")
    first, later = (cache.stats()["transfers"] for _ in range(2))
    assert (first["under_way"], first["untaken"]) == (2, 1)
    assert 0 < first["oldest_ns"] < later["oldest_ns"]


@pytest.mark.parametrize("config", HOSTED, ids=name_of)
def test_a_cache_whose_transfers_are_given_up_at_random_stays_whole(config: CacheConfig) -> None:
    abandoned = refusals = 0
    for seed in range(6):
        run = CacheRun(config, None, seed)
        for number in range(150):
            run.step()
            if number % 3 == 0:
                run.take()
                run.abandon()
            check_integrity(run.cache)
        abandoned, refusals = abandoned + run.abandoned, refusals + run.refusals
    assert abandoned > 10 and refusals > 0


@pytest.mark.parametrize("wrong", ["1", [1], None, 1.5, -1])
@pytest.mark.parametrize("call", ["complete", "abandon", "evict"])
def test_a_wrong_argument_breaks_nothing(call: str, wrong: Any) -> None:
    cache = hosted()
    stored(cache, "A8")
    before = everything(cache)
    with pytest.raises(KeyRangeError, match="is needed"):
        getattr(cache.host, call)(wrong)
    assert everything(cache) == before
    settle(cache)
