"""The shape of the tree as the mirror counts it."""

from __future__ import annotations

from cache_core.events import Evict, Insert, NodeRemoved, NodeSplit, NodeTiers, Tombstoned
from probes.builtin.tree_shape import TreeShape, TreeShapeSample
from tests.support.observing import S, history, probe_of
from tests.support.records import added, record


def test_the_sample_of_a_small_tree() -> None:
    probe = probe_of(
        TreeShape,
        [
            added(1, 0, 10, live=3),
            added(2, 1, 6, start=10, live=3),
            record(Insert, at=1 * S),
            added(3, 1, 4, start=10, live=3),
            record(NodeSplit, node=1, upper=4, parent=0, length=3, live=3),
            record(Tombstoned, node=1, component=1),
            record(Insert, at=2 * S),
            record(NodeRemoved, node=3),
            record(Evict, at=4 * S),
        ],
    )
    assert probe.sample(5 * S) == TreeShapeSample(
        nodes=3,
        leaves=1,
        tombstones=1,
        depth=3,
        tokens=16,
        live_nodes={"full": 3, "swa": 2},
        live_tokens={"full": 16, "swa": 9},
        history=history(2, 4, 4, 3, 3),
    )


def test_an_empty_tree_is_known_to_be_empty() -> None:
    assert probe_of(TreeShape, []).sample(S) == TreeShapeSample(
        nodes=0, leaves=0, tombstones=0, depth=0, tokens=0, live_nodes={"full": 0, "swa": 0},
        live_tokens={"full": 0, "swa": 0}, history=history(0),
    )  # fmt: skip


def test_with_a_host_tier_nodes_are_told_apart_by_where_they_are() -> None:
    probe = probe_of(
        TreeShape,
        [
            added(1, 0, 10, live=3),
            added(2, 1, 6, start=10, live=3),
            added(3, 1, 4, start=10, live=3),
            record(NodeTiers, node=1, live=3, copied=1),
            record(Tombstoned, node=1, component=1),
            record(NodeTiers, node=2, live=0, copied=3),
            record(NodeTiers, node=3, live=0, copied=0),
            record(NodeSplit, node=2, upper=4, parent=1, start=10, length=2, live=0),
            record(NodeTiers, node=4, live=0, copied=3),
        ],
    )
    probe.mirror.has_host_tier = True
    sample = probe.sample(S)
    assert (sample.nodes, sample.device_nodes, sample.host_nodes, sample.tombstones) == (4, 1, 3, 1)
    assert (sample.tokens, sample.live_tokens, sample.host_tokens) == (20, {"full": 10, "swa": 0}, 10)
    assert (sample.copied_nodes, sample.copied_tokens) == ({"full": 3, "swa": 2}, {"full": 16, "swa": 6})


def test_without_a_host_tier_nothing_is_said_of_one() -> None:
    sample = probe_of(TreeShape, [added(1, 0, 10, live=3)]).sample(S)
    assert (sample.device_nodes, sample.host_nodes, sample.host_tokens, sample.copied_nodes) == (1, None, None, None)
