"""Rows that are kept up with a tree are those of a tree that is flattened anew, whatever happened to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from cache_core.events import NodeAdded, NodeRemoved, NodeSplit
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from radixtop.tree import siblings
from radixtop.tree.index import TreeIndex
from radixtop.tree.order import sort_keys
from radixtop.tree.request import ORDERS, Order, TreeRequest
from radixtop.tree.siblings import FewSiblings, ManySiblings
from tests.support.records import record

Flat = list[tuple[int, int, int]]
"""(node, level, how many nodes share its row), in the order of rows."""

KEY: dict[Order, Callable[[MirrorNode], int]] = {
    "subtree": lambda node: -node.subtree_tokens,
    "tokens": lambda node: -node.length,
    "hits": lambda node: -node.hits,
    "hit_tokens": lambda node: -node.hit_tokens,
    "recomputed": lambda node: -node.recomputed_tokens,
    "locks": lambda node: -node.locks,
    "idle": lambda node: node.touched_at,
    "age": lambda node: node.created_at,
}


class Naive:
    """Flattens a tree by walking it. What is open is decided when a node is first seen, or shares no row any more."""

    def __init__(self, request: TreeRequest) -> None:
        self.request = request
        self.opens: dict[int, bool] = {}

    def rows(self, mirror: Mirror) -> Flat:
        opens = self._decided(mirror)
        return list(self._below(mirror.root, 0, opens))

    def _decided(self, mirror: Mirror) -> dict[int, bool]:
        decided = {}
        waiting = [(child, 0) for child in mirror.root.children.values()]
        while waiting:
            node, level = waiting.pop()
            joined = self._joined(node)
            if not joined:
                decided[node.id] = self.opens.get(node.id, level + 1 < self.request.depth)
            waiting += [(child, level + (not joined)) for child in node.children.values()]
        self.opens = decided
        return decided

    def _joined(self, node: MirrorNode) -> bool:
        return self.request.joins and len(node.children) == 1

    def _below(self, parent: MirrorNode, level: int, opens: dict[int, bool]) -> Iterator[tuple[int, int, int]]:
        sign = -1 if self.request.is_reversed else 1
        order = KEY[self.request.order]
        for node in sorted(parent.children.values(), key=lambda node: (sign * order(node), node.id)):
            tail, joined = node, 0
            while self._joined(tail):
                (tail,) = tail.children.values()
                joined += 1
            yield tail.id, level, joined
            if opens[tail.id]:
                yield from self._below(tail, level + 1, opens)


def change(mirror: Mirror, dice: Random, number: int) -> None:
    """One thing happens to the tree: a node comes, goes with all below it, is split, or moves."""
    nodes = [node for node in mirror.nodes.values() if node.id]
    node = dice.choice(nodes) if nodes else mirror.root
    what = dice.random()
    if what < 0.6 or not nodes:
        parent = dice.choice([mirror.root, node, node])
        mirror.apply(added(number, parent, dice.randint(1, 9)))
    elif what < 0.8:
        mirror.apply(NodeRemoved(number, node.id))
    elif what < 0.9 and node.length > 1 and node.parent is not None:
        mirror.apply(NodeSplit(number, node.id, number, node.parent.id, node.start, 1, number, 0, 3, 0, 0))
    else:
        parent = dice.choice([other for other in (mirror.root, *nodes) if other != node])
        mirror.apply(added(node.id, parent, node.length))


def added(number: int, parent: MirrorNode, length: int) -> NodeAdded:
    return record(
        NodeAdded, at=number, node=number, parent=parent.id, start=parent.end, length=length, touched_at=number
    )


def flat(index: TreeIndex, mirror: Mirror, request: TreeRequest) -> Flat:
    return [(row.node, row.level, row.joined) for row in index.page(mirror, request).rows]


@pytest.mark.parametrize("many", [siblings.MANY, 3])
@pytest.mark.parametrize("joins", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_rows_equal_those_of_a_naive_walk(many: int, joins: bool, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radixtop.tree.layout.MANY", many)
    monkeypatch.setattr(siblings, "_SORTED", 4)
    dice, mirror = Random(seed), Mirror(("full",))
    request = TreeRequest(count=10_000, depth=dice.randint(1, 4), joins=joins)
    index, naive = TreeIndex(lambda: 0), Naive(request)
    number = 0
    for _ in range(60):
        for _ in range(dice.choice([0, 1, 1, 1, 5])):
            number += 1
            change(mirror, dice, number)
        request = naive.request = replace(request, order=dice.choice(ORDERS), is_reversed=dice.random() < 0.5)
        rows = naive.rows(mirror)
        assert flat(index, mirror, request) == rows
        check_windows(index, mirror, request, rows, dice)


def check_windows(index: TreeIndex, mirror: Mirror, request: TreeRequest, rows: Flat, dice: Random) -> None:
    """Any window is cut out of the rows, and every row is found by its node."""
    first, count = dice.randrange(len(rows) + 1), dice.randint(1, 6)
    window = index.page(mirror, replace(request, first=first, count=count))
    assert window.total == len(rows)
    assert [row.node for row in window.rows] == [node for node, _, _ in rows[window.first : window.first + count]]
    if rows:
        place = dice.randrange(len(rows))
        assert index.page(mirror, replace(request, cursor=rows[place][0])).cursor_row == place


def test_opening_by_hand_equals_counting_anew() -> None:
    dice, mirror = Random(5), Mirror(("full",))
    for number in range(1, 80):
        mirror.apply(added(number, mirror.nodes[dice.randrange(number)], 3))
    index, request = TreeIndex(lambda: 0), TreeRequest(count=1_000, depth=2)
    for _ in range(40):
        row = dice.choice(index.page(mirror, request).rows)
        request = request.with_closed(row.node) if row.is_open else request.with_open(row.node)
        assert flat(index, mirror, request) == flat(TreeIndex(lambda: 0), mirror, request)


def test_many_siblings_are_found_as_few_are() -> None:
    dice = np.random.default_rng(3)
    for spread in (1, 3, 1_000, 1 << 40):
        keys, sizes = dice.integers(0, spread, 30_000), dice.integers(0, 4, 30_000)
        slots, numbers = np.arange(30_000), dice.permutation(30_000)
        few = FewSiblings(slots, keys, numbers)
        many = ManySiblings(slots, keys, sizes, numbers, np.zeros(30_000, np.int64))
        for first in (0, 17, 20_000, int(sizes.sum()) - 40):
            placed = many.placed(sizes, numbers, first, first + 40)
            assert placed == few.placed(sizes, first, first + 40)
        assert all(many.row_of(sizes, numbers, slot) == few.row_of(sizes, slot) for slot in (0, 4_711, 29_999))


def test_figures_beyond_all_bounds_are_sorted() -> None:
    figures = np.array([-(1 << 63), (1 << 63) - 1, 5])
    assert np.argsort(sort_keys(figures, "tokens", False)).tolist() == [1, 2, 0]
    assert np.argsort(sort_keys(figures, "idle", True)).tolist() == [1, 2, 0]
    assert np.argsort(sort_keys(figures, "idle", False)).tolist() == [2, 1, 0]
