"""Slots, columns and what waits on ways, against a naive tree of dicts."""

from __future__ import annotations

import random
from collections import defaultdict
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probes.mirroring.ways
from cache_core.events import Insert, Lock, Match, NodeAdded, NodeRemoved, NodeSplit, Record, Unlock
from probes.mirror import Mirror
from probes.mirroring.columns import ROOT
from tests.support.records import added, record
from tests.support.toy_tree import ToyTree

SEEDS = st.integers(0, 2**32)
SUMS = ("locks", "hits", "hit_tokens", "touched_at", "subtree_tokens", "subtree_nodes")


class Naive:
    """Sums kept by walking each way at once, and heights counted anew: what the columns must come to."""

    def __init__(self) -> None:
        self.parent: dict[int, int] = {0: -1}
        self.span: dict[int, tuple[int, int]] = {0: (0, 0)}
        self.sums: dict[str, dict[int, int]] = {name: defaultdict(int) for name in SUMS}
        self.sums["subtree_nodes"][0] = 1

    def way(self, node: int) -> list[int]:
        way = []
        while node >= 0:
            way.append(node)
            node = self.parent[node]
        return way

    def add(self, name: str, node: int, amount: int) -> None:
        for each in self.way(node):
            self.sums[name][each] += amount

    def touch(self, node: int, at: int) -> None:
        for each in self.way(node):
            self.sums["touched_at"][each] = max(self.sums["touched_at"][each], at)

    def apply(self, one: Record, at: int) -> None:
        if isinstance(one, NodeAdded):
            self.parent[one.node], self.span[one.node] = one.parent, (one.start, one.length)
            self.add("subtree_tokens", one.node, one.length)
            self.add("subtree_nodes", one.node, 1)
            self.touch(one.node, one.touched_at)
        elif isinstance(one, NodeSplit):
            self.cut(one)
        elif isinstance(one, NodeRemoved):
            for name in ("subtree_tokens", "subtree_nodes", "locks"):
                self.add(name, one.node, -self.sums[name][one.node])
            del self.parent[one.node], self.span[one.node]
            for sums in self.sums.values():
                sums.pop(one.node, None)
        elif isinstance(one, Lock | Unlock):
            self.add("locks", one.node, 1 if isinstance(one, Lock) else -1)
        elif isinstance(one, Insert):
            self.touch(one.node, at)
        elif isinstance(one, Match):
            self.touch(one.node, at)
            for each in self.way(one.node):
                start, length = self.span[each]
                self.sums["hits"][each] += 1
                self.sums["hit_tokens"][each] += min(length, one.device_hit_tokens - start)

    def cut(self, one: NodeSplit) -> None:
        self.parent[one.upper], self.parent[one.node] = one.parent, one.upper
        start, length = self.span[one.node]
        self.span[one.upper], self.span[one.node] = (start, one.length), (start + one.length, length - one.length)
        for sums in self.sums.values():
            sums[one.upper] = sums[one.node]
        self.sums["subtree_tokens"][one.node] -= one.length
        shared = self.sums["hit_tokens"][one.node] * one.length // length
        self.sums["hit_tokens"][one.upper] = shared
        self.sums["hit_tokens"][one.node] -= shared
        self.add("subtree_nodes", one.upper, 1)

    def height(self, node: int) -> int:
        return 1 + max((self.height(each) for each, above in self.parent.items() if above == node), default=0)


def run(seed: int, steps: int, look: float) -> tuple[Mirror, Naive]:
    """Return a mirror and the naive tree after the same records; somebody looks now and then."""
    dice = random.Random(seed)
    tree, mirror, naive = ToyTree(dice), Mirror(), Naive()
    for at in range(1, steps + 1):
        getattr(tree, dice.choice(("add", "add", "add", "split", "split", "remove", "remove", "lock", "unlock")))()
        some = dice.choice([tree.root, *tree.nodes()])
        if some.id:
            hit = some.start + dice.randint(1, some.length)
            match = record(Match, at=at, node=some.id, device_hit_tokens=hit, full_hit_tokens=hit, request=at)
            tree.stream.append(match if dice.random() < 0.7 else record(Insert, at=at, node=some.id))
        for one in tree.stream:
            mirror.apply(one)
            naive.apply(one, at)
        tree.stream.clear()
        if dice.random() < look:
            assert mirror.depth == naive.height(0) - 1
    return mirror, naive


@given(SEEDS, st.integers(1, 80), st.sampled_from((0.0, 0.1, 0.7)))
@settings(max_examples=120)
def test_what_waits_on_ways_comes_to_what_walking_them_gives(seed: int, steps: int, look: float) -> None:
    mirror, naive = run(seed, steps, look)
    assert set(mirror.nodes) == set(naive.parent)
    assert len(mirror.nodes) == len(naive.parent)
    for node in mirror.nodes.values():
        if node.parent is not None:
            assert {name: getattr(node, name) for name in SUMS} == {
                name: naive.sums[name][node.id] for name in SUMS
            }, f"{node.id=}"
        assert node.height == naive.height(node.id), f"{node.id=}"
        assert node.subtree_nodes == naive.sums["subtree_nodes"][node.id]
        assert {child.id for child in node.children.values()} == set(node.children)
        assert set(node.children) == {each for each, above in naive.parent.items() if above == node.id}
        assert len(node.children) == len(set(node.children))


@given(SEEDS)
def test_few_notes_at_a_time_come_to_the_same(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probes.mirroring.ways, "MOST_NOTES", 3)
        mirror, naive = run(seed, 40, 0.0)
    for node in mirror.nodes.values():
        if node.parent is not None:
            assert {name: getattr(node, name) for name in SUMS} == {name: naive.sums[name][node.id] for name in SUMS}


def test_slots_of_nodes_that_left_are_used_again() -> None:
    mirror = Mirror()
    for number in range(1, 1001):
        mirror.apply(added(number, 0, 1))
        mirror.apply(record(NodeRemoved, node=number - 20))
    assert (len(mirror.nodes), mirror.columns.used) == (21, 22)
    assert [number for number in range(1001) if number in mirror.nodes] == [0, *range(981, 1001)]


def test_a_node_in_a_used_slot_has_nothing_of_the_one_before() -> None:
    mirror = Mirror()
    for one in (added(1, 0, 9, anchored=2), record(Match, node=1, device_hit_tokens=5, request=1)):
        mirror.apply(one)
    mirror.apply(record(NodeRemoved, node=1))
    mirror.apply(added(2, 0, 4))
    node = mirror.nodes[2]
    assert (node.slot, node.locks, node.anchored, node.hits, node.hit_tokens, node.segments) == (1, 0, 0, 0, 0, ())


def test_views_show_what_nodes_say_and_cannot_be_written() -> None:
    mirror, _ = run(5, 80, 0.1)
    columns = mirror.columns
    slots = np.flatnonzero(columns.alive)
    nodes = [mirror.nodes[number] for number in columns.view("id")[slots].tolist()]
    assert len(nodes) == len(mirror.nodes)
    for field in ("start", "length", "content_key", "live", "hits", "hit_tokens", "touched_at", "height"):
        assert columns.view(field)[slots][1:].tolist() == [getattr(node, field) for node in nodes][1:], field
    assert columns.view("parent")[slots].tolist() == [-1, *(node.parent.slot for node in nodes if node.parent)]
    with pytest.raises(ValueError, match="read-only"):
        columns.view("length")[0] = 1


def test_a_view_does_not_keep_the_columns_from_growing() -> None:
    mirror = Mirror()
    view = mirror.columns.view("length")
    for number in range(1, 500):
        mirror.apply(added(number, 0, number))
    assert (len(view), mirror.columns.view("length")[-1]) == (1, 499)


def test_a_twin_goes_its_own_way() -> None:
    mirror, naive = run(9, 60, 0.0)
    twin = deepcopy(mirror)
    twin.apply(added(10**6, 0, 7, namespace=3))
    mirror.clear()
    assert set(twin.nodes) == {*naive.parent, 10**6}
    assert twin.root.subtree_tokens == naive.sums["subtree_tokens"][0] + 7
    assert twin.root == twin.nodes[ROOT] != mirror.root
