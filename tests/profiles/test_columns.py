"""Columns against plain loops: depth-first order, look-ups, sums that cannot be true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.errors import RecordingError
from profiles.columns import below_and_at, column, depth_first, product, rows_of, running
from profiles.forest import TOP

TREES = st.lists(st.integers(0, 10**6), max_size=60).flatmap(
    lambda picks: st.tuples(
        st.just([TOP if pick % (place + 1) == place else pick % (place + 1) for place, pick in enumerate(picks)]),
        st.permutations(range(len(picks))),
    )
)
"""Parents that come before their children, and an order to put the rows in."""


@given(TREES)
def test_rows_of_any_order_come_depth_first_and_siblings_by_key(tree: tuple[list[int], list[int]]) -> None:
    parents, shuffled = tree
    row_of = {old: row for row, old in enumerate(shuffled)}
    rows = [TOP if parents[old] == TOP else row_of[parents[old]] for old in shuffled]
    keys = [1 << 60 if old % 2 else -(1 << 62) + (old << 50) for old in shuffled]
    order = depth_first(column(rows, len(rows)), column(keys, len(keys)))
    assert sorted(order.rows.tolist()) == list(range(len(rows)))
    above: list[int] = []
    before: dict[int, int] = {}
    for place, row in enumerate(order.rows.tolist()):
        while above and order.lasts[above[-1]] <= place:
            above.pop()
        assert order.parents[place] == (above[-1] if above else TOP)
        assert rows[row] == (order.rows[above[-1]] if above else TOP)
        assert order.places[row] == place
        assert keys[row] >= before.get(rows[row], keys[row])
        before[rows[row]] = keys[row]
        above.append(place)
    sizes = below_and_at(np.ones(len(rows), np.int64), order)
    assert (sizes == order.lasts - np.arange(len(rows))).all()


@given(st.lists(st.integers(0, 10**15), unique=True), st.lists(st.integers(-5, 10**15)))
def test_ids_are_found_where_they_stand(ids: list[int], others: list[int]) -> None:
    wanted = [*ids[::-1], *others]
    found = rows_of(column(ids, len(ids)), column(wanted, len(wanted))).tolist()
    assert found == [ids.index(id_) if id_ in ids else TOP for id_ in wanted]


@given(st.lists(st.integers(0, 50), unique=True), st.lists(st.integers(-5, 10**4)))
def test_small_ids_are_found_as_well(ids: list[int], others: list[int]) -> None:
    found = rows_of(column(ids, len(ids)), column(others, len(others))).tolist()
    assert found == [ids.index(id_) if id_ in ids else TOP for id_ in others]


def test_numbers_that_cannot_be_true_are_refused() -> None:
    huge = np.full(4, 1 << 61, np.int64)
    with pytest.raises(RecordingError, match="too large to be true; the recording is damaged or was forged"):
        running(huge)
    with pytest.raises(RecordingError, match="too large"):
        product(huge, huge)
    with pytest.raises(RecordingError, match="too large"):
        product(huge, 2)
    with pytest.raises(RecordingError, match="too large"):
        column([1 << 63], 1)


def test_sums_say_what_lies_before_each_and_in_all() -> None:
    assert running(column([3, 0, 4], 3)).tolist() == [0, 3, 3, 7]
    assert running(column([], 0)).tolist() == [0]
