"""Ages against a model that looks at every node of the mirror after every record."""

from __future__ import annotations

from functools import partial

import pytest

from cache_core import CacheConfig
from cache_core.events import (
    MAX_COMPONENTS,
    CacheReset,
    Match,
    NodeAdded,
    NodeRemoved,
    Record,
    Recovered,
    Tombstoned,
)
from probes.mirror import Mirror
from profiles.reports.ages import AgeReport, Ages
from profiles.tallies.ages import ComponentAges
from tests.support.cache_runs import CONFIGS, HOSTED
from tests.support.observing import S
from tests.support.records import added, record
from tests.support.reporting import random_run, report_of


def report(records: list[Record], **options: object) -> AgeReport:
    return report_of(partial(Ages, **options), records)  # type: ignore[arg-type]


def born(node: int, parent: int, length: int, at: int, key: int, **fields: int) -> NodeAdded:
    return added(node, parent, length, at=at, touched_at=at, content_key=key, live=3, **fields)


def hit(node: int, at: int, request: int = 1) -> Match:
    return record(Match, at=at, node=node, full_node=node, device_hit_tokens=1, full_hit_tokens=1, request=request)


def component(found: AgeReport, name: str) -> ComponentAges:
    return next(each for each in found.overall.components if each.component == name)


def test_a_life_has_a_length_an_idle_end_and_gaps() -> None:
    found = report([born(1, 0, 10, 1 * S, 11), hit(1, 3 * S), hit(1, 4 * S), NodeRemoved(9 * S, 1)])
    full = component(found, "full")
    assert full.lifetime_ns.mean == 8 * S
    assert full.idle_ns.mean == 5 * S
    assert (found.overall.reuse_ns.count, found.overall.reuse_ns.mean) == (2, 1.5 * S)
    assert found.overall.hit_age_ns.mean == 2.5 * S


def test_a_match_that_no_request_asked_for_is_no_reuse() -> None:
    assert report([born(1, 0, 10, S, 11), hit(1, 2 * S, request=-1)]).overall.hit_nodes == 0


def test_a_component_has_lives_of_its_own() -> None:
    found = report([
        born(1, 0, 10, 1 * S, 11), Tombstoned(3 * S, 1, 1), Recovered(4 * S, 1, 1), Tombstoned(9 * S, 1, 1),
        NodeRemoved(11 * S, 1),
    ])  # fmt: skip
    swa, full = component(found, "swa"), component(found, "full")
    assert (swa.evicted_nodes, swa.lifetime_ns.mean) == (2, (2 + 5) / 2 * S)
    assert (full.evicted_nodes, full.lifetime_ns.mean) == (1, 10 * S)
    assert swa.returned_tokens == 10


@pytest.mark.parametrize(("pause_s", "returned"), [(59, 10), (61, 0)])
def test_content_that_is_back_in_time_was_thrash(pause_s: int, returned: int) -> None:
    found = report([born(1, 0, 10, S, 11), NodeRemoved(2 * S, 1), born(2, 0, 10, (2 + pause_s) * S, 11)])
    full = component(found, "full")
    assert (full.evicted_tokens, full.returned_tokens, full.thrash_index) == (10, returned, returned / 10)


def test_two_evicted_nodes_come_back_as_one() -> None:
    found = report([
        born(1, 0, 10, S, 11), born(2, 1, 5, S, 12, start=10), NodeRemoved(2 * S, 2), NodeRemoved(2 * S, 1),
        born(3, 0, 15, 3 * S, 12),
    ])  # fmt: skip
    assert component(found, "full").returned_tokens == 15


def test_one_eviction_returns_once() -> None:
    found = report([
        born(1, 0, 10, S, 11), NodeRemoved(2 * S, 1), born(2, 0, 10, 3 * S, 11), NodeRemoved(4 * S, 2),
        born(3, 0, 10, 5 * S, 11),
    ])  # fmt: skip
    full = component(found, "full")
    assert (full.evicted_tokens, full.returned_tokens) == (20, 20)


def test_what_may_still_come_back_is_told() -> None:
    records = [born(1, 0, 10, S, 11), NodeRemoved(2 * S, 1), hit(9, 10 * S)]
    assert component(report(records), "full").undecided_tokens == 10
    assert component(report(records, within_ns=5 * S), "full").undecided_tokens == 0


def test_a_reset_evicts_nothing() -> None:
    found = report([born(1, 0, 10, S, 11), CacheReset(2 * S), born(2, 0, 10, 3 * S, 11)])
    assert found.overall.components == ()


def test_nodes_alive_at_the_end_and_from_before_are_counted_and_have_no_lifetime() -> None:
    found = report([
        added(1, 0, 10, at=-1, touched_at=S, live=3), born(2, 0, 5, S, 12), NodeRemoved(3 * S, 1),
    ])  # fmt: skip
    assert (found.overall.alive_nodes, found.overall.alive_tokens, found.overall.unseen_births) == (1, 5, 1)
    full = component(found, "full")
    assert (full.evicted_nodes, full.lifetime_ns.count, full.idle_ns.mean) == (1, 0, 2 * S)


def naive(records: list[Record], config: CacheConfig) -> dict[str, int]:
    """Look at the whole tree before and after each record: what data left, what came, how old it was."""
    mirror = Mirror(config.components)
    sums = {"evicted": 0, "tokens": 0, "age": 0, "idle": 0}
    since: dict[tuple[int, int], int] = {}
    for each in records:
        before = {
            (node.id, bit): (node.length, node.touched_at, node.created_at)
            for node in mirror.nodes.values() if node.parent
            for bit in range(len(config.components)) if node.live >> bit & 1
        }  # fmt: skip
        mirror.apply(each)
        after = {
            (node.id, bit)
            for node in mirror.nodes.values() if node.parent
            for bit in range(len(config.components)) if node.live >> bit & 1
        }  # fmt: skip
        if isinstance(each, CacheReset):
            since.clear()
            continue
        for place in before.keys() - after:
            length, touched, created = before[place]
            sums["evicted"] += 1
            sums["tokens"] += length
            sums["age"] += each.at - since.pop(place, created)  # type: ignore[union-attr]
            sums["idle"] += each.at - touched  # type: ignore[union-attr]
        for id_, bit in after - before.keys():
            if type(each).__name__ in ("Recovered", "NodeTiers"):
                since[id_, bit] = each.at  # type: ignore[union-attr]
            elif type(each).__name__ == "NodeSplit" and (each.node, bit) in since:  # type: ignore[union-attr]
                since[id_, bit] = since[each.node, bit]  # type: ignore[union-attr]
    return sums


@pytest.mark.parametrize("config", (*CONFIGS, *HOSTED))
@pytest.mark.parametrize("seed", range(3))
def test_ages_are_those_of_a_model_that_looks_at_everything(config: CacheConfig, seed: int) -> None:
    _, records = random_run(config, seed, steps=300)
    found = report_of(Ages, records, config.components, config.describe())
    sums = naive(records, config)
    components = found.overall.components
    assert sum(each.evicted_nodes for each in components) == sums["evicted"]
    assert sum(each.evicted_tokens for each in components) == sums["tokens"]
    for total, name in ((sums["age"], "lifetime_ns"), (sums["idle"], "idle_ns")):
        values = [getattr(each, name) for each in components]
        assert sum(value.count * (value.mean or 0) for value in values) == pytest.approx(total)
    assert all(each.returned_tokens <= each.evicted_tokens for each in components)


def test_namespaces_add_up_to_the_whole() -> None:
    config = CONFIGS[2]
    _, records = random_run(config, seed=5, steps=500)
    found = report_of(partial(Ages, by_namespace=True), records, config.components, config.describe())
    assert {each.namespace for each in found.namespaces} == {"(plain)", "lora"}
    assert sum(each.hit_nodes for each in found.namespaces) == found.overall.hit_nodes
    assert sum(each.alive_nodes for each in found.namespaces) == found.overall.alive_nodes
    evicted = [sum(c.evicted_tokens for c in each.components) for each in (*found.namespaces, found.overall)]
    assert sum(evicted[:-1]) == evicted[-1]


@pytest.mark.timeout(10)
def test_a_forged_node_that_has_every_component_is_counted_and_ends() -> None:
    found = report([added(1, 0, 10, at=S, content_key=11, live=-1), NodeRemoved(2 * S, 1)])
    assert len(found.overall.components) == MAX_COMPONENTS
    assert {each.evicted_nodes for each in found.overall.components} == {1}
