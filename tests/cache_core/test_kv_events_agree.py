"""A consumer that replays a cache's events ends with exactly the blocks that the tree has, after random runs."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import CacheConfig
from cache_core.kv_events import KVEvents
from tests.support.cache_runs import CONFIGS, CacheRun
from tests.support.kv_consumer import Mirror
from tests.support.kv_naive import blocks

STEPS = 600
MORE_CONFIGS = (
    CacheConfig(window=6, full_slots=160, swa_slots=80, page_size=2, bigram=True),
    CacheConfig(
        components=("full", "swa", "mamba"),
        window=6,
        full_slots=160,
        swa_slots=100,
        mamba_slots=20,
        mamba_chunk_tokens=4,
    ),
)


def named(config: CacheConfig) -> str:
    """Return a short name of a configuration."""
    bigram = "-bigram" if config.bigram else ""
    return f"{'+'.join(config.components)}-page{config.page_size}-{config.policy}{bigram}"


@pytest.fixture(params=(*CONFIGS, *MORE_CONFIGS), ids=named)
def config(request: pytest.FixtureRequest) -> CacheConfig:
    """A configuration of a random run."""
    chosen: CacheConfig = request.param
    return chosen


def test_the_blocks_of_the_tree_come_out_of_its_events(config: CacheConfig) -> None:
    run = CacheRun(config, None, seed=7)
    events = KVEvents(run.cache)
    mirror = Mirror()
    for _ in range(STEPS):
        run.step()
        if run.rng.random() < 0.3:
            mirror.replay(events.take())
            assert mirror.blocks() == blocks(run.cache)
    mirror.replay(events.take())
    assert mirror.blocks() == blocks(run.cache)
    assert set(mirror.parents) == set(mirror.blocks())
    assert events.nodes == run.cache.stats()["nodes"]


def test_a_consumer_that_comes_late_is_told_everything(config: CacheConfig) -> None:
    run = CacheRun(config, None, seed=11)
    events = KVEvents(run.cache)
    mirror = Mirror()
    for step in range(STEPS):
        run.step()
        told = events.take()
        if step % 150 == 149:
            mirror = Mirror()
            events.restate()
            told = events.take()
        if step >= 149:
            mirror.replay(told)
            assert mirror.blocks() == blocks(run.cache)


def test_groups_tell_of_each_components_blocks(config: CacheConfig) -> None:
    run = CacheRun(config, None, seed=13)
    events = KVEvents(run.cache, groups=True)
    mirror = Mirror()
    for step in range(STEPS):
        run.step()
        mirror.replay(events.take())
        for component in run.cache.components if step % 20 == 0 else ():
            live: Counter[int] = blocks(run.cache, component.is_live, at_end=component.name == "mamba")
            assert mirror.blocks(group=component.number) == live


def test_groups_add_to_the_stream_and_take_nothing_from_it(config: CacheConfig) -> None:
    told = []
    for groups in (False, True):
        run = CacheRun(config, None, seed=17)
        events = KVEvents(run.cache, groups=groups)
        mirror = Mirror()
        for _ in range(STEPS):
            run.step()
        mirror.replay(events.take())
        told.append(mirror.blocks())
    assert told[0] == told[1]
