"""What readers of a mirror's changes are told equals what really changed."""

from __future__ import annotations

import gc
import random
from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from cache_core.events import CacheReset, NodeLabelled, NodeRemoved, NodeSplit, Tombstoned
from probes.mirror import Mirror
from probes.mirroring.changes import Change, Changes
from tests.support.records import added, record
from tests.support.toy_tree import ToyTree

CHAIN = (added(1, 0, 10), added(2, 1, 6, start=10), added(3, 2, 4, start=16))


def mirror_of_chain() -> Mirror:
    mirror = Mirror()
    for one in CHAIN:
        mirror.apply(one)
    return mirror


def parents(mirror: Mirror) -> dict[int, int]:
    return {node.id: node.parent.id for node in mirror.nodes.values() if node.parent is not None}


def replayed(known: dict[int, int], changes: list[Change]) -> dict[int, int]:
    """Return who hangs under whom after the changes; each must fit what is known when it comes."""
    for change in changes:
        if change.kind == "removed":
            assert known.pop(change.node) == change.parent
            assert change.node not in known.values(), "children go before their parents"
        elif change.kind == "added":
            assert change.node not in known
            known[change.node] = change.parent
        else:
            assert known[change.node] == (change.left if change.kind == "moved" else change.parent)
            known[change.node] = change.parent
    return known


@given(st.integers(0, 2**32), st.integers(1, 7))
def test_changes_replayed_give_the_tree(seed: int, looks: int) -> None:
    tree = ToyTree(random.Random(seed))
    mirror = Mirror()
    reader = mirror.changes.reader()
    known: dict[int, int] = {}
    for _ in range(looks):
        for _ in range(random.Random(seed + looks).randrange(20)):
            tree.step()
        for one in tree.stream:
            mirror.apply(one)
        tree.stream.clear()
        told = reader.take()
        known = parents(mirror) if told is None else replayed(known, told)
        assert known == parents(mirror)


def test_a_split_adds_the_upper_node_and_moves_the_lower_one() -> None:
    mirror = mirror_of_chain()
    reader = mirror.changes.reader()
    reader.take()
    mirror.apply(record(NodeSplit, node=2, upper=4, parent=1, start=10, length=2))
    mirror.apply(added(3, 1, 4, start=16))
    assert reader.take() == [
        Change("added", 4, 4, 1), Change("moved", 2, 2, 4, 1),
        Change("restated", 3, 3, 2), Change("moved", 3, 3, 1, 2),
    ]  # fmt: skip


def test_what_is_told_anew_of_a_node_is_a_restatement_and_what_is_below_a_node_goes_with_it() -> None:
    mirror = mirror_of_chain()
    reader = mirror.changes.reader()
    reader.take()
    for one in (NodeLabelled(3, 16, 5), record(Tombstoned, node=1, component=0), record(NodeRemoved, node=2)):
        mirror.apply(one)
    assert reader.take() == [
        Change("restated", 3, 3, 2), Change("restated", 1, 1, 0),
        Change("removed", 3, 3, 2), Change("removed", 2, 2, 1),
    ]  # fmt: skip
    assert reader.take() == []


def test_everything_may_have_changed_at_first_after_a_reset_and_when_too_much_did() -> None:
    changes = Changes(most=2)
    early, late = changes.reader(), changes.reader()
    assert (early.take(), late.take()) == (None, None)
    changes.note(Change("added", 4, 1, 0))
    changes.note(Change("added", 5, 2, 0))
    assert [change.node for change in early.take() or ()] == [4, 5]
    changes.note(Change("added", 6, 3, 0))
    assert (early.take(), late.take()) == ([Change("added", 6, 3, 0)], None)
    changes.everything()
    changes.note(Change("added", 7, 4, 0))
    assert (early.take(), late.take()) == (None, None)
    assert early.take() == []


def test_a_reset_changes_everything() -> None:
    mirror = mirror_of_chain()
    reader = mirror.changes.reader()
    reader.take()
    mirror.apply(CacheReset(1))
    assert reader.take() is None


def test_nothing_is_kept_while_nobody_reads() -> None:
    mirror = mirror_of_chain()
    reader = mirror.changes.reader()
    mirror.apply(added(4, 0, 1))
    assert mirror.changes.newest(1) == [Change("added", 4, 4, 0)]
    twin = deepcopy(mirror)
    twin.apply(added(5, 0, 1))
    assert twin.changes.newest(1) is None, "who reads a mirror does not read its twin"
    del reader
    gc.collect()
    mirror.apply(added(5, 0, 1))
    assert mirror.changes.newest(1) is None
