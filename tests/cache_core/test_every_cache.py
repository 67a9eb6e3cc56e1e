"""The contract of caches: what an engine, a recorder and a screen rely on, for every entry of the table."""

from __future__ import annotations

import random

import pytest

from cache_core import (
    CacheConfig,
    DoubleFreeError,
    KeyRangeError,
    LockError,
    OutOfSlotsError,
    PrefixCache,
    RadixKey,
    StaleNodeError,
    check_integrity,
    pretty_print,
)
from cache_core.control import CACHES, build
from cache_core.event_codec import decode
from cache_core.events import KIND_MASK, Pool, RawRecord, Record, RequestAdmitted, RequestFinished
from tests.support.cache_runs import CacheRun
from tests.support.caches import admit, insert, key
from tests.support.observe import everything, free, ledger, reusable

CONFIGS = {
    "full": CacheConfig(page_size=4, components=("full",), full_slots=160),
    "full+swa": CacheConfig(page_size=4, window=10, full_slots=160, swa_slots=120),
    "page 1": CacheConfig(window=5, full_slots=160, swa_slots=120),
}


@pytest.fixture(params=CACHES)
def kind(request: pytest.FixtureRequest) -> str:
    """The name of a cache."""
    return str(request.param)


@pytest.fixture(params=CONFIGS)
def cache(kind: str, request: pytest.FixtureRequest) -> PrefixCache:
    """An empty cache of that kind."""
    return build(kind, CONFIGS[request.param])


class Sink:
    """Keeps every record."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []
        self.read: list[Record] = []

    def flush(self) -> None:
        for raw in self.records:
            record = decode(raw[0] & KIND_MASK, raw[1:])
            assert record is not None
            self.read.append(record)
        self.records.clear()


def sizes(cache: PrefixCache) -> tuple[int, ...]:
    """Return the size of each pool."""
    return tuple(pool.total for pool in ledger(cache).values())


def test_a_request_has_a_slot_per_token_and_leaves_all_of_them_reusable(cache: PrefixCache) -> None:
    request = admit(cache, "A30")
    for token in range(9):
        request.decode(token)
    row, window = request.row(), request.swa_row(39 - 4)
    assert (len(row), len(set(row)), 0 in row) == (39, 39, False)
    assert "swa" not in cache.config.components or all(window)
    request.finish()
    assert reusable(cache) == sizes(cache)
    check_integrity(cache)


def test_a_prompt_is_never_hit_whole(cache: PrefixCache) -> None:
    for _ in range(3):
        request = admit(cache, "A16")
        assert request.hit_tokens < 16
        request.finish()


def test_a_request_that_ended_answers_no_more(cache: PrefixCache) -> None:
    request = admit(cache, "A8")
    request.retract()
    for call in (request.finish, request.retract, lambda: request.decode(1), lambda: request.prefill(8)):
        with pytest.raises(LockError, match="ended"):
            call()


def test_a_prefill_beyond_the_pools_leaves_the_length_as_it_was(cache: PrefixCache) -> None:
    held = admit(cache, "A100")
    request = admit(cache, "B90", prefilled=False)
    with pytest.raises(OutOfSlotsError):
        request.prefill(90)
    assert request.length == 0
    request.retract()
    held.finish()
    assert reusable(cache) == sizes(cache)
    check_integrity(cache)


def test_what_is_given_back_twice_is_refused_and_changes_nothing(cache: PrefixCache) -> None:
    slots = cache.allocate(8)
    cache.free(slots)
    receipt = cache.lock(cache.match(key("A8")).node)
    cache.unlock(receipt)
    before = everything(cache)
    with pytest.raises(DoubleFreeError):
        cache.free(slots)
    with pytest.raises(LockError):
        cache.unlock(receipt)
    assert everything(cache) == before


def test_an_insert_takes_the_slots_over(cache: PrefixCache) -> None:
    insert(cache, "A16")
    insert(cache, "A16")
    assert reusable(cache) == sizes(cache)
    with pytest.raises(KeyRangeError):
        cache.insert(key("A16"), cache.allocate(4))
    check_integrity(cache)


def test_everything_that_nobody_holds_can_be_evicted(cache: PrefixCache) -> None:
    for text in ("A30", "A20 B20", "C9"):
        admit(cache, text).finish()
    cache.evict(full_tokens=160, swa_tokens=120 if len(sizes(cache)) > 1 else 0)
    assert free(cache) == sizes(cache)
    assert cache.stats()["nodes"] == 0


def test_what_is_held_cannot_be_evicted(cache: PrefixCache) -> None:
    admit(cache, "A30").finish()
    found = cache.match(key("A30"))
    receipt = cache.lock(found.node)
    cache.evict(full_tokens=160)
    again = cache.match(key("A30"))
    assert (again.hit_tokens, again.slots()) == (found.hit_tokens, found.slots())
    cache.unlock(receipt)


def test_a_node_that_left_is_stale(cache: PrefixCache, kind: str) -> None:
    admit(cache, "A30").finish()
    node = cache.match(key("A30")).node
    cache.evict(full_tokens=160)
    if kind == "chunk":  # its only node is the root, which stays
        cache.unlock(cache.lock(node))
        return
    with pytest.raises(StaleNodeError):
        cache.lock(node)


def test_a_reset_frees_everything(cache: PrefixCache) -> None:
    admit(cache, "A30").finish()
    cache.allocate(8)
    cache.reset()
    assert free(cache) == sizes(cache)
    check_integrity(cache)


def test_a_cache_prints_its_nodes(cache: PrefixCache) -> None:
    admit(cache, "A30").finish()
    lines = pretty_print(cache).splitlines()
    assert len(lines) == max(1, cache.stats()["nodes"])


def test_records_tell_of_requests_and_pools(cache: PrefixCache) -> None:
    sink = Sink()
    cache.attach_sink(sink)
    admit(cache, "A30", request_id=7).finish()
    cache.emit_pools()
    sink.flush()
    of_requests = [record for record in sink.read if isinstance(record, RequestAdmitted | RequestFinished)]
    assert [(type(record), record.request) for record in of_requests] == [(RequestAdmitted, 7), (RequestFinished, 7)]
    pools = [record[2:] for record in sink.read if isinstance(record, Pool)]
    assert pools == [tuple(pool)[:4] for pool in ledger(cache).values()]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_random_run_leaves_the_cache_sound(kind: str, config: CacheConfig, seed: int) -> None:
    run = CacheRun(config, Sink(), seed, kind=kind)
    for _ in range(150):
        run.step()
        check_integrity(run.cache)
    for request in run.requests:
        request.retract()
    for receipt in run.receipts:
        run.cache.unlock(receipt)
    assert reusable(run.cache) == sizes(run.cache)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_it_does_the_same_with_and_without_a_sink(kind: str, config: CacheConfig) -> None:
    runs = [CacheRun(config, sink, seed=4, kind=kind) for sink in (None, Sink())]
    for _ in range(150):
        for run in runs:
            run.step()
    first, second = (pretty_print(run.cache) for run in runs)
    assert first == second
    assert [request.hit_tokens for request in runs[0].admitted] == [
        request.hit_tokens for request in runs[1].admitted
    ]


def test_keys_of_one_token_and_of_none_are_no_special_case(cache: PrefixCache) -> None:
    assert cache.match(RadixKey([])).hit_tokens == 0
    request = cache.admit(RadixKey([random.Random(1).randrange(9)]))
    request.prefill(1)
    request.finish()
    with pytest.raises(KeyRangeError):
        cache.admit(RadixKey([]))
