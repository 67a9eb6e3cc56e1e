"""Frames in cells: as wide as their share, never out of their parent, nothing lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixtop.flame.layout import FOLD, Place, layout


class Plain:
    """A tree by parents: node i hangs below `parents[i]`, node 0 is the root."""

    def __init__(self, parents: list[int], own: list[int]) -> None:
        self.below: list[list[int]] = [[] for _ in parents]
        self.weights = own
        self.totals = list(own)
        for node in range(len(parents) - 1, 0, -1):
            self.below[parents[node]].append(node)
            self.totals[parents[node]] += self.totals[node]

    def total(self, node: int) -> int:
        return self.totals[node]

    def own(self, node: int) -> int:
        return self.weights[node]

    def heavy(self, node: int, least: int) -> list[tuple[int, int]]:
        found = [(child, self.totals[child]) for child in self.below[node] if self.totals[child] >= least]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def child_count(self, node: int) -> int:
        return len(self.below[node])


@st.composite
def groves(draw: st.DrawFn) -> Plain:
    size = draw(st.integers(1, 60))
    parents = [0, *(draw(st.integers(0, node - 1)) for node in range(1, size))]
    return Plain(parents, draw(st.lists(st.integers(0, 2_000), min_size=size, max_size=size)))


def below(rows: list[list[Place]], depth: int, index: int) -> list[Place]:
    """Return the frames right below one."""
    return [place for place in rows[depth + 1] if place.parent == index] if depth + 1 < len(rows) else []


@given(groves(), st.integers(1, 250), st.integers(1, 12))
def test_widths_add_up(grove: Plain, width: int, height: int) -> None:
    rows = layout(grove, 0, width, height)
    assert len(rows) <= height
    for depth, row in enumerate(rows):
        for index, place in enumerate(row):
            children = below(rows, depth, index)
            for child in children:
                assert place.x <= child.x and child.x + child.cells <= place.x + place.cells
            assert all(left.x + left.cells == right.x for left, right in pairwise(children))
            if children:
                assert children[0].x == place.x
                own = place.total - sum(child.total for child in children)
                missing = place.cells - sum(child.cells for child in children)
                assert own >= grove.own(place.node) and missing >= 0


@given(groves(), st.integers(1, 250))
def test_a_frame_is_as_wide_as_its_share_within_a_cell(grove: Plain, width: int) -> None:
    for row in layout(grove, 0, width, 12):
        for place in row:
            exact = place.total * width / grove.total(0)
            assert place.cells >= 1
            assert abs(place.cells - exact) <= 1, (place, exact)


@given(groves(), st.integers(20, 250))
def test_no_weight_is_lost_among_the_frames(grove: Plain, width: int) -> None:
    rows = layout(grove, 0, width, 99)
    for depth, row in enumerate(rows):
        for index, place in enumerate(row):
            children = below(rows, depth, index)
            shown = sum(child.total for child in children)
            lost = place.total - grove.own(place.node) - shown if place.node != FOLD else 0
            assert 0 <= lost * width <= grove.total(0)  # a fold without any room weighs less than a cell
            folded = sum(child.folded for child in children)
            named = sum(child.node != FOLD for child in children)
            assert place.node == FOLD or not lost or named + folded <= grove.child_count(place.node)


def test_siblings_come_by_weight_and_small_ones_are_summed_up() -> None:
    rows = layout(Plain([0, 0, 0, 0, 0, 0], [0, 10, 60, 1, 2, 27]), 0, 20, 9)
    assert [(place.node, place.cells, place.folded) for place in rows[1]] == [
        (2, 12, 0), (5, 5, 0), (1, 2, 0), (FOLD, 1, 2),
    ]  # fmt: skip


def test_what_a_frame_holds_itself_has_nothing_below_it() -> None:
    rows = layout(Plain([0, 0], [50, 50]), 0, 10, 9)
    assert [(place.x, place.cells) for place in rows[1]] == [(0, 5)]


@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0)])
def test_without_room_or_weight_there_is_no_frame(width: int, height: int) -> None:
    assert layout(Plain([0], [5]), 0, width, height) == []
    assert layout(Plain([0], [0]), 0, 5, 5) == []


def test_only_the_rows_that_have_room_are_looked_at() -> None:
    deep = Plain([0, *range(1_999)], [1] * 2_000)
    looked_at: list[int] = []
    heavy = deep.heavy
    deep.heavy = lambda node, least: looked_at.append(node) or heavy(node, least)  # type: ignore
    assert len(layout(deep, 0, 80, 6)) == 6 and looked_at == [0, 1, 2, 3, 4]
