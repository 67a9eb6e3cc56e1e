"""Loading back: what a request gains, what it takes, and when it is not worth it or not possible."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import LockError, OutOfSlotsError
from tests.support.caches import admit, hits, insert, run
from tests.support.faulty_pool import make_faulty
from tests.support.hosted import hosted, settle, take
from tests.support.observe import ledger, locks, shape


def demoted(kind: str = "full", *ends: int, **more: Any) -> Any:
    """Return a cache with prefixes of A up to `ends` on the host alone."""
    cache = hosted(kind, **more)
    for end in ends:
        insert(cache, f"A{end}")
    settle(cache)
    cache.evict(full_tokens=max(ends))
    return cache


def test_a_hit_grows_by_what_is_loaded_and_the_row_is_the_trees() -> None:
    cache = demoted("full", 4, 8)
    request = admit(cache, "A8 B2", prefilled=False)
    assert (request.hit_tokens, request.host_hit_tokens, request.row()) == (0, 8, cache.allocate(0))
    assert request.load_back() == 8
    assert (request.hit_tokens, request.length, request.loaded_tokens) == (8, 8, 8)
    (transfer,) = take(cache)
    device, _ = transfer.parts["full"]
    assert (transfer.direction, request.row()) == ("load", device)
    request.prefill(10)
    request.finish()
    assert hits(cache, "A8 B2") == (10, None)


def test_a_load_reads_the_slots_that_the_backup_wrote() -> None:
    cache = hosted()
    insert(cache, "A8")
    (backup,) = take(cache)
    cache.host.complete(backup.id)
    cache.evict(full_tokens=8)
    admit(cache, "A8 B2", prefilled=False).load_back()
    (load,) = take(cache)
    assert load.parts["full"][1] == backup.parts["full"][1]


def test_a_second_load_back_gains_nothing() -> None:
    cache = demoted("full", 8)
    request = admit(cache, "A8 B2", prefilled=False)
    assert (request.load_back(), request.load_back()) == (8, 0)


@pytest.mark.parametrize("kind", ["full", "swa"])
def test_what_another_request_loads_meanwhile_is_a_hit_without_a_load(kind: str) -> None:
    cache = demoted(kind, 8)
    first, second = (admit(cache, f"A8 {end}2", prefilled=False) for end in "BC")
    gained = first.load_back()
    assert gained > 0
    take(cache)
    assert second.load_back() == gained
    assert cache.host.take_transfers() == []
    assert second.row() == first.row()


def test_what_another_request_loads_is_a_hit_though_the_rest_is_not_worth_a_load() -> None:
    cache = demoted("full", 8, 12, load_back_tokens=6)
    first, second = admit(cache, "A8 B2", prefilled=False), admit(cache, "A12 C2", prefilled=False)
    assert first.load_back() == 8
    take(cache)
    assert second.load_back() == 8
    assert (second.hit_tokens, cache.host.take_transfers()) == (8, [])


def test_what_has_begun_loads_nothing() -> None:
    cache = demoted("full", 8)
    request = admit(cache, "A8 B2", prefilled=False)
    request.prefill(4, cache=False)
    assert request.load_back() == 0


def test_what_has_ended_is_refused() -> None:
    cache = demoted("full", 8)
    request = admit(cache, "A8 B2", prefilled=False)
    request.retract()
    with pytest.raises(LockError):
        request.load_back()


def test_without_a_host_tier_there_is_nothing_to_load() -> None:
    cache = hosted(host=0)
    insert(cache, "A8")
    assert admit(cache, "A8 B2", prefilled=False).load_back() == 0


@pytest.mark.parametrize(("least", "gained"), [(8, 8), (9, 0)])
def test_few_tokens_are_not_worth_a_load(least: int, gained: int) -> None:
    cache = demoted("full", 8, load_back_tokens=least)
    assert admit(cache, "A8 B2", prefilled=False).load_back() == gained


def test_few_tokens_with_their_window_are() -> None:
    cache = demoted("swa", 8, load_back_tokens=100)
    assert admit(cache, "A8 B2", prefilled=False).load_back() == 8


def test_only_the_last_window_is_loaded() -> None:
    cache = demoted("swa", 4, 8, 12)
    request = admit(cache, "A12 B2", prefilled=False)
    assert request.load_back() == 12
    (transfer,) = take(cache)
    assert {name: len(device) for name, (device, _) in transfer.parts.items()} == {"full": 12, "swa": 4}
    assert list(request.swa_row()[:8]) == [0] * 8 and all(request.swa_row()[8:])


def test_a_window_alone_is_loaded_where_the_device_has_the_rest() -> None:
    cache = hosted("swa")
    for end in (4, 8, 12):
        insert(cache, f"A{end}")
    settle(cache)
    cache.evict(swa_tokens=8)
    assert shape(cache) == "0+4tfs 4+4tfs 8+4Sfs"
    request = admit(cache, "A8 B2", prefilled=False)
    assert (request.hit_tokens, request.host_hit_tokens, request.load_back()) == (0, 8, 8)
    (transfer,) = take(cache)
    assert {name: len(device) for name, (device, _) in transfer.parts.items()} == {"swa": 4}
    assert shape(cache) == "0+4tfs 4+4Sfs 8+4Sfs"


def test_a_state_comes_back_and_is_where_the_request_begins() -> None:
    cache = hosted("mamba")
    insert(cache, "A8", state_slot=cache.allocate_state())
    settle(cache)
    cache.evict(full_tokens=8)
    request = admit(cache, "A8 B2", prefilled=False)
    assert (request.state_source, request.load_back()) == (0, 8)
    (transfer,) = take(cache)
    assert transfer.parts["mamba"][0][0] == request.state_source > 0


def test_a_state_on_the_host_ends_no_branch() -> None:
    """The branching point of states counts from what both tiers can serve."""
    cache = hosted("mamba")
    run(cache, "A16", "")
    settle(cache)
    cache.evict(full_tokens=16)
    request = admit(cache, "A16 B4", prefilled=False)
    assert (request.host_hit_tokens, request.branching_point) == (16, None)
    request.prefill(20, cache=False)
    assert request.checkpoint_due == 20


def test_a_load_evicts_for_its_room_and_not_its_own_path() -> None:
    cache = hosted(slots=16)
    insert(cache, "A4")
    insert(cache, "A8")
    settle(cache)
    cache.evict(full_tokens=4)
    insert(cache, "B12")
    settle(cache)
    request = admit(cache, "A8 C2", prefilled=False)
    assert (request.hit_tokens, request.load_back()) == (4, 4)
    assert shape(cache) == "0+4f 4+4f 0+12-f"


def test_a_load_without_room_leaves_locks_and_slots_as_they_were() -> None:
    cache = demoted("swa", 8, slots=16)
    held = cache.allocate(12)
    before = ledger(cache), locks(cache)
    request = admit(cache, "A8 B2", prefilled=False)
    assert request.load_back() == 0
    assert (ledger(cache), locks(cache), take(cache)) == (*before, [])
    cache.free(held)
    assert request.load_back() == 8


@pytest.mark.parametrize("name", ["full", "swa"])
def test_an_allocation_that_fails_fails_the_load_alone(name: str) -> None:
    cache = demoted("swa", 8)
    pool = next(component.pool for component in cache.components if component.name == name)
    make_faulty(pool).fail_next(True)
    before = ledger(cache)
    request = admit(cache, "A8 B2", prefilled=False)
    assert request.load_back() == 0
    assert (ledger(cache), set(locks(cache).split())) == (before, {"0/0"})
    assert request.load_back() == 8


def test_an_eviction_hook_that_raises_leaves_no_lock_of_the_load(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = demoted("full", 8, slots=8)
    insert(cache, "B8")
    settle(cache)
    request = admit(cache, "A8 B2", prefilled=False)

    def fail(*_: object) -> None:
        raise OSError("no more")

    with monkeypatch.context() as patch:
        patch.setattr(cache.full, "evict", fail)
        with pytest.raises(OSError, match="no more"):
            request.load_back()
    assert [node.host_lock for node in cache.tree.descend()] == [0, 0]


def test_who_comes_after_a_load_hits_what_is_being_loaded() -> None:
    cache = demoted("full", 8)
    first = admit(cache, "A8 B2", prefilled=False)
    first.load_back()
    second = admit(cache, "A8 C2", prefilled=False)
    assert (second.hit_tokens, second.host_hit_tokens, second.row()) == (8, 0, first.row())
    assert [len(transfer.parts["full"][0]) for transfer in take(cache)] == [8]


def test_a_pool_too_small_for_the_load_serves_the_request_without() -> None:
    cache = demoted("full", 8, slots=12)
    other = admit(cache, "B8")
    request = admit(cache, "A8 C2", prefilled=False)
    assert request.load_back() == 0
    with pytest.raises(OutOfSlotsError):
        request.prefill(10)
    other.finish()
    settle(cache)
    request.prefill(10)
    request.finish()


def test_pages_are_loaded_whole() -> None:
    cache = hosted(page_size=4)
    insert(cache, "A12")
    settle(cache)
    cache.evict(full_tokens=12)
    request = admit(cache, "A11", prefilled=False)
    assert (request.host_hit_tokens, request.load_back()) == (8, 8)
    assert shape(cache) == "0+8f 8+4-f"


def test_pairs_are_loaded_like_tokens() -> None:
    cache = hosted("swa", bigram=True)
    run(cache, "A9", "")
    settle(cache)
    cache.evict(full_tokens=8)
    request = admit(cache, "A9 B2", prefilled=False)
    assert (request.host_hit_tokens, request.load_back(), request.length) == (8, 8, 8)
