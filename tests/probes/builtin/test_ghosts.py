"""Ghost hits: what was evicted and is there again, and how soon."""

from __future__ import annotations

from functools import partial

import pytest

from cache_core import CacheConfig
from cache_core.events import CacheReset, NodeAdded, NodeRemoved, NodeTiers, Recovered, Tombstoned
from probes.builtin.ghosts import HORIZONS_NS, RECENT_HITS, ComponentGhosts, GhostHit, Ghosts, GhostSample
from profiles.reports.ages import Ages as AgesReport
from tests.support.cache_runs import CONFIGS, HOSTED
from tests.support.observing import S, feed, probe_of
from tests.support.records import added
from tests.support.reporting import random_run, report_of


def born(node: int, at: int, key: int, length: int = 10, **fields: int) -> NodeAdded:
    return added(node, fields.pop("parent", 0), length, at=at, touched_at=at, content_key=key, live=3, **fields)


def component(sample: GhostSample, name: str) -> ComponentGhosts:
    return next(each for each in sample.components if each.component == name)


def test_a_prefix_that_comes_back_is_a_ghost_hit_of_each_component() -> None:
    probe = probe_of(Ghosts, [born(1, S, 11), NodeRemoved(2 * S, 1), born(2, 14 * S, 11)])
    sample = probe.sample(15 * S)
    for name in ("full", "swa"):
        ghosts = component(sample, name)
        assert ghosts.total.evicted_tokens == 10
        assert ghosts.total.returned_tokens == (0, 10, 10, 10)
        assert [ghosts.total.thrash_index(horizon) for horizon in range(4)] == [0.0, 1.0, 1.0, 1.0]
    label = probe.mirror.describe(probe.mirror.nodes[2])
    assert set(sample.recent) == {GhostHit(14 * S, name, 2, 10, 12 * S, label) for name in ("full", "swa")}


def test_what_left_before_the_last_minute_is_no_part_of_it() -> None:
    probe = probe_of(Ghosts, [born(1, S, 11), NodeRemoved(2 * S, 1), born(2, 100 * S, 11)])
    ghosts = component(probe.sample(101 * S), "full")
    assert (ghosts.last_minute.evicted_tokens, ghosts.last_minute.returned_tokens) == (0, (0, 0, 0, 10))
    assert ghosts.last_minute.thrash_index(3) is None
    assert ghosts.evicted_per_s[-1] == 0.0 and ghosts.returned_per_s[-1] == 10.0


@pytest.mark.parametrize("again", [Recovered(5 * S, 1, 1), NodeTiers(5 * S, 1, 3, 0)])
def test_a_window_that_comes_back_is_a_ghost_hit_of_its_component_alone(again: Recovered | NodeTiers) -> None:
    sample = probe_of(Ghosts, [born(1, S, 11), Tombstoned(2 * S, 1, 1), again]).sample(6 * S)
    assert [(hit.component, hit.tokens, hit.gap_ns) for hit in sample.recent] == [("swa", 10, 3 * S)]


def test_a_node_that_is_gone_again_has_no_label() -> None:
    gone = [born(1, S, 11), NodeRemoved(2 * S, 1), born(2, 3 * S, 11), NodeRemoved(4 * S, 2)]
    assert {hit.label for hit in probe_of(Ghosts, gone).sample(5 * S).recent} == {None}


def test_a_reset_and_a_loss_leave_no_ghosts_and_keep_the_counts() -> None:
    probe = probe_of(Ghosts, [born(1, S, 11), NodeRemoved(2 * S, 1)])
    assert probe.sample(3 * S).followed == 1
    probe.lost()
    feed(probe, [born(2, 3 * S, 11), CacheReset(4 * S), born(3, 5 * S, 11)])
    sample = probe.sample(6 * S)
    assert (sample.followed, sample.recent) == (0, ())
    assert component(sample, "full").total.evicted_tokens == 10
    assert sample.unfollowed_tokens == 20, "whether they came back is not known, of either component"


def test_only_the_newest_hits_are_kept() -> None:
    records = [
        record
        for i in range(RECENT_HITS + 5)
        for record in (born(2 * i, S, i), NodeRemoved(S, 2 * i), born(2 * i + 1, 2 * S + i, i))
    ]
    recent = probe_of(Ghosts, [each for each in records if each.node]).sample(3 * S).recent
    assert (len(recent), recent[0].at) == (RECENT_HITS, 2 * S + RECENT_HITS + 4)


def test_evictions_are_watched_since_the_first_record() -> None:
    probe = probe_of(Ghosts, [])
    assert probe.sample(9 * S).watched_ns == 0
    probe.advance(1, 2 * S, 3 * S)
    probe.advance(1, 5 * S, 6 * S)
    assert probe.sample(9 * S).watched_ns == 7 * S


@pytest.mark.parametrize("config", [CONFIGS[0], CONFIGS[-1], HOSTED[0]])
def test_ghosts_of_a_random_run_are_those_of_its_report(config: CacheConfig) -> None:
    _, records = random_run(config, seed=3, steps=300)
    sample = probe_of(Ghosts, records, config.components).sample(10**18)
    make = partial(AgesReport, within_ns=HORIZONS_NS[-1])
    report = report_of(make, records, config.components, config.describe())
    assert sample.components
    for each in report.overall.components:
        total = component(sample, each.component).total
        assert (total.evicted_tokens, total.returned_tokens[-1]) == (each.evicted_tokens, each.returned_tokens)


def test_what_one_operation_brings_back_is_one_hit() -> None:
    parts = [born(1, S, 11), born(2, S, 12, parent=1, start=10), Tombstoned(2 * S, 1, 1), Tombstoned(3 * S, 2, 1)]
    sample = probe_of(Ghosts, [*parts, Recovered(5 * S, 1, 1), Recovered(5 * S, 2, 1)]).sample(6 * S)
    assert [(hit.node, hit.tokens, hit.gap_ns) for hit in sample.recent] == [(2, 20, 3 * S)]


def test_evictions_of_the_past_that_is_told_late_were_watched_too() -> None:
    probe = probe_of(Ghosts, [])
    probe.advance(1, 900 * S, 900 * S)
    feed(probe, [CacheReset(300 * S), born(1, 300 * S, 11)])
    assert probe.sample(901 * S).watched_ns == 601 * S
