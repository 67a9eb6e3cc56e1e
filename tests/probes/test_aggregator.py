"""The aggregator: which probes run, what a tick applies, and what losses do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cache_core.events import EngineStep, Insert, Match, NodeTouched, Pool, RequestAdmitted, RequestQueued
from cache_core.registry import UnknownNameError
from probes.aggregator import Aggregator
from probes.builtin.hit_rate import HitRateSample
from probes.builtin.occupancy import OccupancySample
from probes.builtin.operations import OperationsSample
from probes.builtin.requests import RequestsSample
from probes.builtin.throughput import ThroughputSample
from probes.builtin.tree_mirror import TreeSample
from probes.builtin.tree_shape import TreeShapeSample
from probes.fold import Folds
from probes.probe import PROBES
from tests.support.records import ALL_CLASSES, OF_ENGINES, added, record
from tests.support.scripted_adapter import ScriptedAdapter

S = 1_000_000_000


def test_every_probe_runs_on_a_source_that_provides_everything() -> None:
    adapter = ScriptedAdapter(provides=ALL_CLASSES | OF_ENGINES)
    assert tuple(Aggregator(adapter).probes) == PROBES.names


def test_a_probe_whose_records_are_not_provided_is_absent() -> None:
    adapter = ScriptedAdapter(provides=ALL_CLASSES - {EngineStep})
    adapter.send([record(Insert, at=1)])
    snapshot = Aggregator(adapter).tick(S)
    assert snapshot.get(ThroughputSample) is None
    assert "throughput" not in snapshot.samples
    assert snapshot.get(HitRateSample) is not None


def test_only_the_named_probes_run() -> None:
    assert list(Aggregator(ScriptedAdapter(), ["hit_rate"]).probes) == ["hit_rate"]


def test_an_unknown_probe_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown probe 'heat'; choose from: hit_rate, "):
        Aggregator(ScriptedAdapter(), ["heat"])


def test_before_the_first_record_nothing_is_known() -> None:
    snapshot = Aggregator(ScriptedAdapter(state="starting")).tick(5 * S)
    assert (snapshot.seq, snapshot.at, snapshot.now, dict(snapshot.samples)) == (-1, 0, 5 * S, {})


def test_a_snapshot_states_the_newest_record_applied() -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    adapter.send([record(Insert, at=7), record(Insert, at=9), record(NodeTouched)])
    snapshot = aggregator.tick(S)
    assert (snapshot.seq, snapshot.at) == (2, 9)
    snapshot = aggregator.tick(2 * S)
    assert (snapshot.seq, snapshot.at, snapshot.now) == (2, 9, 2 * S)


def test_who_tells_of_the_past_is_watched_since_then() -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    adapter.send([record(Insert, at=90)])
    assert aggregator.tick(S).since == 90
    adapter.send([record(Insert, at=40), record(Insert, at=60)])
    snapshot = aggregator.tick(2 * S)
    assert (snapshot.since, snapshot.at) == (40, 90)


def test_a_node_stated_again_does_not_turn_back_the_stream() -> None:
    adapter = ScriptedAdapter()
    adapter.send([record(Insert, at=9), added(1, 0, 4, at=-1)])
    assert Aggregator(adapter).tick(S).at == 9


def test_the_mirror_has_seen_a_record_before_the_probes_do() -> None:
    adapter = ScriptedAdapter()
    adapter.send([added(1, 0, 4), record(Insert, at=S)])
    shape = Aggregator(adapter).tick(S).get(TreeShapeSample)
    assert shape is not None
    assert shape.history[-1] == 1


def test_components_have_the_names_that_the_source_states() -> None:
    adapter = ScriptedAdapter(config={"components": ["full", "swa"]})
    adapter.send([record(Pool, at=1, component=1, free=5)])
    pools = Aggregator(adapter).tick(S).get(OccupancySample)
    assert pools is not None
    assert pools.pools[0].name == "swa"


def test_losses_are_carried_to_the_snapshot() -> None:
    snapshot = Aggregator(ScriptedAdapter(dropped_records=12, torn_blocks=3)).tick(S)
    assert (snapshot.source.dropped_records, snapshot.source.torn_blocks) == (12, 3)


def test_a_resync_clears_the_mirror_first() -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    adapter.send([added(1, 0, 4)])
    aggregator.tick(S)
    adapter.send([added(2, 0, 4)], resync=True)
    aggregator.tick(2 * S)
    assert set(aggregator.mirror.nodes) == {0, 2}


def test_a_resync_keeps_counts() -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    adapter.send([record(RequestAdmitted, at=1, request=1, prompt_tokens=10)])
    aggregator.tick(S)
    adapter.send([], resync=True)
    hits = aggregator.tick(2 * S).get(HitRateSample)
    assert hits is not None
    assert hits.total.queried_tokens == 10


@pytest.mark.parametrize("how", ["resync", "dropped", "torn", "late"])
def test_after_a_loss_who_is_running_is_unknown(how: str) -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    admitted = record(RequestAdmitted, at=1, request=1)
    if how != "late":
        adapter.send([admitted])
        running = aggregator.tick(S).get(RequestsSample)
        assert running is not None
        assert running.running == 1
    if how == "dropped":
        adapter.source = replace(adapter.source, dropped_records=1)
    if how == "torn":
        adapter.source = replace(adapter.source, torn_blocks=1)
    adapter.send([record(Insert, at=2)], resync=how == "resync", first_seq=900)
    requests = aggregator.tick(2 * S).get(RequestsSample)
    assert requests is not None
    assert requests.running is None


def test_the_shape_of_a_tree_that_is_not_whole_yet_is_unknown() -> None:
    adapter = ScriptedAdapter(state="starting")
    adapter.send([added(1, 0, 4)])
    snapshot = Aggregator(adapter).tick(S)
    assert snapshot.get(TreeShapeSample) is None
    assert snapshot.get(TreeSample) is not None


@pytest.mark.parametrize("state", ["ended", "lost"])
def test_the_windows_of_a_dead_source_end_at_its_last_record(state: str) -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    adapter.send([record(RequestAdmitted, at=5 * S, request=1, prompt_tokens=10, device_hit_tokens=4)])
    aggregator.tick(6 * S)
    adapter.source = replace(adapter.source, state=state)
    snapshot = aggregator.tick(500 * S)
    hits = snapshot.get(HitRateSample)
    assert hits is not None
    assert (snapshot.now, hits.last_10s.hit_rate) == (5 * S, 0.4)


def test_the_windows_of_a_replay_end_where_the_replay_is() -> None:
    adapter = ScriptedAdapter(state="replay")
    adapter.present = 7 * S
    adapter.send([record(Insert, at=5 * S)])
    assert Aggregator(adapter).tick(500 * S).now == 7 * S


def test_the_stream_is_counted_with_what_was_dropped() -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    adapter.send([record(Insert, at=S, duration_ns=1), record(Insert, at=2 * S, duration_ns=1)], first_seq=10)
    aggregator.tick(2 * S)
    adapter.send([record(Insert, at=3 * S, duration_ns=1)], first_seq=20)
    operations = aggregator.tick(3 * S).get(OperationsSample)
    assert operations is not None
    assert (operations.records, operations.cost["insert"].count) == (11, 3)


def test_records_of_no_interest_are_passed_over() -> None:
    adapter = ScriptedAdapter()
    adapter.send([record(RequestQueued, at=3), record(Match, at=4)])
    assert Aggregator(adapter, ["evictions"]).tick(S).seq == 1


@pytest.mark.parametrize("where", ["observe_match", "sample", "advance", "lost", "configured"])
def test_a_probe_that_raises_is_left_out_and_the_others_go_on(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise KeyError(7)

    class Broken(PROBES.load("hit_rate")):  # type: ignore[misc]
        def before(self) -> Folds:
            return {Match: fail, Insert: fail} if where == "observe_match" else {}

        def folds(self) -> Folds:
            return {**super().folds(), Match: fail} if where == "observe_match" else super().folds()

    if where != "observe_match":
        monkeypatch.setattr(Broken, where, fail)
    load = PROBES.load
    monkeypatch.setattr(type(PROBES), "load", lambda table, name: Broken if name == "hit_rate" else load(name))
    adapter = ScriptedAdapter(config={"components": ["full"]})
    aggregator = Aggregator(adapter)
    adapter.send([record(Match, at=S), record(Insert, at=S), record(EngineStep, at=S)], resync=True)
    first = aggregator.tick(S)
    adapter.send([record(Match, at=2 * S), record(Insert, at=2 * S)])
    later = aggregator.twin(adapter).tick(2 * S)
    for snapshot in (first, later):
        assert snapshot.faults == ("hit_rate is not known any more: KeyError: 7",)
        assert set(snapshot.samples).isdisjoint({"hit_rate"})
        assert snapshot.get(OperationsSample) is not None
    assert later.seq == 4


def test_a_mirror_that_raises_ends_the_source() -> None:
    adapter = ScriptedAdapter()
    aggregator = Aggregator(adapter)
    aggregator.folds = {Match: (lambda record: 1 // 0,)}
    adapter.send([record(Match, at=S)])
    with pytest.raises(ZeroDivisionError):
        aggregator.tick(S)


def test_probes_are_told_once_that_the_tree_is_whole_and_again_after_a_loss() -> None:
    adapter = ScriptedAdapter(state="starting")
    aggregator = Aggregator(adapter, ["capacity"])
    told: list[int] = []
    aggregator.probes["capacity"].whole = lambda: told.append(aggregator._seq)  # type: ignore[method-assign]
    aggregator.tick(S)
    adapter.send([added(1, 0, 4)], first_seq=5)
    aggregator.tick(S)
    assert told == []
    adapter.source = replace(adapter.source, state="live")
    aggregator.tick(S)
    adapter.send([added(2, 0, 4)])
    aggregator.tick(S)
    assert told == [5]
    adapter.send([added(3, 0, 4)], resync=True)
    aggregator.tick(S)
    assert told == [5, 7]
