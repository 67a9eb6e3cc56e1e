"""A replay does what was recorded, as far as a recording can say it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey, check_integrity
from cache_core.control import build
from cache_core.errors import OutOfSlotsError
from probes.errors import RecordingError
from profiles.profile import RecordedProfile
from profiles.replay import synthetic
from profiles.replay.operations import State
from profiles.replay.synthetic import Synthetic
from radixtop.replay.cache_config import recorded_config
from radixtop.replay.cache_replay import Agreement, CacheReplay
from radixtop.replay.compare_evictors import compare_evictors
from tests.support.cache_runs import CONFIGS, HOSTED, CacheRun
from tests.support.hostile import CONFIGS as STRANGE
from tests.support.hostile import write_hostile
from tests.support.listed_profile import ListedProfile
from tests.support.observe import rows
from tests.support.reporting import random_run
from tests.support.sinks import Sink


class Served(CacheRun):
    """A run of requests alone, in the order in which an engine serves them."""

    def step(self) -> None:
        """Admit, prefill in chunks, decode and finish one request beside two others."""
        self.admit()
        request = self.requests[-1]
        try:
            while request.length < len(request.key):
                request.prefill(min(len(request.key), request.length + 5))
        except OutOfSlotsError:
            self.requests.pop().retract()
        if len(self.requests) > 2:
            ended = self.requests.pop(0)
            try:
                for _ in range(self.rng.randint(0, 4)):
                    ended.decode(self.rng.randint(1, 3))
            except OutOfSlotsError:
                pass
            ended.finish()


def served(config: CacheConfig, seed: int, steps: int = 300) -> tuple[Served, ListedProfile]:
    sink = Sink()
    run = Served(config, sink, seed)
    for _ in range(steps):
        run.step()
    run.cache.flush_sink(sink)
    return run, ListedProfile(sink.flushed, config.components, config.describe())


def replayed(profile: ListedProfile, config: CacheConfig) -> tuple[PrefixCache, Agreement]:
    cache = PrefixCache(config)
    replay = CacheReplay(cache)
    for operation in Synthetic(profile).operations():
        replay.apply(operation)
    return cache, replay.agreement()


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("seed", range(3))
def test_a_served_load_is_reproduced(config: CacheConfig, seed: int) -> None:
    run, profile = served(config, seed)
    cache, agreement = replayed(profile, config)
    check_integrity(cache)
    assert agreement.matches == len(run.admitted)
    assert agreement.share is not None
    assert agreement.share > 0.93


def test_a_load_that_fits_is_reproduced_to_the_token() -> None:
    config = CacheConfig(window=6, full_slots=20_000, swa_slots=20_000)
    run, profile = served(config, seed=1)
    cache, agreement = replayed(profile, config)
    assert (agreement.share, agreement.refused) == (1.0, 0)
    shape = [(row.start, row.length, row.live) for row in rows(run.cache)]
    assert sorted((row.start, row.length, row.live) for row in rows(cache)) == sorted(shape)


@pytest.mark.parametrize("config", [*CONFIGS, *HOSTED])
def test_whatever_was_done_to_a_cache_can_be_replayed(config: CacheConfig) -> None:
    run, records = random_run(config, seed=6, steps=400)
    cache, agreement = replayed(ListedProfile(records, config.components, config.describe()), config)
    check_integrity(cache)
    assert agreement.matches >= len(run.admitted)
    assert agreement.share is not None
    assert agreement.share > 0.6


def test_a_late_recording_states_the_tree_first() -> None:
    config = CacheConfig(window=6, full_slots=400, swa_slots=300)
    sink = Sink()
    run = Served(config, None, seed=3)
    for _ in range(60):
        run.step()
    run.cache.attach_sink(sink)
    sink.records += run.cache.snapshot_records()
    run.admitted.clear()
    for _ in range(60):
        run.step()
    run.cache.flush_sink(sink)
    profile = ListedProfile(sink.flushed, config.components, config.describe())
    assert any(isinstance(each, State) for each in Synthetic(profile).operations())
    cache, agreement = replayed(profile, config)
    check_integrity(cache)
    assert agreement.share is not None
    assert agreement.share > 0.85


def test_a_bare_cache_is_replayed_with_its_locks() -> None:
    config = CacheConfig(components=("full",), full_slots=60)
    sink = Sink()
    cache = build("prefix", config, sink=sink)
    run = CacheRun(config, None, seed=2)
    for _ in range(200):
        key = RadixKey(run.key().tokens)
        hit = cache.match(key)
        receipt = cache.lock(hit.node)
        slots = hit.slots() + cache.allocate(len(key) - hit.hit_tokens)
        cache.insert(key, slots, owned_tokens=hit.hit_tokens)
        cache.unlock(receipt)
    cache.flush_sink(sink)
    again, agreement = replayed(ListedProfile(sink.flushed, config.components, config.describe()), config)
    check_integrity(again)
    assert agreement.share is not None
    assert agreement.share > 0.9
    assert agreement.refused < 5


@pytest.mark.parametrize("config", [replace(CONFIGS[0], full_slots=400), replace(CONFIGS[2], full_slots=300)])
def test_both_evictors_pick_the_same_victims(config: CacheConfig) -> None:
    _, profile = served(config, seed=4, steps=400)
    compared = compare_evictors(profile, 60, lambda said: None)
    assert (compared.first_difference, compared.whole) == (None, True)
    assert compared.calls > 50
    assert sum(each.calls for each in compared.rebuild.bins) == compared.calls
    assert sum(each.calls for each in compared.incremental.bins) == compared.calls
    assert all(each.build_share > 0 for each in compared.rebuild.bins)
    assert all(each.build_share == 0 for each in compared.incremental.bins)


def test_a_rebuild_costs_more_the_more_leaves_there_are() -> None:
    _, profile = served(CacheConfig(components=("full",), full_slots=10_000), seed=5, steps=1_500)
    compared = compare_evictors(profile, 60, lambda said: None)
    assert compared.ratios[-1].low > 150
    assert compared.ratios[-1].ratio_p50 > 2


def test_a_comparison_ends_when_its_time_is_over() -> None:
    _, profile = served(CONFIGS[0], seed=4)
    compared = compare_evictors(profile, 0.0, lambda said: None)
    assert (compared.whole, compared.operations) == (False, 0)


@pytest.mark.parametrize("config", STRANGE)
def test_a_cache_that_cannot_be_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(RecordingError):
        recorded_config({"full_slots": 1 << 40, **config})


@pytest.mark.parametrize("seed", range(25))
def test_nonsense_is_replayed_as_far_as_it_goes(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "MOST_TOKENS", 1 << 14)  # forged outputs are as long as is let through
    path = tmp_path / "hostile.radixtop"
    write_hostile(path, seed)
    config = CacheConfig(window=16, full_slots=1000)
    with RecordedProfile(path) as profile:
        cache = PrefixCache(config)
        replay = CacheReplay(cache)
        for operation in Synthetic(profile).operations():
            replay.apply(operation)
    assert cache.fault is None
    check_integrity(cache)
