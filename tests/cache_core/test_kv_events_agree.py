"""A consumer that replays a cache's events ends with exactly the blocks that the tree has, after random runs."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import CacheConfig, PrefixCache
from cache_core.kv_events import KVEvents
from tests.support.cache_runs import RUNS, CacheRun
from tests.support.kv_consumer import Mirror
from tests.support.kv_naive import blocks

STEPS = 360
Setup = tuple[str, CacheConfig]
MORE_RUNS: tuple[Setup, ...] = (
    ("prefix", CacheConfig(window=6, full_slots=160, swa_slots=80, page_size=2, bigram=True)),
    (
        "prefix",
        CacheConfig(
            components=("full", "swa", "mamba"),
            window=6,
            full_slots=160,
            swa_slots=100,
            mamba_slots=20,
            mamba_chunk_tokens=4,
        ),
    ),
)


def named(setup: Setup) -> str:
    """Return a short name of a cache and its configuration."""
    kind, config = setup
    more = "-bigram" if config.bigram else ""
    more += f"-{config.write_policy}" if config.host_slots else ""
    return f"{kind}-{'+'.join(config.components)}-page{config.page_size}-{config.policy}{more}"


@pytest.fixture(params=(*RUNS, *MORE_RUNS), ids=named)
def setup(request: pytest.FixtureRequest) -> Setup:
    """The cache and the configuration of a random run."""
    chosen: Setup = request.param
    return chosen


def run_of(setup: Setup, seed: int) -> CacheRun:
    """Return a random run with no sink."""
    kind, config = setup
    return CacheRun(config, None, seed, kind)


def assert_told(mirror: Mirror, cache: PrefixCache, component: int = 0) -> None:
    """Compare the blocks of a component, as told under its group, on both media."""
    part = cache.components[component]
    at_end = part.name == "mamba"
    assert mirror.blocks(group=component) == blocks(cache, part.is_live, at_end=at_end)
    host = cache.host
    copies = (
        Counter() if host is None else blocks(cache, lambda node: host.settled(node) >> component & 1 == 1, at_end)
    )
    assert mirror.blocks("CPU_PINNED", group=component) == copies


def test_the_blocks_of_the_tree_come_out_of_its_events(setup: Setup) -> None:
    run = run_of(setup, seed=7)
    events = KVEvents(run.cache)
    mirror = Mirror()
    for _ in range(STEPS):
        run.step()
        if run.rng.random() < 0.3:
            mirror.replay(events.take())
            assert_told(mirror, run.cache)
    mirror.replay(events.take())
    assert_told(mirror, run.cache)
    assert set(mirror.parents) == {*mirror.blocks(), *mirror.blocks("CPU_PINNED")}
    assert events.nodes == run.cache.stats()["nodes"]


def test_a_consumer_that_comes_late_is_told_everything(setup: Setup) -> None:
    run = run_of(setup, seed=11)
    events = KVEvents(run.cache)
    mirror = Mirror()
    for step in range(STEPS):
        run.step()
        told = events.take()
        if step % 90 == 89:
            mirror = Mirror()
            events.restate()
            told = events.take()
        if step >= 89:
            mirror.replay(told)
        if step >= 89 and step % 5 == 4:
            assert_told(mirror, run.cache)


def test_a_cache_in_use_is_told_of_whole_on_both_media(setup: Setup) -> None:
    run = run_of(setup, seed=19)
    on_host = 0
    for _ in range(STEPS // 20):
        for _ in range(20):
            run.step()
        events = KVEvents(run.cache, groups=True)
        mirror = Mirror()
        mirror.replay(events.take())
        for component in run.cache.components:
            assert_told(mirror, run.cache, component.number)
        on_host += len(mirror.blocks("CPU_PINNED"))
        run.step()
        mirror.replay(events.take())
        assert_told(mirror, run.cache)
        events.close()
    assert (on_host > 0) == run.has_host


def test_groups_tell_of_each_components_blocks(setup: Setup) -> None:
    run = run_of(setup, seed=13)
    events = KVEvents(run.cache, groups=True)
    mirror = Mirror()
    for step in range(STEPS):
        run.step()
        mirror.replay(events.take())
        for component in run.cache.components if step % 20 == 0 else ():
            assert_told(mirror, run.cache, component.number)


def test_groups_add_to_the_stream_and_take_nothing_from_it(setup: Setup) -> None:
    told = []
    for groups in (False, True):
        run = run_of(setup, seed=17)
        events = KVEvents(run.cache, groups=groups)
        mirror = Mirror()
        for _ in range(STEPS):
            run.step()
        mirror.replay(events.take())
        told.append(mirror.blocks())
    assert told[0] == told[1]
