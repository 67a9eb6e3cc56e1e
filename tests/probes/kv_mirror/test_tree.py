"""What an engine's events say of its blocks is the tree that our screens show."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core.events import CacheReset, Namespace, NodeAdded, NodeRemoved, NodeSplit, NodeTiers, Record
from probes.kv.wire import Cleared, Event, Removed, decode, signed_word
from probes.kv_mirror.blocks import BlockMirror
from probes.kv_mirror.run import Run
from probes.kv_mirror.tree import KVTree
from probes.mirror import Mirror
from tests.support.kv_streams import messages, names
from tests.support.made_kv_events import REMOVALS, STORES, stored


class Followed:
    """A tree made of events, and the mirror of the screens that is fed with its records."""

    def __init__(self) -> None:
        self.blocks = BlockMirror()
        self.tree = KVTree(self.blocks)
        self.mirror = Mirror()

    def batch(self, *events: Event) -> list[Record]:
        records = self.tree.apply(events, 7)
        for record in records:
            self.mirror.apply(record)
        return records

    def check(self) -> None:
        """Compare every block and every node."""
        blocks, runs = self.blocks, self.runs()
        slots = [slot for run in runs for slot in run.blocks]
        assert sorted(slots) == sorted(blocks._slots.values())
        for run in runs:
            assert run.blocks
            assert {blocks.places_at(slot) for slot in run.blocks} == {run.where}
            for above, below in pairwise(run.blocks):
                assert blocks.parent_at(below) == above
            above = blocks.parent_at(run.blocks[0])
            assert above == run.parent.blocks[-1] if run.parent is not None else above < 0
            self.check_node(run)
        assert {node.id for node in self.mirror.nodes.values()} == {0, *(run.id for run in runs)}

    def check_node(self, run: Run) -> None:
        node = self.mirror.nodes[run.id]
        assert node.length == run.tokens == sum(self.blocks.tokens_at(slot) or 1 for slot in run.blocks)
        assert node.start == run.start == (run.parent.start + run.parent.tokens if run.parent else 0)
        assert (node.live, node.copied) == self.tree._tiers(run.where)
        assert node.content_key == signed_word(self.blocks.name_at(run.blocks[-1]))
        assert node.parent is not None
        assert node.parent.id == run.parent_id

    def runs(self) -> list[Run]:
        return list(
            {run.id: run for slot in self.blocks._slots.values() for run in [self.tree._run_of[slot]]}.values()
        )


def kinds(records: list[Record]) -> list[type]:
    return [type(record) for record in records]


def test_blocks_that_are_stored_together_are_a_node() -> None:
    followed = Followed()
    (added,) = followed.batch(stored(1, 2, 3))
    assert isinstance(added, NodeAdded)
    assert (added.parent, added.start, added.length, added.content_key, added.live) == (0, 0, 48, 3, 1)


def test_pages_that_are_told_one_by_one_are_a_node_too() -> None:
    followed = Followed()
    assert kinds(followed.batch(stored(1), stored(2, parent=1), stored(3, parent=2))) == [NodeAdded]
    followed.check()


def test_what_goes_on_from_the_middle_of_a_node_splits_it() -> None:
    followed = Followed()
    followed.batch(stored(1, 2, 3))
    split, added = followed.batch(stored(4, 5, parent=2))
    assert isinstance(split, NodeSplit)
    assert isinstance(added, NodeAdded)
    assert (split.length, split.content_key, added.parent, added.start) == (32, 2, split.upper, 32)
    followed.check()


def test_a_removed_tail_makes_a_node_shorter_and_the_rest_takes_it_away() -> None:
    followed = Followed()
    followed.batch(stored(1, 2, 3))
    assert kinds(followed.batch(Removed([3]))) == [NodeAdded]
    followed.check()
    assert kinds(followed.batch(Removed([1, 2]))) == [NodeRemoved]
    followed.check()


def test_a_removed_middle_is_a_tombstone() -> None:
    followed = Followed()
    followed.batch(stored(1, 2, 3))
    followed.batch(Removed([2]))
    followed.check()
    assert sorted(node.live for node in followed.mirror.nodes.values() if node.id) == [0, 1, 1]


def test_a_demotion_moves_a_node_to_the_host() -> None:
    followed = Followed()
    followed.batch(stored(1, 2), stored(1, 2, tier="host"))
    (tiers,) = followed.batch(Removed([2, 1]))
    assert isinstance(tiers, NodeTiers)
    assert (tiers.live, tiers.copied) == (0, 1)
    followed.check()


def test_an_orphan_begins_at_the_root_and_goes_below_its_parent_when_that_comes() -> None:
    followed = Followed()
    followed.batch(stored(3, 4, parent=2), stored(5, parent=4))
    followed.check()
    followed.batch(stored(1, 2))
    followed.check()
    path = next(node for node in followed.mirror.nodes.values() if node.content_key == 5)
    assert (path.start, path.end) == (32, 80)


def test_namespaces_have_names_that_tell_no_secret() -> None:
    followed = Followed()
    records = followed.batch(stored(1)._replace(salt="tenant-9"), stored(2)._replace(lora="sql"), stored(3))
    named = {record.id: record.text for record in records if isinstance(record, Namespace)}
    nodes = [record.namespace for record in records if isinstance(record, NodeAdded)]
    assert nodes[2] == 0
    assert named[nodes[1]] == "lora sql"
    assert named[nodes[0]].startswith("salt ")
    assert "tenant" not in str(records)
    assert not any(isinstance(record, Namespace) for record in followed.batch(stored(4)._replace(lora="sql")))


def test_made_up_namespaces_take_little_room() -> None:
    followed = Followed()
    records = followed.batch(*(stored(name)._replace(lora=str(name)) for name in range(20_000)))
    assert sum(isinstance(record, Namespace) for record in records) == 10_000
    followed.check()


def test_a_flush_empties_the_tree() -> None:
    followed = Followed()
    followed.batch(stored(1, 2), stored(5, parent=4))
    assert kinds(followed.batch(Cleared(), stored(1))) == [CacheReset, NodeAdded]
    followed.check()


@given(st.lists(st.lists(STORES | STORES | REMOVALS | st.just(Cleared()), max_size=4), max_size=25))
@settings(max_examples=400, deadline=None)
def test_any_stream_leads_to_the_tree_of_its_blocks(batches: list[list[Event]]) -> None:
    followed = Followed()
    for batch in batches:
        followed.batch(*batch)
        followed.check()


@pytest.mark.parametrize("name", names())
def test_recorded_streams_lead_to_the_tree_of_their_blocks(name: str) -> None:
    followed = Followed()
    for seq, payload in messages(name):
        followed.batch(*decode(payload).events)
        if seq % 25 == 0:
            followed.check()
    followed.check()


def test_what_is_gone_and_has_blocks_below_it_is_a_tombstone() -> None:
    followed = Followed()
    followed.batch(stored(1), stored(2, parent=1))
    followed.batch(Removed([1]))
    assert (followed.mirror.tombstones, followed.mirror.census.live(0), followed.mirror.census.away()) == (
        1, (1, 16), (1, 16),
    )  # fmt: skip
    followed.batch(stored(1))
    assert (followed.mirror.tombstones, followed.mirror.census.live(0)) == (0, (2, 32))


@pytest.mark.parametrize("tier", ["host", "disk", "storage"])
def test_what_is_on_a_tier_below_the_device_alone_is_away_from_it_and_no_tombstone(tier: str) -> None:
    followed = Followed()
    followed.batch(stored(1, 2), stored(3, parent=2, tier=tier))
    census = followed.mirror.census
    assert (census.live(0), census.copied(0), followed.mirror.tombstones) == ((1, 32), (1, 16), 0)
