"""Made-up tokens and operations: what a recording says of prefixes is what the operations say of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from cache_core import CacheConfig, RadixKey
from cache_core.control import build
from cache_core.key import common_tokens
from profiles.replay import operations as op
from profiles.replay.synthetic import Synthetic
from tests.support.cache_runs import CONFIGS, HOSTED, CacheRun
from tests.support.listed_profile import ListedProfile
from tests.support.observe import rows
from tests.support.reporting import random_run
from tests.support.sinks import Sink

BIGRAM = CacheConfig(components=("full",), full_slots=120, bigram=True)


def synthetic(run: CacheRun, config: CacheConfig) -> Synthetic:
    sink = run.cache.sink
    assert isinstance(sink, Sink)
    return Synthetic(ListedProfile(sink.flushed, config.components, config.describe()))


def stored_tokens(run: CacheRun, config: CacheConfig) -> list[tuple[bytes, bytes]]:
    """Return what each request that finished was, and what was made up for it, without what it never stored."""
    operations = [*synthetic(run, config).operations()]
    finished = {operation.life for operation in operations if isinstance(operation, op.Finish)}
    made = [operation.tokens for operation in operations if isinstance(operation, op.Admit)]
    page = config.page_size
    pairs = []
    for life in finished:
        real = run.admitted[life].key
        if real.namespace.extra_key is None:
            stored = (len(real) - config.bigram) // page * page * 4
            pairs.append((real.tokens[:stored], made[life][:stored]))
    return pairs


def shared_by_pairs(run: CacheRun, config: CacheConfig) -> list[tuple[int, int]]:
    """Return for each two requests how many units they share, and how many of what was made up for them."""
    first = int(config.bigram)  # tokens make one unit less, and what is made up begins with one token for all
    return [
        tuple(max(0, common_tokens(RadixKey(one), RadixKey(other)) - first) for one, other in zip(a, b, strict=True))
        for a, b in combinations(stored_tokens(run, config), 2)
    ]  # type: ignore[misc]


@pytest.mark.parametrize("config", [*CONFIGS, *HOSTED[:4], BIGRAM])
@pytest.mark.parametrize("seed", range(3))
def test_two_requests_never_share_more_than_they_did(config: CacheConfig, seed: int) -> None:
    run, _ = random_run(config, seed, steps=500)
    assert all(made <= real for real, made in shared_by_pairs(run, config))


@pytest.mark.parametrize("config", [*CONFIGS[:3], BIGRAM])
@pytest.mark.parametrize("seed", range(3))
def test_where_everything_stays_in_the_tree_they_share_the_same(config: CacheConfig, seed: int) -> None:
    slots = {"full_slots": 40_000, **({} if config.swa_slots is None else {"swa_slots": 40_000})}
    sink = Sink()
    run = CacheRun(replace(config, **slots), sink, seed)  # type: ignore[arg-type]
    run.evict = run.reset = lambda: None  # type: ignore[method-assign]
    for _ in range(800):
        run.step()
    run.cache.flush_sink(sink)
    pairs = shared_by_pairs(run, config)
    assert sum(real > 2 for real, _ in pairs) > 1
    page = config.page_size
    assert [made // page for _, made in pairs] == [real // page for real, _ in pairs]


def test_every_reading_gives_the_same_operations() -> None:
    run, _ = random_run(CONFIGS[2], seed=1, steps=200)
    made = synthetic(run, CONFIGS[2])
    assert [*made.operations()] == [*made.operations()]


def test_a_request_has_its_prompt_its_chunks_and_its_outputs() -> None:
    config = CacheConfig(components=("full",), full_slots=100)
    sink = Sink()
    cache = build("prefix", config, sink=sink)
    request = cache.admit(RadixKey([7] * 20))
    request.prefill(8)
    request.prefill(20, cache=False)
    request.prefill(20)
    for _ in range(3):
        request.decode(5)
    request.finish()
    cache.flush_sink(sink)
    made = [*Synthetic(ListedProfile(sink.flushed, ("full",), config.describe())).operations()]
    assert [type(each).__name__ for each in made] == ["Admit", *["Prefill"] * 3, *["Decode"] * 3, "Finish"]
    assert [(each.upto, each.writes_back) for each in made if isinstance(each, op.Prefill)] == [
        (8, True), (20, False), (20, True),
    ]  # fmt: skip
    assert isinstance(made[0], op.Admit)
    assert len(made[0].tokens) == 80


def test_what_was_there_before_is_stated_by_its_last_use() -> None:
    config = CacheConfig(components=("full",), full_slots=100)
    cache = build("prefix", config)
    for tokens in ([1] * 10, [2] * 10, [1] * 10 + [3] * 5, [2] * 10):
        request = cache.admit(RadixKey(tokens))
        request.prefill(len(tokens))
        request.finish()
    sink = Sink()
    cache.attach_sink(sink)
    sink.records += cache.snapshot_records()
    cache.match(RadixKey([1] * 10))
    cache.flush_sink(sink)
    *stated, look = Synthetic(ListedProfile(sink.flushed, ("full",), config.describe())).operations()
    assert isinstance(look, op.Look)
    assert {type(each) for each in stated} == {op.State}
    lengths = [len(each.tokens) // 4 for each in stated]  # type: ignore[union-attr]
    assert sorted(lengths) == sorted(row.start + row.length for row in rows(cache))
    assert [each.at for each in stated] == sorted(each.at for each in stated)


def test_a_bare_cache_is_told_its_matches_inserts_locks_and_evictions() -> None:
    config = CacheConfig(components=("full",), full_slots=100)
    sink = Sink()
    cache = build("prefix", config, sink=sink)
    for last in (3, 4):
        key = RadixKey([1] * 6 + [last])
        hit = cache.match(key)
        receipt = cache.lock(hit.node)
        slots = hit.slots() + cache.allocate(7 - hit.hit_tokens)
        cache.insert(key, slots, owned_tokens=hit.hit_tokens)
        cache.unlock(receipt)
    cache.evict(full_tokens=1)
    cache.reset()
    cache.flush_sink(sink)
    made = [*Synthetic(ListedProfile(sink.flushed, ("full",), config.describe())).operations()]
    names = [type(each).__name__ for each in made]
    assert names == [*["Look", "Lock", "Write", "Unlock"] * 2, "Evict", "Reset"]
    assert [each.owned_tokens for each in made if isinstance(each, op.Write)] == [0, 6]
    assert [each.asked_tokens for each in made if isinstance(each, op.Evict)] == [(1,)]
