"""Eviction costs: sums, what is not measured, and the leaves that each call found."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig
from cache_core.events import Evict, NodeRemoved, Record
from probes.builtin.evictions import Evictions as Probe
from probes.builtin.evictions import EvictionSample
from profiles.reports.evict import ComponentEvictions, EvictionCosts, Evictions
from tests.support.cache_runs import CONFIGS, CacheRun
from tests.support.observing import S, probe_of
from tests.support.records import added
from tests.support.reporting import random_run, report_of
from tests.support.sinks import Sink


def call(at: int, duration_ns: int, victims: int = 1, **fields: int) -> Evict:
    given = {
        "component": 0,
        "asked_tokens": 1,
        "leaves_considered": 1,
        "queue_build_ns": 0,
        "pops": 1,
        "stale_pops": 0,
    }
    given.update(fields)
    return Evict(at, duration_ns, **given, victims=victims, cascades=0, freed_tokens=(10, 0))  # type: ignore[arg-type]


def report(records: list[Record]) -> EvictionCosts:
    return report_of(Evictions, records)


def leaves(number: int) -> list[Record]:
    return [added(node, 0, 10, at=1) for node in range(1, number + 1)]


def the_one(found: EvictionCosts) -> ComponentEvictions:
    (component,) = found.components
    return component


def test_a_call_without_a_duration_counts_and_costs_nothing() -> None:
    found = the_one(report([call(S, 0), call(S, 500), call(S, 700)]))
    assert (found.calls, found.unmeasured_calls, found.call_ns.count, found.rest_ns) == (3, 1, 2, 1200)
    assert found.call_ns.mean == 600


def test_a_call_without_a_victim_has_a_cost_and_none_per_victim() -> None:
    found = the_one(report([call(S, 500, victims=0)]))
    assert (found.empty_calls, found.call_ns.count, found.victim_ns.count) == (1, 1, 0)


def test_time_is_that_of_the_queue_and_the_rest() -> None:
    found = the_one(report([call(S, 500, queue_build_ns=300), call(S, 100, queue_build_ns=900)]))
    assert (found.build_ns, found.rest_ns) == (400, 200)


def test_a_call_finds_the_leaves_of_before_it_took_any() -> None:
    found = the_one(report([*leaves(5), NodeRemoved(S, 1), NodeRemoved(S, 2), call(S, 1000, victims=2)]))
    (one,) = found.cost.bins
    assert (one.leaves, one.low, one.high, one.victim_ns_p50) == (5, 3, 6, pytest.approx(500, 0.02))


def test_calls_are_binned_by_their_leaves() -> None:
    records = [*leaves(200), call(S, 1000), *(NodeRemoved(S, node) for node in range(1, 199))]
    found = the_one(report([*records, call(S, 200_000, victims=198), call(S, 20)]))
    assert [(one.low, one.calls, one.victim_ns_p50) for one in found.cost.bins] == [
        (2, 1, 20),
        (178, 2, pytest.approx(1000, 0.02)),
    ]
    assert sum(cell.count for cell in found.cost.hexes) == 3


@pytest.mark.parametrize("config", CONFIGS)
def test_the_sums_are_those_of_the_probe(config: CacheConfig) -> None:
    _, records = random_run(config, seed=3, steps=600)
    found = report_of(Evictions, records, config.components)
    sample = probe_of(Probe, records, config.components).sample(0)
    assert isinstance(sample, EvictionSample)
    assert (found.calls, found.victims, found.cascades) == (sample.calls, sample.victims, sample.cascades)
    assert found.freed_tokens == sample.freed_tokens
    for name in ("leaves_considered", "pops", "stale_pops"):
        assert sum(getattr(each, name) for each in found.components) == getattr(sample, name)


class _Counting(CacheRun):
    """A run that notes how many leaves there were before each eviction of its own."""

    def evict(self) -> None:
        found = self.cache.stats()["leaves"]
        self.cache.flush_sink(self.cache.sink)  # type: ignore[arg-type]
        sink = self.cache.sink
        assert isinstance(sink, Sink)
        before = len(sink.of(Evict))
        self.cache.evict(15)
        self.cache.flush_sink(sink)
        if len(sink.of(Evict)) > before and sink.of(Evict)[before].victims:
            self.found_leaves.append(found)


def test_the_leaves_are_those_of_the_real_cache() -> None:
    sink = Sink()
    run = _Counting(CacheConfig(components=("full",), full_slots=100_000), sink, seed=9)
    run.found_leaves: list[int] = []  # type: ignore[misc]
    for _ in range(800):
        run.step()
    run.cache.flush_sink(sink)
    found = the_one(report_of(Evictions, sink.flushed, ("full",)))
    assert sum(one.leaves * one.calls for one in found.cost.bins) == pytest.approx(sum(run.found_leaves))


def test_the_course_adds_up_and_keeps_its_size() -> None:
    found = report([call(at * S, 10, victims=2) for at in range(1, 5000)])
    slots = found.course.slots
    assert len(slots) <= 120
    assert [sum(column) for column in zip(*slots, strict=True)] == [4999, 9998, 49990, 0]
