"""Reports B19, M8 and once more B12: copies on the host, and the transfers that make and use them."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import CacheConfig, OutOfSlotsError
from tests.support.caches import admit, hits, insert, key, run, tokens
from tests.support.checked_cache import checked
from tests.support.observe import ledger, locks, rows, shape

CONFIGS: dict[str, dict[str, Any]] = {
    "full": {"components": ("full",)},
    "full+swa": {"components": ("full", "swa"), "window": 16},
}


def hosted(kind: str = "full", slots: int = 512, host: int = 512, **more: Any) -> Any:
    """Return a cache with a host tier."""
    return checked(CacheConfig(**CONFIGS[kind], full_slots=slots, host_slots=host, load_back_tokens=1, **more))


def acknowledge(cache: Any) -> int:
    """Make every transfer that is queued; return how many there were."""
    transfers = cache.host.take_transfers()
    for transfer in transfers:
        cache.host.complete(transfer.id)
    return len(transfers)


def on_host(cache: Any) -> int:
    """Return how many slots of the host have Full copies."""
    used: int = cache.host.stats()["full"]["used"]
    return used


# ---- B19: a split during a backup


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("cut", [1, 64, 112, 127])
@pytest.mark.parametrize("taken", [False, True])
def test_b19_both_halves_of_a_node_keep_their_copies_while_its_backup_is_under_way(
    kind: str, cut: int, taken: bool
) -> None:
    cache = hosted(kind)
    insert(cache, "A128")
    transfers = cache.host.take_transfers() if taken else []
    hits(cache, f"A{cut} X1")
    assert cut in {len(row.key) for row in rows(cache)}
    before = on_host(cache)
    cache.host.evict(full_tokens=512)
    assert (before, on_host(cache)) == (128, 128), "nothing could be dropped"
    assert cache.evict(full_tokens=128).full_tokens == 0, "nor may what is read leave the device"
    for transfer in transfers or cache.host.take_transfers():
        cache.host.complete(transfer.id)
    assert all(row.copies[0] == "f" for row in rows(cache))
    assert set(locks(cache).split()) == {"0/0"}
    cache.host.evict(full_tokens=512)
    assert on_host(cache) == 0


def test_b19_the_numbers_of_the_report() -> None:
    cache = hosted()
    insert(cache, "A128")
    (transfer,) = cache.host.take_transfers()
    hits(cache, "A64 X1")
    assert shape(cache) == "0+64f 64+64f"
    cache.host.evict(full_tokens=128 + 384)
    assert (on_host(cache), locks(cache)) == (128, "1/0 1/0")
    cache.host.complete(transfer.id)
    assert (shape(cache), locks(cache)) == ("0+64f 64+64f", "0/0 0/0")


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("cut", [1, 64, 127])
def test_b19_a_split_while_a_node_is_loaded_back_keeps_what_is_loaded(kind: str, cut: int) -> None:
    cache = hosted(kind)
    insert(cache, "A128")
    acknowledge(cache)
    cache.evict(full_tokens=128)
    request = admit(cache, "A128 B1", prefilled=False)
    assert (request.hit_tokens, request.load_back(), request.hit_tokens) == (0, 128, 128)
    hits(cache, f"A{cut} X1")
    cache.host.evict(full_tokens=512)
    assert (cache.evict(full_tokens=512).full_tokens, on_host(cache)) == (0, 128)
    request.retract()
    assert cache.evict(full_tokens=512).full_tokens == 0, "it is still being written"
    acknowledge(cache)
    assert set(locks(cache).split()) == {"0/0"}
    assert cache.evict(full_tokens=512).full_tokens == 128


# ---- B12: what a lookup on the host pins


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("loaded", [0, 400, 1000])
def test_b12_a_hit_on_the_host_is_pinned_until_its_load_ends_and_no_longer(kind: str, loaded: int) -> None:
    cache = hosted(kind, slots=2048, host=2048)
    insert(cache, "A1000")
    acknowledge(cache)
    cache.evict(full_tokens=1000)
    request = admit(cache, f"A{loaded or 1000} B1", prefilled=False)
    assert request.host_hit_tokens == (loaded or 1000)
    if loaded:
        assert request.load_back() == loaded
    request.retract()
    acknowledge(cache)
    assert all(pool.protected == pool.held == 0 for pool in ledger(cache).values())
    cache.host.evict(full_tokens=2048)
    assert cache.evict(full_tokens=2048).full_tokens == loaded
    assert rows(cache) == []


def test_b12_a_load_that_finds_no_room_pins_nothing() -> None:
    cache = hosted(slots=128, host=512)
    insert(cache, "A100")
    acknowledge(cache)
    cache.evict(full_tokens=100)
    held = cache.allocate(64)
    for _ in range(10):
        request = admit(cache, "A100 B1", prefilled=False)
        assert (request.host_hit_tokens, request.load_back()) == (100, 0)
        with pytest.raises(OutOfSlotsError):
            request.prefill(101)
        request.retract()
        assert (cache.host.take_transfers(), ledger(cache)["full"].protected) == ([], 0)
    cache.free(held)
    assert admit(cache, "A100 B1", prefilled=False).load_back() == 100


# ---- M8: acknowledgements


@pytest.mark.parametrize("kind", CONFIGS)
def test_m8_what_a_finished_request_is_copied_from_is_evictable_once_that_is_acknowledged(kind: str) -> None:
    cache = hosted(kind)
    decoding = admit(cache, "C10")
    for text in ("A100", "B100"):
        run(cache, text, "")
    for token in tokens("D50"):  # steps that only decode: acknowledgements come in between
        decoding.decode(token)
    assert ledger(cache)["full"].protected >= 200
    acknowledge(cache)
    assert ledger(cache)["full"].evictable == 200
    assert cache.evict(full_tokens=200).full_tokens == 200
    decoding.finish()


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("policy", ["write_through", "write_through_selective", "write_back"])
def test_m8_a_host_smaller_than_the_device_takes_what_it_can_and_refuses_nobody(kind: str, policy: str) -> None:
    cache = hosted(kind, slots=1000, host=400, write_policy=policy)
    copied = 0
    for number in range(30):
        text = f"A{100 * number}:{100 * number + 100}"
        for _ in range(2):
            run(cache, text, "")
            copied += acknowledge(cache)
        assert on_host(cache) <= 400
        assert cache.match(key(text)).hit_tokens == 100, "it was served and kept"
    assert copied >= 20
    assert on_host(cache) == 400


def test_m8_copies_of_what_the_device_has_as_well_give_way() -> None:
    cache = hosted(slots=1000, host=400)
    for number in range(10):
        run(cache, f"A{100 * number}:{100 * number + 100}", "")
        acknowledge(cache)
    assert on_host(cache) <= 400
    newest = [row.copies for row in rows(cache) if row.key[-1] >= 900]
    assert newest and all(copies == "f" for copies in newest)
