"""The mirror, record by record."""

from __future__ import annotations

import pytest

from cache_core.events import (
    CacheReset,
    Insert,
    Label,
    Lock,
    Match,
    Namespace,
    NodeAdded,
    NodeLabelled,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    NodeTouched,
    Record,
    Recovered,
    Tombstoned,
    Unlock,
)
from probes.content_hash import hash6
from probes.mirror import Mirror
from probes.mirroring.segments import MOST_SEGMENTS
from tests.support.records import added, record


def mirror_of(*records: Record) -> Mirror:
    mirror = Mirror(("full", "swa"))
    for one in records:
        mirror.apply(one)
    return mirror


CHAIN = (
    added(1, 0, 10, live=3, at=5, touched_at=5),
    added(2, 1, 6, start=10, live=3),
    added(3, 2, 4, start=16, live=3),
)
"""Nodes 1, 2, 3, one below the other, of tokens [0, 10), [10, 16), [16, 20)."""

SPLIT = record(NodeSplit, at=9, node=2, upper=4, parent=1, start=10, length=2, content_key=77, live=1, hit_count=6)


def request_match(node: int, hit: int, full_node: int, full_hit: int) -> Match:
    return record(
        Match, at=50, node=node, device_hit_tokens=hit, full_node=full_node, full_hit_tokens=full_hit, request=1
    )


def test_an_added_node_hangs_under_its_parent_with_its_fields() -> None:
    mirror = mirror_of(
        CHAIN[0],
        added(2, 1, 6, start=10, content_key=9, namespace=4, live=1, hit_count=2, priority=3, at=7, touched_at=8),
    )
    node = mirror.nodes[2]
    assert node.parent == mirror.nodes[1]
    assert mirror.nodes[1].children == {2: node}
    fields = (node.start, node.length, node.content_key, node.namespace, node.live, node.hit_count, node.priority)
    assert fields == (10, 6, 9, 4, 1, 2, 3)
    assert (node.created_at, node.touched_at, node.end) == (7, 8, 16)


def test_a_restated_node_keeps_its_children_and_counts_once() -> None:
    mirror = mirror_of(*CHAIN, added(2, 1, 5, start=11, live=1, hit_count=8))
    assert list(mirror.nodes[2].children) == [3]
    assert (mirror.nodes[2].length, mirror.nodes[2].hit_count) == (5, 8)
    assert (mirror.census.nodes, mirror.census.tokens, mirror.tombstones) == (3, 19, 1)


def test_a_restated_node_moves_with_all_below_it() -> None:
    mirror = mirror_of(*CHAIN, record(Lock, node=3), added(2, 0, 6, live=3))
    assert mirror.nodes[2].parent is mirror.root
    assert (mirror.nodes[1].locks, mirror.nodes[2].locks) == (0, 1)
    assert (mirror.depth, mirror.leaves, mirror.census.nodes) == (2, 2, 3)


def test_a_node_stated_below_itself_stays_where_it_is() -> None:
    mirror = mirror_of(*CHAIN, added(1, 3, 10))
    assert mirror.nodes[1].parent is mirror.root


def test_the_root_is_never_stated() -> None:
    mirror = mirror_of(CHAIN[0], added(0, 1, 5))
    assert mirror.root.parent is None
    assert mirror.root.length == 0


@pytest.mark.parametrize(
    "about_unknown",
    [
        added(8, 7, 1),
        record(NodeSplit, node=8, upper=9, parent=7, length=1),
        record(NodeRemoved, node=7),
        record(Tombstoned, node=7, component=0),
        record(Recovered, node=7, component=0),
        record(NodeTouched, node=7, hit_count=1),
        record(NodeLabelled, node=7, start=0, label=1),
        record(NodeTiers, node=7, live=1, copied=1),
        record(Lock, node=7),
        record(Unlock, node=7),
        record(Match, node=7, request=1),
        record(Insert, node=7),
    ],
    ids=lambda unknown: type(unknown).__name__,
)
def test_what_is_said_about_an_unknown_node_changes_nothing(about_unknown: Record) -> None:
    mirror = mirror_of(*CHAIN)
    version = mirror.version
    mirror.apply(about_unknown)
    assert mirror.version == version
    assert set(mirror.nodes) == {0, 1, 2, 3}
    assert mirror.nodes[3].locks == 0


def test_a_split_puts_the_upper_node_between() -> None:
    mirror = mirror_of(*CHAIN, SPLIT)
    upper, lower = mirror.nodes[4], mirror.nodes[2]
    assert (upper.parent, lower.parent) == (mirror.nodes[1], upper)
    assert mirror.nodes[1].children == {4: upper}
    assert (upper.start, upper.length, lower.start, lower.length) == (10, 2, 12, 4)
    assert (upper.content_key, upper.live, upper.hit_count) == (77, 1, 6)
    assert list(lower.children) == [3]


def test_a_split_keeps_tokens_and_leaves_and_deepens_the_tree() -> None:
    mirror = mirror_of(*CHAIN, SPLIT)
    assert (mirror.census.nodes, mirror.census.tokens, mirror.leaves, mirror.depth) == (4, 20, 1, 4)
    assert mirror.census.live(0) == (4, 20)
    assert mirror.census.live(1) == (3, 18)


def test_a_split_passes_locks_on_to_the_upper_node_and_receipts_not() -> None:
    mirror = mirror_of(*CHAIN, record(Lock, node=2), record(Lock, node=3), SPLIT)
    assert (mirror.nodes[4].locks, mirror.nodes[4].anchored) == (2, 0)
    assert (mirror.nodes[2].locks, mirror.nodes[2].anchored) == (2, 1)


def test_a_split_divides_reused_tokens_by_length_and_copies_hits() -> None:
    mirror = mirror_of(*CHAIN, *[request_match(2, 16, 2, 16)] * 3, request_match(1, 10, 2, 16), SPLIT)
    upper, lower = mirror.nodes[4], mirror.nodes[2]
    assert (upper.hits, upper.hit_tokens, upper.recomputed_tokens) == (3, 6, 2)
    assert (lower.hits, lower.hit_tokens, lower.recomputed_tokens) == (3, 12, 4)
    assert upper.touched_at == lower.touched_at == 50


def test_a_split_divides_labels_and_the_lower_node_starts_with_the_one_in_force() -> None:
    labels = [record(NodeLabelled, node=2, start=start, label=label) for start, label in ((10, 1), (11, 2), (14, 3))]
    mirror = mirror_of(*CHAIN, *labels, SPLIT)
    assert mirror.nodes[4].segments == ((10, 1), (11, 2))
    assert mirror.nodes[2].segments == ((12, 2), (14, 3))


def test_a_split_of_an_unknown_node_adds_the_upper_one() -> None:
    mirror = mirror_of(CHAIN[0], SPLIT)
    assert mirror.nodes[4].parent == mirror.nodes[1]
    assert mirror.census.tokens == 12
    mirror.apply(added(2, 4, 4, start=12, anchored=1))
    assert mirror.nodes[4].locks == 1


def test_a_split_that_does_not_fit_what_is_known_changes_nothing() -> None:
    mirror = mirror_of(*CHAIN, record(NodeSplit, node=3, upper=9, parent=1, length=2))
    mirror.apply(record(NodeSplit, node=2, upper=9, parent=1, start=10, length=6))
    assert 9 not in mirror.nodes


def test_a_removed_leaf_is_gone_and_its_parent_becomes_one() -> None:
    mirror = mirror_of(*CHAIN, record(NodeRemoved, node=3))
    assert set(mirror.nodes) == {0, 1, 2}
    assert (mirror.census.nodes, mirror.census.tokens, mirror.leaves, mirror.depth) == (2, 16, 1, 2)


def test_removing_a_node_whose_child_was_missed_takes_the_child_along() -> None:
    mirror = mirror_of(*CHAIN, record(Lock, node=3), record(NodeRemoved, node=2))
    assert set(mirror.nodes) == {0, 1}
    assert (mirror.census.nodes, mirror.census.tokens, mirror.leaves, mirror.nodes[1].locks) == (1, 10, 1, 0)


def test_a_node_on_the_host_alone_stays_in_the_tree_without_live_data() -> None:
    mirror = mirror_of(*CHAIN, record(NodeTiers, node=3, live=0, copied=3))
    assert (mirror.nodes[3].live, mirror.nodes[3].copied) == (0, 3)
    assert (mirror.census.nodes, mirror.census.live(0)) == (3, (2, 16))


def test_a_node_stated_anew_has_the_copies_that_are_stated_after_it() -> None:
    mirror = mirror_of(*CHAIN, record(NodeTiers, node=3, live=3, copied=3), added(3, 2, 4, start=16))
    assert mirror.nodes[3].copied == 0
    mirror.apply(record(NodeTiers, node=3, live=3, copied=1))
    assert mirror.nodes[3].copied == 1


def test_depth_falls_only_when_the_last_longest_path_goes() -> None:
    mirror = mirror_of(*CHAIN, added(5, 2, 1, start=16), record(NodeRemoved, node=3))
    assert mirror.depth == 3
    mirror.apply(record(NodeRemoved, node=5))
    assert mirror.depth == 2


def test_a_tombstone_keeps_the_node_and_a_recovery_undoes_it() -> None:
    mirror = mirror_of(*CHAIN, record(Tombstoned, node=2, component=1))
    assert mirror.nodes[2].live == 1
    assert (mirror.tombstones, mirror.census.live(1)) == (1, (2, 14))
    mirror.apply(record(Recovered, node=2, component=1))
    assert (mirror.tombstones, mirror.census.live(1)) == (0, (3, 20))


def test_locks_count_on_the_whole_path_but_not_on_the_root() -> None:
    mirror = mirror_of(*CHAIN, record(Lock, node=3), record(Lock, node=2))
    assert [mirror.nodes[node].locks for node in (0, 1, 2, 3)] == [0, 2, 2, 1]
    assert [mirror.nodes[node].anchored for node in (1, 2, 3)] == [0, 1, 1]
    mirror.apply(record(Unlock, node=3))
    assert [mirror.nodes[node].locks for node in (1, 2, 3)] == [1, 1, 0]


def test_a_lock_of_the_root_holds_nothing() -> None:
    mirror = mirror_of(*CHAIN, record(Lock, node=0))
    assert (mirror.root.locks, mirror.root.anchored) == (0, 0)


def test_the_receipts_of_a_stated_node_count_on_its_path() -> None:
    mirror = mirror_of(*CHAIN, added(3, 2, 4, start=16, anchored=2))
    assert [mirror.nodes[node].locks for node in (1, 2, 3)] == [2, 2, 2]
    mirror.apply(added(3, 2, 4, start=16, anchored=1))
    assert [mirror.nodes[node].locks for node in (1, 2, 3)] == [1, 1, 1]


def test_a_request_counts_on_every_node_that_it_reused() -> None:
    mirror = mirror_of(*CHAIN, request_match(2, 16, 2, 16))
    assert [mirror.nodes[node].hits for node in (0, 1, 2, 3)] == [0, 1, 1, 0]
    assert [mirror.nodes[node].hit_tokens for node in (1, 2, 3)] == [10, 6, 0]
    assert [mirror.nodes[node].touched_at for node in (1, 2, 3)] == [50, 50, 0]


def test_a_hit_that_ends_inside_a_node_counts_what_it_reused() -> None:
    mirror = mirror_of(*CHAIN, request_match(2, 13, 2, 13))
    assert [mirror.nodes[node].hit_tokens for node in (1, 2)] == [10, 3]


def test_the_gap_between_the_hits_counts_as_recomputed() -> None:
    mirror = mirror_of(*CHAIN, request_match(1, 10, 3, 19))
    assert [mirror.nodes[node].recomputed_tokens for node in (1, 2, 3)] == [0, 6, 3]
    assert [mirror.nodes[node].hits for node in (1, 2, 3)] == [1, 0, 0]


def test_a_gap_inside_one_node_counts_there() -> None:
    mirror = mirror_of(*CHAIN, request_match(2, 12, 2, 15))
    assert (mirror.nodes[2].hit_tokens, mirror.nodes[2].recomputed_tokens) == (2, 3)


def test_a_match_of_nobody_is_only_a_touch() -> None:
    bare = record(Match, at=50, node=2, device_hit_tokens=16, full_node=3, full_hit_tokens=20)
    mirror = mirror_of(*CHAIN, bare)
    assert [mirror.nodes[node].hits for node in (1, 2, 3)] == [0, 0, 0]
    assert [mirror.nodes[node].recomputed_tokens for node in (1, 2, 3)] == [0, 0, 0]
    assert [mirror.nodes[node].touched_at for node in (1, 2, 3)] == [50, 50, 0]


def test_an_insert_touches_the_path() -> None:
    mirror = mirror_of(*CHAIN, record(Insert, at=60, node=2, request=1))
    assert [mirror.nodes[node].touched_at for node in (1, 2, 3)] == [60, 60, 0]


def test_touched_counters_are_overwritten() -> None:
    mirror = mirror_of(*CHAIN, record(NodeTouched, node=1, hit_count=4, priority=2))
    assert (mirror.nodes[1].hit_count, mirror.nodes[1].priority) == (4, 2)


def test_a_reset_forgets_nodes_and_keeps_names() -> None:
    mirror = mirror_of(*CHAIN, record(Label, id=1, text="a"), record(Namespace, id=2, text="b"), record(CacheReset))
    assert mirror.nodes == {0: mirror.root}
    assert (mirror.root.children, mirror.depth, mirror.leaves, mirror.census.nodes) == ({}, 0, 0, 0)
    assert (mirror.labels, mirror.namespaces) == ({1: "a"}, {2: "b"})


@pytest.mark.parametrize(
    "change",
    [added(9, 3, 1), SPLIT, record(NodeRemoved, node=3), record(Tombstoned, node=1, component=1), record(CacheReset)],
    ids=lambda change: type(change).__name__,
)
def test_the_version_grows_with_every_change_of_the_tree(change: Record) -> None:
    mirror = mirror_of(*CHAIN)
    version = mirror.version
    mirror.apply(change)
    assert mirror.version > version


def test_records_that_say_nothing_about_the_tree_are_passed_over() -> None:
    mirror = mirror_of(*CHAIN)
    version = mirror.version
    mirror.apply(record(Insert, node=1))
    assert mirror.version == version


def test_a_node_is_described_by_its_segments() -> None:
    labels = [record(Label, id=7, text="system prompt 3"), record(Label, id=8, text="question 7")]
    parts = [record(NodeLabelled, node=1, start=start, label=label) for start, label in ((4, 8), (0, 7), (8, 7))]
    mirror = mirror_of(*CHAIN, *labels, *parts)
    assert mirror.describe(mirror.nodes[1]) == "system prompt 3 + question 7"


def test_of_endlessly_many_segments_the_first_are_kept_and_can_be_renamed() -> None:
    mirror = mirror_of(added(1, 0, 1 << 40))
    for start in range(2 * MOST_SEGMENTS):
        mirror.apply(NodeLabelled(1, 2 * start, 3))
    mirror.apply(NodeLabelled(1, 4, 5))
    mirror.apply(NodeLabelled(1, 5, 6))
    segments = mirror.nodes[1].segments
    assert len(segments) == MOST_SEGMENTS
    assert segments[:4] == ((0, 3), (2, 3), (4, 5), (6, 3))


def test_a_segment_without_a_name_is_described_by_its_number() -> None:
    mirror = mirror_of(CHAIN[0], record(NodeLabelled, node=1, start=0, label=12))
    assert mirror.describe(mirror.nodes[1]) == "segment 12"


def test_a_node_without_segments_is_described_by_position_and_content() -> None:
    mirror = mirror_of(NodeAdded(0, 1, 0, 12_345, 96, 0xA1B2C3 << 40, 0, 1, 0, 0, 0, 0))
    assert mirror.describe(mirror.nodes[1]) == "12,345..+96 ·a1b2c3"
    assert mirror.describe(mirror.root) == "root"


def test_the_hash_of_a_negative_content_key_is_its_unsigned_digits() -> None:
    assert hash6(-1) == "ffffff"
    assert hash6(1) == "000000"


def test_tombstones_without_known_components_are_judged_by_those_seen() -> None:
    mirror = Mirror()
    mirror.apply(added(1, 0, 5, live=1))
    assert mirror.tombstones == 0
    mirror.apply(added(2, 0, 5, live=3))
    assert mirror.tombstones == 1
    assert mirror.component_name(1) == "component 1"
