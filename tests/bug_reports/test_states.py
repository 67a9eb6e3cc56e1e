"""Report B07: slots of recurrent states that a request took go with it, however it ends."""

from __future__ import annotations

from typing import Any

import pytest

from cache_core import CacheConfig, OutOfSlotsError
from tests.support.caches import admit, key, tokens
from tests.support.checked_cache import checked
from tests.support.observe import free, ledger, locks, shape

COMPONENTS = [("full", "mamba"), ("full", "swa", "mamba")]


def stateful(components: tuple[str, ...], slots: int = 128, states: int = 8) -> Any:
    """Return a cache that holds a state at the end of A64."""
    window = 16 if "swa" in components else None
    pools = {"full_slots": slots, "mamba_slots": states, "mamba_chunk_tokens": 16}
    cache = checked(CacheConfig(components=components, window=window, **pools))
    slots = cache.allocate(64)
    cache.free_window(slots[:48])
    cache.insert(key("A64"), slots, swa_from=48, state_slot=cache.allocate_state())
    assert cache.match(key("A64")).hit_tokens == 64
    return cache


def unlocked(cache: Any) -> bool:
    """Say whether nothing is locked."""
    return set(locks(cache).split()) == {"0/0"} and all(pool.protected == 0 for pool in ledger(cache).values())


@pytest.mark.parametrize("components", COMPONENTS, ids=["full+mamba", "full+swa+mamba"])
@pytest.mark.parametrize("asked", ["slots", "nothing"])
def test_b07_a_refused_request_takes_no_state_along(components: tuple[str, ...], asked: str) -> None:
    cache = stateful(components)
    start, tree = free(cache), shape(cache)
    for _ in range(10):
        request = admit(cache, "A64 B100", prefilled=False)
        assert (request.hit_tokens, request.state_source != 0) == (64, True)
        if asked == "slots":
            with pytest.raises(OutOfSlotsError):
                request.prefill(164)
        assert ledger(cache)["mamba"].held == 0
        request.retract()
        assert (free(cache), shape(cache), unlocked(cache)) == (start, tree, True)


@pytest.mark.parametrize("components", COMPONENTS, ids=["full+mamba", "full+swa+mamba"])
def test_a_write_back_before_the_first_chunk_leaves_the_state_to_begin_with(components: tuple[str, ...]) -> None:
    cache = stateful(components)
    request = admit(cache, "A64 B10", prefilled=False)
    source = request.state_source
    request.prefill(64)
    request.prefill(74, cache=False)
    assert (request.state_source, request.state_slot > 0) == (source, True)
    request.prefill(74)
    assert request.state_source == 0


@pytest.mark.parametrize("components", COMPONENTS, ids=["full+mamba", "full+swa+mamba"])
def test_b07_with_no_state_slot_left_a_request_is_refused_and_keeps_none(components: tuple[str, ...]) -> None:
    cache = stateful(components, states=2)
    taken = cache.allocate_state()
    start = free(cache)
    for _ in range(10):
        request = admit(cache, "A64 B10", prefilled=False)
        with pytest.raises(OutOfSlotsError, match="mamba pool"):
            request.prefill(74)
        assert (request.length, request.state_slot, request.checkpoint_slot) == (64, 0, 0)
        request.retract()
        assert (free(cache), unlocked(cache)) == (start, True)
    cache.free_state(taken)
    request = admit(cache, "A64 B10")
    assert request.state_slot
    request.finish()
    assert unlocked(cache)


@pytest.mark.parametrize("components", COMPONENTS, ids=["full+mamba", "full+swa+mamba"])
@pytest.mark.parametrize("end", ["finish", "retract"])
@pytest.mark.parametrize("decoded", [0, 1, 20])
def test_b07_every_state_of_a_request_is_given_back_or_in_the_tree(
    components: tuple[str, ...], end: str, decoded: int
) -> None:
    cache = stateful(components, slots=256)
    request = admit(cache, "A64 B30", prefilled=False)
    for upto in (70, 80, 94):
        request.prefill(upto)
    for token in tokens(f"C{decoded}"):
        request.decode(token)
    assert ledger(cache)["mamba"].held >= 1
    getattr(request, end)()
    pool = ledger(cache)["mamba"]
    assert (pool.held, pool.protected, pool.free + pool.evictable) == (0, 0, 8)
    assert unlocked(cache)
