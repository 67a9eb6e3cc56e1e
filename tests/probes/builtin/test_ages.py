"""Lifetimes, idle times and reuse gaps of a live run."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig
from cache_core.events import Match, NodeAdded, NodeRemoved, Recovered, Tombstoned
from probes.builtin import ages
from probes.builtin.ages import Ages, AgesSample
from probes.log_shape import LogShape
from probes.thinning import BURST
from profiles.reports.ages import Ages as AgesReport
from profiles.tallies.distribution import Distribution
from tests.support.cache_runs import CONFIGS, HOSTED
from tests.support.observing import S, feed, probe_of
from tests.support.records import added, record
from tests.support.reporting import random_run, report_of


def born(node: int, at: int) -> NodeAdded:
    return added(node, 0, 10, at=at, touched_at=at, content_key=node, live=3)


def hit(node: int, at: int, request: int = 1) -> Match:
    return record(Match, at=at, node=node, full_node=node, device_hit_tokens=1, full_hit_tokens=1, request=request)


def test_a_life_has_a_length_an_idle_end_and_gaps() -> None:
    sample = probe_of(Ages, [born(1, S), hit(1, 3 * S), hit(1, 4 * S), NodeRemoved(9 * S, 1)]).sample(9 * S)
    full, swa = sample.components
    assert (full.component, swa.component) == ("full", "swa")
    assert (full.lifetime_ns.mean, full.idle_ns.mean) == (8 * S, 5 * S)
    assert (sample.reuse_ns.count, sample.reuse_ns.mean, sample.hit_age_ns.mean) == (2, 1.5 * S, 2.5 * S)
    assert (full.thrash_index, full.idle_below_p90_reuse) == (0.0, 0.0)


def test_what_is_evicted_at_the_age_of_reuse_is_thrash() -> None:
    records = [born(1, S), born(2, S), hit(2, 3 * S), NodeRemoved(3 * S, 1), hit(2, 9 * S)]
    (full, _) = probe_of(Ages, records).sample(9 * S).components
    assert (full.thrash_index, full.idle_below_p90_reuse) == (0.5, 1.0)


def test_without_a_hit_nothing_is_said_of_thrash() -> None:
    (full, _) = probe_of(Ages, [born(1, S), NodeRemoved(3 * S, 1)]).sample(9 * S).components
    assert (full.thrash_index, full.idle_below_p90_reuse) == (None, None)


def test_a_match_that_no_request_asked_for_is_no_reuse() -> None:
    assert probe_of(Ages, [born(1, S), hit(1, 2 * S, request=-1)]).sample(9 * S) == AgesSample(
        LogShape(), LogShape(), (), 0
    )


def test_a_window_that_came_back_lives_since_then() -> None:
    records = [born(1, S), Tombstoned(3 * S, 1, 1), Recovered(4 * S, 1, 1), Tombstoned(9 * S, 1, 1)]
    (swa,) = probe_of(Ages, records).sample(9 * S).components
    assert (swa.lifetime_ns.count, swa.lifetime_ns.mean) == (2, (2 + 5) / 2 * S)


def test_a_moment_that_nobody_saw_is_counted_nowhere() -> None:
    unseen = added(1, 0, 10, at=-1, touched_at=-1, content_key=1, live=1)
    (full,) = probe_of(Ages, [unseen, hit(1, 2 * S), NodeRemoved(5 * S, 1)]).sample(9 * S).components
    assert (full.lifetime_ns.count, full.idle_ns.mean) == (0, 3 * S)


def test_of_a_flood_a_part_is_looked_at_and_the_rest_is_told() -> None:
    flood = [step for number in range(1, 2_001) for step in (born(number, S), NodeRemoved(2 * S + number, number))]
    sample = probe_of(Ages, flood).sample(3 * S)
    looked = ages.EVICTIONS_PER_S * BURST
    assert [each.idle_ns.count for each in sample.components] == [looked, looked]
    assert sample.left_out == 2_000 - looked


def test_distributions_are_read_off_once_a_second() -> None:
    probe = probe_of(Ages, [born(1, S), hit(1, 2 * S)])
    assert probe.sample(2 * S).reuse_ns.count == 1
    feed(probe, [hit(1, 2 * S + 1)])
    assert probe.sample(2 * S + 5).reuse_ns.count == 1
    assert probe.sample(3 * S).reuse_ns.count == 2


@pytest.mark.parametrize("config", [CONFIGS[0], CONFIGS[-1], HOSTED[0]])
def test_ages_of_a_random_run_are_those_of_its_report(config: CacheConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ages, "HITS_PER_S", 10**6)
    monkeypatch.setattr(ages, "EVICTIONS_PER_S", 10**6)
    _, records = random_run(config, seed=3, steps=300)
    sample = probe_of(Ages, records, config.components).sample(10**18)
    report = report_of(AgesReport, records, config.components, config.describe()).overall
    assert sample.left_out == 0 and sample.components
    same(sample.reuse_ns, report.reuse_ns)
    same(sample.hit_age_ns, report.hit_age_ns)
    for mine, other in zip(sample.components, report.components, strict=True):
        same(mine.lifetime_ns, other.lifetime_ns)
        same(mine.idle_ns, other.idle_ns)
        assert mine.idle_below_p90_reuse == other.idle_below_p90_reuse


def same(shape: LogShape, distribution: Distribution) -> None:
    names = ("count", "mean", "p10", "p50", "p90", "p99")
    assert [getattr(shape, name) for name in names] == [getattr(distribution, name) for name in names]
