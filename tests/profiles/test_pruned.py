"""Rows of a forest: all weights at once, what is small folded, every total as in the whole."""

from __future__ import annotations

from profiles.forest import TOP
from profiles.pruned import PARTS, Row, prune
from tests.support.forests import flat_forest, small_forest


def test_the_totals_on_top_add_up_to_every_weight() -> None:
    forest = small_forest()
    for parts in (None, 1, 2, 3, PARTS):
        top = [row.total for row in prune(forest, parts) if row.parent == TOP]
        assert [sum(column) for column in zip(*top, strict=True)] == [sum(own) for own in forest.weights.values()]


def test_a_row_holds_its_own_and_what_is_below_it() -> None:
    for parts in (None, 2, PARTS):
        rows = list(prune(small_forest(), parts))
        for number, row in enumerate(rows):
            below = [child.total for child in rows if child.parent == number]
            assert row.total == tuple(map(sum, zip(row.own, *below, strict=True)))


def test_rows_come_depth_first_and_parents_first() -> None:
    stack: list[int] = []
    for number, row in enumerate(prune(small_forest())):
        del stack[row.depth :]
        assert row.parent == (stack[-1] if stack else TOP)
        stack.append(number)


def test_without_parts_every_frame_has_its_row() -> None:
    forest = small_forest()
    assert {row.frame for row in prune(forest, None)} == set(forest.frames)


def test_what_is_small_in_every_weight_is_folded_into_the_last_row() -> None:
    rows = list(prune(flat_forest(["a", "b", "c", "d"], [3, 9_000, 1, 2])))
    assert [(row.label.partition(" ·")[0], row.total) for row in rows] == [
        ("b", (9_000, 9_000)), ("a", (3, 3)), ("(+2 nodes)", (3, 3)),
    ]  # fmt: skip
    assert rows[-1].frame is None


def test_nodes_are_those_that_weigh_something() -> None:
    rows: list[Row] = list(prune(flat_forest(["a", "b", "c"], [9_000, 0, 1])))
    assert [row.nodes for row in rows] == [1, 1]
