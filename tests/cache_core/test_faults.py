"""Whatever fails in the middle of an operation: the cache is whole, or says that it is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any

import pytest

from cache_core import (
    CacheBrokenError,
    CacheConfig,
    CacheError,
    CacheIntegrityError,
    LockError,
    OutOfSlotsError,
    PrefixCache,
    Request,
    StaleNodeError,
    WrongThreadError,
    check_integrity,
)
from cache_core.components.full import Full
from cache_core.components.mamba import Mamba
from cache_core.components.swa import SlidingWindow
from cache_core.control import CACHES
from cache_core.kv_events import KVEvents
from cache_core.node import Node
from cache_core.tail_windows import TailWindowLast
from cache_core.watcher import Watcher
from tests.support.caches import admit, full_cache, insert, key, swa_cache
from tests.support.fault_run import FaultRun, InjectedError, Trap, fail_every
from tests.support.sinks import Sink

WINDOWED: dict[str, Any] = {"window": 6, "full_slots": 120, "swa_slots": 64}
STATES: dict[str, Any] = {"components": ("full", "swa", "mamba"), "mamba_slots": 9, "mamba_chunk_tokens": 4}
HOST: dict[str, Any] = {"host_slots": 80, "swa_host_slots": 40, "load_back_tokens": 1}
CONFIGS: dict[str, CacheConfig] = {
    "full": CacheConfig(components=("full",), full_slots=100),
    "full-bigram-slru": CacheConfig(components=("full",), full_slots=100, bigram=True, policy="slru"),
    "swa": CacheConfig(**WINDOWED),
    "swa-page4-tails": CacheConfig(page_size=4, swa_eviction="tail_window_last", **WINDOWED),
    "swa+mamba": CacheConfig(**WINDOWED, **STATES),
    "host": CacheConfig(**WINDOWED, **STATES, **HOST, mamba_host_slots=5),
    "host-write-back": CacheConfig(**WINDOWED, **HOST, write_policy="write_back", policy="lfu"),
}
each_config = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)

STEPS = 40

HOOKS = (
    "make", "refresh", "split", "lock", "lock_below", "lock_one", "unlock", "unlock_one", "overlap", "give_back",
    "commit", "settle", "drop", "evict", "attached", "detached", "load", "put_back",
)  # fmt: skip


def spread(total: int, count: int) -> Iterator[int]:
    """Yield about `count` of the numbers 1 .. total, evenly spread, the first and the last among them."""
    assert total, "nothing happened"
    yield from sorted({1 + step * (total - 1) // max(1, count - 1) for step in range(count)})


def run(user: FaultRun, steps: int = STEPS) -> None:
    """Take steps, the cache whole after each."""
    for _ in range(steps):
        user.step()
        check_integrity(user.cache)


def run_into(trap: Trap, at: int, user: FaultRun) -> None:
    """Take steps until the trap springs."""
    with trap.set(at), pytest.raises(trap.error, match=f"event {at}"):
        for _ in range(STEPS):
            user.step()


def events_of(trap: Trap, user: FaultRun) -> int:
    """Return how many events the steps make; a few less, since what keeps time may make some more or less."""
    with trap.set(0):
        for _ in range(STEPS):
            user.step()
    return trap.count * 99 // 100


def calls_of(user: FaultRun) -> dict[str, Callable[[], object]]:
    """Return a call of every operation of a cache, its requests and its host tier."""
    cache = user.cache
    calls: dict[str, Callable[[], object]] = {
        "match": lambda: cache.match(key("A4")),
        "lock": lambda: cache.lock(cache.tree.root),
        "unlock": lambda: cache.unlock(None),
        "insert": lambda: cache.insert(key("A1"), []),
        "evict": cache.evict,
        "admit": lambda: cache.admit(key("A4")),
        "allocate": lambda: cache.allocate(1),
        "free": lambda: cache.free([]),
        "free_window": lambda: cache.free_window([]),
        "allocate_state": cache.allocate_state,
        "free_state": lambda: cache.free_state(1),
        "stats": cache.stats,
        "match_queue": lambda: cache.match_queue([key("A4")]),
        "claim": cache.claim,
    }
    for number, request in enumerate(user.requests):
        calls |= {
            f"prefill {number}": partial(request.prefill, len(request.key)),
            f"decode {number}": partial(request.decode, 1),
            f"release_window {number}": request.release_window,
            f"load_back {number}": request.load_back,
            f"finish {number}": request.finish,
            f"retract {number}": request.retract,
            f"row {number}": request.row,
            f"swa_row {number}": request.swa_row,
        }
    if cache.host is not None:
        calls |= {
            "take_transfers": cache.host.take_transfers,
            "complete": lambda: cache.host.complete(1),
            "abandon": lambda: cache.host.abandon(2),
            "host evict": cache.host.evict,
        }
    return calls


def judge(user: FaultRun, error: type[BaseException]) -> bool:
    """Hold a cache after a fault: whole, or broken in every call and usable after a reset. Say which."""
    cache = user.cache
    if cache.fault is None:
        check_integrity(cache)
        run(user, steps=5)
        return False
    assert type(cache.fault) is error
    for call in calls_of(user).values():
        with pytest.raises(CacheBrokenError, match=r"'\w+' was broken off by .*event \d+.*reset"):
            call()
    start_over(user)
    return True


def start_over(user: FaultRun) -> None:
    """Reset a broken cache: what was held is worth nothing, and it works as a new one does."""
    cache = user.cache
    cache.reset()
    check_integrity(cache)
    assert cache.stats()["nodes"] == 0 and cache.fault is None
    assert all(pool["free"] == pool["total"] for pool in cache.stats()["components"].values())
    for request in user.requests:
        with pytest.raises(LockError, match="has ended"):
            request.finish()
    for receipt in user.receipts:
        with pytest.raises(LockError, match="given back already"):
            cache.unlock(receipt)
    for node in user.matched:
        if node.id:
            with pytest.raises(StaleNodeError):
                cache.lock(node)
    for transfer in user.transfers:
        with pytest.raises(LockError, match="no transfer of that number"):
            cache.host.complete(transfer.id)
    fresh = FaultRun(cache.config, seed=99)
    fresh.cache = cache
    run(fresh, steps=12)


# ---- allocators that fail


@pytest.mark.parametrize("number", [2, 3, 5])
@pytest.mark.parametrize("failing", ["full", "swa", "mamba", "every"])
@each_config
def test_an_allocator_that_fails_now_and_then_changes_nothing_but_evictions(
    config: CacheConfig, failing: str, number: int
) -> None:
    user = FaultRun(config, seed=number)
    pools = [c.pool for c in user.cache.components if failing in (c.name, "every")]
    for pool in pools:
        fail_every(pool, number)
    run(user, steps=100)
    assert user.cache.fault is None
    assert user.refused or not pools or failing == "mamba"


def test_no_checkpoint_is_due_when_no_state_can_be_had() -> None:
    cache = PrefixCache(CONFIGS["swa+mamba"])
    request = cache.admit(key("A20"))
    fail_every(cache.mamba.pool, 2)  # the first is the working slot
    request.prefill(20, cache=False)
    assert (request.state_slot > 0, request.checkpoint_due, request.checkpoint_slot) == (True, 0, 0)


def test_a_working_slot_goes_back_when_there_are_no_slots_for_its_tokens() -> None:
    cache = PrefixCache(CONFIGS["swa+mamba"])
    request = cache.admit(key("A20"))
    fail_every(cache.full.pool, 1)
    with pytest.raises(OutOfSlotsError):
        request.prefill(20)
    assert (request.state_slot, request.length, cache.mamba.pool.free_slots) == (0, 0, 9)


def test_a_backup_that_is_never_completed_holds_its_own_and_nothing_else() -> None:
    cache = swa_cache(slots=60, host_slots=200)
    admit(cache, "A20").finish()
    (never,) = cache.host.take_transfers()
    for letter in "BCDEFGH":
        admit(cache, f"{letter}20").finish()
        for transfer in cache.host.take_transfers():
            cache.host.complete(transfer.id)
        check_integrity(cache)
    assert cache.match(key("A20")).hit_tokens == 20
    with pytest.raises(OutOfSlotsError):
        cache.allocate(50)
    assert len(cache.allocate(40)) == 40
    with pytest.raises(LockError, match="1 transfers are under way"):
        cache.reset()
    cache.host.complete(never.id)
    check_integrity(cache)


# ---- exceptions in the middle


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@each_config
def test_a_component_hook_that_raises_leaves_no_wrong_cache(
    config: CacheConfig, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = Trap()
    for owner in (Full, SlidingWindow, TailWindowLast, Mamba):
        for name in set(HOOKS) & set(vars(owner)):
            monkeypatch.setattr(owner, name, trap.around(vars(owner)[name], after))
    broken = 0
    for at in spread(events_of(trap, FaultRun(config, 3)), 28):
        user = FaultRun(config, 3)
        run_into(trap, at, user)
        broken += judge(user, InjectedError)
    assert broken > 14


@pytest.mark.parametrize("sink", [False, True], ids=["alone", "watched"])
@each_config
def test_an_interrupt_at_any_line_leaves_no_wrong_cache(config: CacheConfig, sink: bool) -> None:
    trap = Trap(KeyboardInterrupt)
    outcomes = set()

    def user() -> FaultRun:
        made = FaultRun(config, 5, sink=Sink() if sink else None)
        if sink:
            made.events = KVEvents(made.cache)
        return made

    events_of(trap, user())  # what is loaded and kept on first use, is
    with trap.on_lines():
        total = events_of(trap, user())
    for at in spread(total, 18):
        hit = user()
        with trap.on_lines():
            run_into(trap, at, hit)
        outcomes.add(judge(hit, KeyboardInterrupt))
        if sink:
            hit.events.take()
    assert outcomes == {False, True}


OPERATIONS = (
    "match", "lock", "unlock", "evict", "allocate", "free", "free_window", "allocate_state", "free_state", "insert",
    "admit", "prefill", "decode", "release_window", "load_back", "finish", "retract", "take_transfers", "complete",
    "evict_host",
)  # fmt: skip


def interrupted(trap: Trap, at: int, seed: int, operation: str) -> tuple[FaultRun, int]:
    """Return who interrupted an operation at a line, 0 for none, in a cache that was used, and how many it had."""
    user = FaultRun(CONFIGS["host"], seed)
    for _ in range(50):
        user.step()
    user.take_transfers()
    if operation in ("decode", "finish", "release_window"):
        user.admit()
        user.requests[-1].prefill(len(user.requests[-1].key))
    with trap.on_lines(), trap.set(at), suppress(KeyboardInterrupt, CacheError):
        getattr(user, operation)()
    return user, trap.count or 1


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_interrupt_of_any_operation_is_noticed(operation: str) -> None:
    trap, outcomes = Trap(KeyboardInterrupt), set()
    for seed in range(3):
        for at in spread(interrupted(trap, 0, seed, operation)[1], 10):
            user, _ = interrupted(trap, at, seed, operation)
            outcomes.add(judge(user, KeyboardInterrupt))
    assert True in outcomes


@pytest.mark.parametrize("kind", [name for name in CACHES if name != "prefix"])
def test_the_caches_to_compare_with_are_broken_alike(kind: str) -> None:
    trap = Trap(KeyboardInterrupt)
    events_of(trap, FaultRun(CONFIGS["swa"], 5, kind))
    with trap.on_lines():
        total = events_of(trap, FaultRun(CONFIGS["swa"], 5, kind))
    outcomes = set()
    for at in spread(total, 40):
        hit = FaultRun(CONFIGS["swa"], 5, kind)
        with trap.on_lines():
            run_into(trap, at, hit)
        outcomes.add(judge(hit, KeyboardInterrupt))
    assert outcomes == {False, True}


# ---- single faults


class Raising(Watcher):
    """Raises when it is told of a new node."""

    def added(self, node: Node) -> None:
        raise ValueError("no room for notes")


def test_a_watcher_that_raises_breaks_the_cache_and_its_error_is_kept() -> None:
    cache = full_cache()
    watcher = Raising()
    cache.watch(watcher)
    with pytest.raises(ValueError, match="no room for notes") as raised:
        insert(cache, "A8")
    assert cache.fault is raised.value
    with pytest.raises(CacheBrokenError, match="'insert' was broken off by ValueError") as refused:
        cache.match(key("A8"))
    assert refused.value.__cause__ is raised.value
    cache.unwatch(watcher)
    cache.reset()
    insert(cache, "A8")
    assert cache.match(key("A8")).hit_tokens == 8


def test_a_reset_that_fails_leaves_the_cache_broken() -> None:
    class Forgetful(Watcher):
        def cleared(self) -> None:
            raise ValueError("not now")

    cache = full_cache()
    watcher = Forgetful()
    cache.watch(watcher)
    for _ in range(2):
        with pytest.raises(ValueError, match="not now"):
            cache.reset()
        with pytest.raises(CacheBrokenError, match="'reset' was broken off"):
            cache.match(key("A8"))
    cache.unwatch(watcher)
    cache.reset()
    assert cache.match(key("A8")).hit_tokens == 0


def test_a_pool_that_contradicts_the_cache_breaks_it() -> None:
    cache = full_cache()
    slots = cache.allocate(4)
    cache.full.pool.reset()
    with pytest.raises(CacheIntegrityError, match="4 slots given back, only 0 are out"):
        cache.free(slots)
    with pytest.raises(CacheBrokenError, match="'free' was broken off by CacheIntegrityError"):
        cache.allocate(4)


def test_a_broken_cache_is_neither_claimed_nor_reset_by_another_thread() -> None:
    cache = full_cache()
    cache.watch(Raising())
    with pytest.raises(ValueError):
        insert(cache, "A8")
    raised: list[BaseException] = []

    def other() -> None:
        for call in (cache.claim, cache.reset):
            try:
                call()
            except BaseException as error:  # noqa: BLE001 - whatever comes is judged below
                raised.append(error)

    thread = Thread(target=other)
    thread.start()
    thread.join()
    assert [type(error) for error in raised] == [CacheBrokenError, WrongThreadError]
    assert cache.fault is not None


@pytest.mark.parametrize(
    "call",
    [
        lambda cache, request: cache.match("A8"),
        lambda cache, request: cache.lock("node"),
        lambda cache, request: cache.unlock("receipt"),
        lambda cache, request: cache.insert(key("A4"), "slots"),
        lambda cache, request: cache.insert(key("A4"), cache.allocate(4), state_slot="state"),
        lambda cache, request: cache.evict("all"),
        lambda cache, request: cache.allocate(1.5),
        lambda cache, request: cache.free("slots"),
        lambda cache, request: cache.free_window(1),
        lambda cache, request: cache.free_state([]),
        lambda cache, request: cache.admit("A8"),
        lambda cache, request: request.prefill("all"),
        lambda cache, request: request.prefill(7.5),
        lambda cache, request: request.decode("token"),
    ],
)
def test_what_a_caller_gets_wrong_breaks_nothing(call: Callable[[PrefixCache, Request], object]) -> None:
    cache = PrefixCache(CONFIGS["swa+mamba"])
    request = cache.admit(key("A20"))
    request.prefill(6)
    with pytest.raises((TypeError, AttributeError, CacheError)):
        call(cache, request)
    check_integrity(cache)
    request.prefill(20)
    request.finish()


def test_a_sink_that_raises_is_given_up_and_breaks_nothing() -> None:
    class Failing(Sink):
        def flush(self) -> None:
            raise ValueError("no room")

    cache = swa_cache()
    cache.attach_sink(Failing())
    for _ in range(80):
        cache.match(key("A4"))
    assert cache.fault is None and type(cache.sink_fault) is ValueError
