"""Branching points: opened, filled, lost."""

from __future__ import annotations

from cache_core.events import (
    CacheReset,
    Insert,
    Label,
    Match,
    NodeLabelled,
    NodeRemoved,
    NodeTiers,
    Record,
    RequestFinished,
    RequestRetracted,
    Tombstoned,
)
from probes.builtin.branching import RECENT_EVENTS, BranchEvent, Branching, BranchingSample
from tests.support.observing import S, feed, probe_of
from tests.support.records import added, record

TREE: tuple[Record, ...] = (
    record(Label, id=5, text="document 17"),
    added(1, 0, 10),
    added(2, 1, 6, start=10),
    record(NodeLabelled, node=2, start=10, label=5),
    added(3, 2, 8, start=16),
)

MET = record(
    Match, at=1, request=7, device_hit_tokens=10, full_hit_tokens=20, branching_point=16, node=1, full_node=3
)
KEPT = record(Insert, at=2, request=7, branch_inserted=1, node=3)
OPENED = BranchEvent(1, "opened", 7, 16, 10, 2, "document 17")
FILLED = BranchEvent(2, "filled", 7, 16, 10, 2, "document 17")


def sample_of(*records: Record) -> BranchingSample:
    return probe_of(Branching, [*TREE, *records]).sample(S)


def test_a_match_that_meets_a_branching_point_opens_it() -> None:
    assert sample_of(MET) == BranchingSample(1, 0, 0, 1, 10, (OPENED,))


def test_an_insert_that_kept_it_fills_it() -> None:
    assert sample_of(MET, KEPT) == BranchingSample(1, 1, 0, 0, 10, (FILLED, OPENED))


def test_an_insert_that_did_not_keep_it_leaves_it_open() -> None:
    assert sample_of(MET, KEPT._replace(branch_inserted=0)) == BranchingSample(1, 0, 0, 1, 10, (OPENED,))


def test_a_request_that_finishes_with_it_open_loses_it() -> None:
    lost = BranchEvent(3, "lost", 7, 16, 10, 2, "document 17")
    assert sample_of(MET, record(RequestFinished, at=3, request=7)).recent[0] == lost


def test_a_retracted_request_loses_it() -> None:
    assert sample_of(MET, record(RequestRetracted, at=3, request=7)) == BranchingSample(
        1, 0, 1, 0, 10, (BranchEvent(3, "lost", 7, 16, 10, 2, "document 17"), OPENED)
    )


def test_a_request_that_ends_after_filling_it_loses_nothing() -> None:
    assert sample_of(MET, KEPT, record(RequestFinished, at=3, request=7)).lost == 0


def test_a_filled_one_is_lost_with_its_window() -> None:
    lost = BranchEvent(9, "lost", 7, 16, 10, 2, "document 17")
    assert sample_of(MET, KEPT, record(Tombstoned, at=9, node=2, component=1)).recent == (lost, FILLED, OPENED)


def test_a_filled_one_is_lost_once() -> None:
    gone = [record(Tombstoned, at=9, node=2, component=1), record(NodeRemoved, at=10, node=3)]
    assert sample_of(MET, KEPT, *gone, record(NodeRemoved, at=11, node=2)).lost == 1


def test_a_filled_one_survives_what_happens_to_other_nodes() -> None:
    assert sample_of(MET, KEPT, record(NodeRemoved, at=9, node=3)).lost == 0


def test_a_reset_loses_the_filled_and_leaves_the_open() -> None:
    other = MET._replace(request=8)
    sample = sample_of(MET, KEPT, other, record(CacheReset, at=9))
    assert (sample.lost, sample.open_now) == (1, 1)


def test_a_bare_match_opens_nothing_and_recomputes_nothing() -> None:
    assert sample_of(MET._replace(request=-1)) == BranchingSample(0, 0, 0, 0, 0, ())


def test_a_gap_without_a_branching_point_is_recomputed_all_the_same() -> None:
    assert sample_of(MET._replace(branching_point=-1)) == BranchingSample(0, 0, 0, 0, 10, ())


def test_host_hits_are_not_recomputed() -> None:
    assert sample_of(MET._replace(host_hit_tokens=4)).recomputed_tokens == 6


def test_a_request_that_meets_another_one_loses_the_first() -> None:
    sample = sample_of(MET, MET._replace(at=4, branching_point=18))
    assert (sample.opened, sample.lost, sample.open_now) == (2, 1, 1)
    assert [event.kind for event in sample.recent] == ["opened", "lost", "opened"]


def test_a_point_in_a_node_that_is_not_known_has_no_label() -> None:
    event = sample_of(MET._replace(full_node=99)).recent[0]
    assert (event.node, event.label) == (99, None)


def test_after_a_loss_of_records_nothing_is_open() -> None:
    probe = probe_of(Branching, [*TREE, MET])
    probe.lost()
    feed(probe, [record(RequestFinished, at=3, request=7)])
    sample = probe.sample(S)
    assert (sample.opened, sample.lost, sample.open_now) == (1, 0, 0)


def test_only_the_newest_events_are_kept() -> None:
    sample = sample_of(*(MET._replace(at=at, request=at) for at in range(RECENT_EVENTS + 5)))
    assert len(sample.recent) == RECENT_EVENTS
    assert sample.recent[0].at == RECENT_EVENTS + 4


def test_a_filled_one_whose_data_has_a_copy_on_the_host_is_kept_until_that_goes() -> None:
    copied = record(NodeTiers, node=2, live=3, copied=3)
    away = [record(Tombstoned, node=2, component=1), record(NodeTiers, node=2, live=0, copied=3)]
    tree = [MET, KEPT, copied, *away]
    assert sample_of(*tree).lost == 0
    assert sample_of(*tree, record(NodeTiers, node=2, live=0, copied=1)).lost == 1


def test_a_filled_one_whose_copy_is_under_way_is_not_lost() -> None:
    assert sample_of(MET, KEPT, record(NodeTiers, node=2, live=0, copied=0)).lost == 0
