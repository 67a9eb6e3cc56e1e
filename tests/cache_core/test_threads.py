"""A cache belongs to one thread: a call from another is refused and changes nothing."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable

import pytest

from cache_core import PrefixCache, WrongThreadError
from tests.support.caches import admit, insert, key, swa_cache
from tests.support.observe import everything


@pytest.fixture
def cache() -> PrefixCache:
    """A cache of pages of 4 that holds A16."""
    made = swa_cache(page=4, slots=64)
    insert(made, "A16")
    return made


@pytest.mark.parametrize(
    "call",
    [
        lambda cache, slots, receipt: cache.match(key("A8")),
        lambda cache, slots, receipt: cache.lock(cache.tree.root),
        lambda cache, slots, receipt: cache.unlock(receipt),
        lambda cache, slots, receipt: cache.allocate(4),
        lambda cache, slots, receipt: cache.free(slots),
        lambda cache, slots, receipt: cache.free_window(slots),
        lambda cache, slots, receipt: cache.insert(key("B8"), slots),
        lambda cache, slots, receipt: cache.evict(full_tokens=4),
        lambda cache, slots, receipt: cache.admit(key("A8")),
        lambda cache, slots, receipt: cache.reset(),
    ],
    ids=["match", "lock", "unlock", "allocate", "free", "free_window", "insert", "evict", "admit", "reset"],
)
def test_a_call_from_another_thread_is_refused(
    cache: PrefixCache, call: Callable[[PrefixCache, array[int], object], object]
) -> None:
    slots = cache.allocate(8)
    receipt = cache.lock(cache.tree.root)
    before = everything(cache)
    raised: list[BaseException] = []

    def other() -> None:
        try:
            call(cache, slots, receipt)
        except BaseException as error:  # noqa: BLE001 - whatever comes is judged below
            raised.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert [type(error) for error in raised] == [WrongThreadError]
    assert everything(cache) == before


@pytest.mark.parametrize("call", ["prefill", "decode", "finish", "retract", "release_window"])
def test_a_request_is_refused_to_another_thread(cache: PrefixCache, call: str) -> None:
    request = admit(cache, "B16")
    arguments = {"prefill": (16,), "decode": (1,)}.get(call, ())
    raised: list[BaseException] = []

    def other() -> None:
        try:
            getattr(request, call)(*arguments)
        except BaseException as error:  # noqa: BLE001 - whatever comes is judged below
            raised.append(error)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert [type(error) for error in raised] == [WrongThreadError]


def test_claim_moves_a_cache_to_the_calling_thread(cache: PrefixCache) -> None:
    hit: list[int] = []

    def other() -> None:
        cache.claim()
        hit.append(cache.match(key("A16")).hit_tokens)

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert hit == [16]
    with pytest.raises(WrongThreadError, match="claim"):
        cache.match(key("A16"))
