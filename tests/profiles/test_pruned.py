"""Rows of a forest: all weights at once, what is small folded, every total as in the whole."""

from __future__ import annotations

from profiles.forest import TOP, Frame
from profiles.growth.planting import forest_of
from profiles.pruned import PARTS, Row, prune
from profiles.selection import MOST_ROWS
from tests.support.forests import deep_forest, flat_forest, small_forest


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


def test_of_a_deep_path_as_much_is_shown_as_files_have_room_for() -> None:
    forest = deep_forest(3_000)
    rows = list(prune(forest))
    assert 100 < len(rows) < 400
    assert [row.depth for row in rows] == list(range(len(rows)))
    assert rows[-1].label == f"(+{3_001 - len(rows):,} nodes)"
    assert rows[0].total == (3_000,)
    assert sum(row.own[0] for row in rows) == 3_000


def test_of_many_frames_the_heaviest_are_shown() -> None:
    weights = list(range(1, 3_001))
    rows = list(prune(flat_forest([f"text {weight}" for weight in weights], weights), 10**9))
    assert [row.total[0] for row in rows[:-1]] == weights[: -MOST_ROWS - 1 : -1]
    assert rows[-1].total[0] == sum(weights[:-MOST_ROWS])


def test_a_frame_that_counts_in_one_weight_is_shown_with_all() -> None:
    frames = [Frame(TOP, key, f"text {key}", "text", 0, 1) for key in range(3)]
    rows = list(prune(forest_of(frames, {"tokens": [9_999, 1, 1], "hits": [0, 7, 0]})))
    assert [(row.label, row.total) for row in rows if row.frame] == [("text 1", (1, 7)), ("text 0", (9_999, 0))]
    assert [row.total for row in rows if row.frame is None] == [(1, 0)]


def test_without_parts_the_order_is_that_of_the_forest() -> None:
    forest = small_forest()
    rows = list(prune(forest, None))
    assert [row.frame for row in rows] == list(forest.frames)
    assert [row.parent for row in rows] == [frame.parent for frame in forest.frames]
    for column, weight in enumerate(forest.weights):
        assert [row.total[column] for row in rows] == list(forest.totals(weight))
