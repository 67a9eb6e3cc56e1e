"""Reports M1 to M9: a number on a screen means what it says. Real caches, read through their records."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from time import perf_counter_ns

import pytest

from cache_core import CacheConfig, OutOfSlotsError, RadixKey
from cache_core.events import RequestAdmitted
from probes.builtin.hit_rate import HitRate, HitTotals
from tests.support.caches import admit, insert, key, run, tokens
from tests.support.observing import S, probe_of
from tests.support.records import record
from tests.support.watching import Watching

FULL = CacheConfig(components=("full",), full_slots=8192)
HYBRID = CacheConfig(components=("full", "swa"), window=16, full_slots=8192, swa_slots=8192)
PAIRS = CacheConfig(components=("full", "swa"), window=16, full_slots=8192, bigram=True)
STATES = CacheConfig(
    components=("full", "swa", "mamba"), window=16, full_slots=8192, mamba_slots=64, mamba_chunk_tokens=8
)
PLAIN = {"full": FULL, "full+swa": HYBRID}
CONFIGS = {**PLAIN, "pairs": PAIRS, "full+swa+mamba": STATES}
"""The paths that must all feed the same counters."""


# ---- M1, M2: what counts as a query


@pytest.mark.parametrize("config", PLAIN.values(), ids=PLAIN)
def test_m1_what_a_preempted_request_finds_of_its_own_is_no_hit(config: CacheConfig) -> None:
    watching = Watching(config)
    prompts = [f"{letter}400" for letter in "ABCDEFGH"]
    for number, text in enumerate(prompts):
        admit(watching.cache, text, request_id=number).retract()
    for number, text in enumerate(prompts):
        admit(watching.cache, text, request_id=number).finish()
    sample = watching.snapshot().samples["hit_rate"]
    assert (sample.total.hit_rate, sample.total.queries) == (0, 8)
    # the last token of a prompt is always computed
    assert sample.resumed == HitTotals(8, 8 * 400, 8 * 399, 8 * 399)
    assert round(100 * sample.resumed.hit_rate) == 100


def test_m2_a_refused_try_of_the_scheduler_is_no_query() -> None:
    watching = Watching(FULL)
    insert(watching.cache, "A80")
    for _ in range(4):
        found = watching.cache.match(key("A80 B20"))
        watching.cache.unlock(watching.cache.lock(found.node))
    request = admit(watching.cache, "A80 B20")
    assert watching.totals() == HitTotals(1, 100, 80, 80)
    request.finish()
    assert watching.totals() == HitTotals(1, 100, 80, 80)


def test_m2_an_admission_that_found_no_room_is_counted_once() -> None:
    watching = Watching(CacheConfig(components=("full",), full_slots=120))
    insert(watching.cache, "A80")
    held = watching.cache.allocate(30)
    for _ in range(4):
        request = admit(watching.cache, "A80 B20", prefilled=False, request_id=7)
        with pytest.raises(OutOfSlotsError):
            request.prefill(100)
        request.retract()
    watching.cache.free(held)
    admit(watching.cache, "A80 B20", request_id=7).finish()
    assert watching.totals() == HitTotals(1, 100, 80, 80)


# ---- M3, M4, M5: rates


def test_m3_the_hit_rate_is_over_all_that_was_asked_for() -> None:
    admissions = [
        record(RequestAdmitted, at=S, request=1, prompt_tokens=2000, new_tokens=2000),
        record(RequestAdmitted, at=S, request=2, prompt_tokens=1990, device_hit_tokens=1990),
    ]
    rate = probe_of(HitRate, admissions).sample(S).total.hit_rate
    assert rate == 1990 / 3990
    assert rate == pytest.approx(0.4987, abs=5e-5)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_m4_decoding_does_not_reset_the_rate(config: CacheConfig) -> None:
    watching = Watching(config)
    run(watching.cache, "A200", "")
    request = admit(watching.cache, "A150 B50")
    now = perf_counter_ns()
    before = watching.snapshot(now).samples["hit_rate"]
    assert before.last_10s.queries == 2
    for token in tokens("C100"):
        request.decode(token)
        watching.adapter.flush()
    after = watching.snapshot(now).samples["hit_rate"]
    assert (after.last_10s, after.last_minute, after.total) == (before.last_10s, before.last_minute, before.total)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_m5_every_kind_of_cache_feeds_the_counters(config: CacheConfig) -> None:
    watching = Watching(config)
    hit = 0
    for text in ("A200", "A200 B20", "A200 B20 C5"):
        request = admit(watching.cache, text)
        hit += request.hit_tokens
        request.finish()
    assert hit > 0
    assert watching.totals().hit_tokens == hit


@pytest.mark.parametrize("config", PLAIN.values(), ids=PLAIN)
def test_m5_what_is_loaded_back_from_the_host_is_a_hit(config: CacheConfig) -> None:
    watching = Watching(replace(config, host_slots=8192))
    cache = watching.cache
    run(cache, "A200", "")
    assert cache.host is not None
    for transfer in cache.host.take_transfers():
        cache.host.complete(transfer.id)
    cache.evict(full_tokens=200)
    request = admit(cache, "A200 B20", prefilled=False)
    assert (request.hit_tokens, request.load_back()) == (0, 200)
    assert watching.totals() == HitTotals(2, 420, 0, 200, 200, 0)
    request.prefill(220)
    assert watching.totals() == HitTotals(2, 420, 200, 200, 200, 200)


# ---- M6, M7: what is no fault


def test_m6_less_than_a_block_in_common_is_no_hit() -> None:
    watching = Watching(CacheConfig(page_size=784, components=("full",), full_slots=7840))
    run(watching.cache, "A240 B1000", "")
    found = watching.cache.match(key("A240 C1000"))
    assert (found.hit_tokens, found.full_hit_tokens) == (0, 0)
    request = admit(watching.cache, "A240 C1000", prefilled=False)
    assert watching.totals() == HitTotals(2, 2480, 0, 0)
    request.retract()


@pytest.mark.parametrize("config", PLAIN.values(), ids=PLAIN)
def test_m7_after_the_last_request_nothing_is_live_and_everything_kept_is_reclaimable(config: CacheConfig) -> None:
    watching = Watching(config)
    for number in range(48):
        request = watching.cache.admit(RadixKey([2 * number, 2 * number + 1]))
        request.prefill(2)
        request.finish()
    pool = watching.pools()["full"]
    assert (pool.protected + pool.held, pool.evictable) == (0, 96)
    assert watching.cache.evict(full_tokens=96).full_tokens == 96


# ---- M9: processes

PRINT_KEYS = """
from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.kv_events import KVEvents
from probes.adapters.embedded import EmbeddedAdapter
cache = PrefixCache(CacheConfig(components=("full",), full_slots=256), sink=EmbeddedAdapter())
for space in ((None, None), ("lora", None), (None, "salt"), ("lora", "salt")):
    node = cache.insert(RadixKey(range(64), *space), cache.allocate(64)).node
    print(node.namespace.id, node.content_key)
print(*[name for event in KVEvents(cache).take()[1:] for name in event.block_hashes])
"""


def test_m9_processes_of_different_hash_seeds_give_the_same_tokens_the_same_key() -> None:
    said = {printed(PRINT_KEYS, seed) for seed in ("0", "1", "12345")}
    assert len(said) == 1
    *keys, blocks = said.pop().split("\n")
    assert (len(set(keys)), len(set(blocks.split()))) == (4, 256)


def printed(code: str, hash_seed: str) -> str:
    """Return what a new interpreter prints, whose hashes of texts start from a seed of their own."""
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip()
