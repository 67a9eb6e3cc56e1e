"""Every weight of a forest adds up to what the counters of the same run say."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import CacheConfig
from cache_core.event_codec import head
from cache_core.events import UNTIMED, CacheReset, EngineStep, Record
from profiles.forest import WEIGHTS, Forest
from profiles.growth.forest_builder import grow
from profiles.prices import Prices
from tests.support.cache_runs import RUNS, CacheRun
from tests.support.setups import TOGETHER
from tests.support.sinks import Sink
from tests.support.totals import count

SIZES = {"full": 1_000, "swa": 300, "mamba": 70_000}
_STEP = head(EngineStep)


def wholes(forest: Forest) -> dict[str, int]:
    return {weight: forest.whole(weight) for weight in forest.weights}


def served(kind: str, config: CacheConfig, seed: int, steps: int) -> tuple[list[Record], int]:
    """The records of a random run, and where in them a later reader could join."""
    sink = Sink()
    run = CacheRun(config, sink, seed, kind)
    join = 0
    for number in range(steps):
        run.step()
        if number % 7 == 0:
            sink.records.append((_STEP, 1, 1_000 * number + 1, 3, 0, 1, 0))
            run.cache.emit_pools()
        if number == steps // 2:
            run.cache.flush_sink(sink)
            join = len(sink.flushed)
            sink.records += run.cache.snapshot_records()
    run.cache.emit_pools()
    run.cache.flush_sink(sink)
    return sink.flushed, join


def both(records: list[Record], config: CacheConfig) -> tuple[dict[str, int], dict[str, int]]:
    """The totals of the forest and those of the counters."""
    prices = Prices(SIZES)
    return wholes(grow(records, config.components, prices=prices)), count(records, config.components, prices)


@pytest.mark.parametrize(("kind", "config"), [*RUNS, *(("prefix", config) for config in TOGETHER[::5])])
def test_the_totals_of_every_weight_are_those_of_the_counters(kind: str, config: CacheConfig) -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        records, _ = served(kind, config, seed, 250)
        forest, counted = both(records, config)
        assert forest == counted
        seen.update(counted)
    known = set(WEIGHTS) - (set() if "swa" in config.components else {"tombstoned"})
    assert set(+seen) >= known - {"recomputed", "tombstoned"}
    assert set(seen) == known


@pytest.mark.parametrize(("kind", "config"), RUNS)
def test_a_recording_that_began_late_adds_up_as_well(kind: str, config: CacheConfig) -> None:
    elsewhere = 0
    for seed in range(6):
        records, join = served(kind, config, seed, 250)
        for start in (join, join - 40, join // 2):
            forest, counted = both(records[start:], config)
            assert forest == counted
        elsewhere += any(frame.kind == "elsewhere" for frame in grow(records[join // 2 :]).frames)
    assert elsewhere


@pytest.mark.parametrize("config", [config for kind, config in RUNS if kind == "prefix"])
def test_a_gap_in_the_records_adds_up_as_well(config: CacheConfig) -> None:
    for seed in range(6):
        records, join = served("prefix", config, seed, 250)
        forest, counted = both([*records[: join // 2], CacheReset(1), *records[join:]], config)
        assert forest == counted


def test_what_was_not_measured_is_no_weight() -> None:
    sink = Sink()
    run = CacheRun(CacheConfig(components=("full",), full_slots=120), sink, 1)
    run.cache.set_detail(UNTIMED)
    for _ in range(100):
        run.step()
    run.cache.emit_pools()
    run.cache.flush_sink(sink)
    forest, counted = both(sink.flushed, run.cache.config)
    assert forest == counted
    assert "time_ns" not in counted
    assert "saved_ns" not in counted
    assert sum(counted.values())
