"""Transfers: what they hold until they are complete, and what is refused. A failed call changes nothing."""

from __future__ import annotations

import pytest

from cache_core import DoubleFreeError, LockError, StaleNodeError
from tests.support.caches import admit, hits, insert, key
from tests.support.hosted import KINDS, hosted, settle, take, used
from tests.support.observe import everything, ledger, locks, shape


@pytest.mark.parametrize("kind", ["full", "swa"])
def test_a_transfer_names_device_and_host_slots_of_each_component(kind: str) -> None:
    cache = hosted(kind)
    insert(cache, "A4")
    (transfer,) = take(cache)
    assert (transfer.direction, set(transfer.parts)) == ("backup", set(KINDS[kind]["components"]))
    for device, host in transfer.parts.values():
        assert len(device) == len(host) == 4 and len({*host}) == 4


def test_the_slots_of_a_transfer_go_from_the_root_to_the_end() -> None:
    cache = hosted(write_policy="write_through_selective")
    slots = cache.allocate(8)
    for end in (4, 8):
        cache.insert(key(f"A{end}"), slots[:end], owned_tokens=end - 4)
    cache.insert(key("A8"), slots, owned_tokens=8)
    transfers = take(cache)
    assert [list(transfer.parts["full"][0]) for transfer in transfers] == [list(slots[:4]), list(slots[4:])]


def test_a_state_is_copied_with_the_node_that_it_ends() -> None:
    cache = hosted("mamba")
    state = cache.allocate_state()
    insert(cache, "A8", state_slot=state)
    (transfer,) = take(cache)
    assert list(transfer.parts["mamba"][0]) == [state]
    assert ledger(cache)["mamba"].protected == 1
    cache.host.complete(transfer.id)
    assert ledger(cache)["mamba"].protected == 0


@pytest.mark.parametrize("kind", ["full", "swa"])
def test_what_is_copied_is_held_until_the_transfer_is_complete(kind: str) -> None:
    cache = hosted(kind)
    insert(cache, "A8")
    before = shape(cache)
    (transfer,) = take(cache)
    assert cache.evict(full_tokens=8, swa_tokens=8).full_tokens == 0
    cache.host.evict(full_tokens=64, swa_tokens=64)
    assert shape(cache) == before
    cache.host.complete(transfer.id)
    assert cache.evict(full_tokens=8).full_tokens == 8


def test_a_transfer_that_never_completes_keeps_its_locks_and_nothing_else() -> None:
    cache = hosted("swa")
    insert(cache, "A8")
    take(cache)
    for letter in "BCDEFGHIJKLMN":
        insert(cache, f"{letter}8")
        settle(cache)
    assert (ledger(cache)["full"].protected, hits(cache, "A8")[0]) == (8, 8)
    assert ledger(cache)["full"].evictable > 0


@pytest.mark.parametrize("number", [0, 1, 2, 99])
def test_only_a_transfer_that_was_taken_can_be_complete(number: int) -> None:
    cache = hosted()
    insert(cache, "A4")
    settle(cache)
    insert(cache, "B4")
    before = everything(cache)
    with pytest.raises(LockError, match=f"transfer {number}"):
        cache.host.complete(number)
    assert everything(cache) == before


def test_a_reset_is_refused_while_a_transfer_is_queued_or_taken() -> None:
    cache = hosted()
    insert(cache, "A4")
    before = everything(cache)
    with pytest.raises(LockError, match="1 transfers are under way"):
        cache.reset()
    (transfer,) = take(cache)
    with pytest.raises(LockError, match="1 transfers are under way"):
        cache.reset()
    assert everything(cache) == before
    cache.host.complete(transfer.id)
    cache.reset()
    assert (shape(cache), used(cache)["full"]) == ("", 0)


def test_transfers_may_complete_in_any_order() -> None:
    cache = hosted("swa")
    for end in (4, 8, 12):
        insert(cache, f"A{end}")
    transfers = take(cache)
    for transfer in [transfers[1], transfers[2], transfers[0]]:
        cache.host.complete(transfer.id)
    assert set(locks(cache).split()) == {"0/0"}


def test_of_two_copies_of_a_node_under_way_it_waits_for_both() -> None:
    """Written back, restored by an insert, and evicted again with a window that the host lacks."""
    cache = hosted("swa", write_policy="write_back", swa_host_slots=4)
    insert(cache, "A4", swa_from=4)
    cache.evict(full_tokens=4)
    insert(cache, "A4")
    cache.evict(full_tokens=4)
    first, second = take(cache)
    assert [sorted(transfer.parts) for transfer in (first, second)] == [["full"], ["swa"]]
    cache.host.complete(second.id)
    (node,) = cache.tree.descend()
    assert node.pending == first.id
    cache.host.complete(first.id)
    assert node.pending == 0


def test_a_node_on_the_host_alone_cannot_be_locked() -> None:
    cache = hosted()
    node = insert(cache, "A8").node
    settle(cache)
    cache.evict(full_tokens=8)
    with pytest.raises(StaleNodeError, match="in host memory alone"):
        cache.lock(node)


def test_an_insert_may_not_own_what_is_on_the_host_alone() -> None:
    cache = hosted()
    slots = insert(cache, "A8").node.slots()
    settle(cache)
    cache.evict(full_tokens=8)
    before = everything(cache)
    with pytest.raises(DoubleFreeError, match="the tree has 0"):
        cache.insert(key("A8"), slots, owned_tokens=8)
    assert everything(cache) == before


def test_a_request_that_ends_while_it_loads_leaves_what_is_loaded() -> None:
    cache = hosted("swa")
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=8)
    request = admit(cache, "A8 B1", prefilled=False)
    assert request.load_back() == 8
    request.retract()
    assert ledger(cache)["full"].protected == 8
    settle(cache)
    assert (ledger(cache)["full"].evictable, hits(cache, "A8")[0]) == (8, 8)


def test_stats_state_the_hosts_pools_only_where_there_is_a_host_tier() -> None:
    cache = hosted("swa", host=32, swa_host_slots=16)
    insert(cache, "A4")
    assert cache.stats()["host"] == {
        "full": {"free": 28, "used": 4, "total": 32},
        "swa": {"free": 12, "used": 4, "total": 16},
    }
