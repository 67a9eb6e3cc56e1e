"""Columns of a million integers: how they are ordered depth first, summed, and looked up. The one user of numpy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probes.errors import RecordingError
from profiles.forest import TOP

Column = NDArray[np.int64]
Flags = NDArray[np.bool_]

_MOST = 1 << 62
"""A sum beyond this is no sum of anything that happened."""


@dataclass(frozen=True, slots=True)
class Order:
    """Rows of a tree, depth first: `rows[place]` is the row at a place, `places[row]` the place of a row.

    `parents` and `lasts` are as in a forest: by place.
    """

    rows: Column
    places: Column
    parents: Column
    lasts: Column


def column(values: Iterable[int], count: int) -> Column:
    """Return so many integers as a column. Raises RecordingError when one cannot be true."""
    try:
        return np.fromiter(values, np.int64, count)
    except OverflowError:
        raise untrue() from None


def depth_first(parents: Column, keys: Column) -> Order:
    """Return the depth-first order of a tree that is given by the row of each row's parent; siblings go by key."""
    count = len(parents)
    levels = _levels(parents)
    sizes = np.ones(count, np.int64)
    for rows in levels[:0:-1]:
        np.add.at(sizes, parents[rows], sizes[rows])
    siblings = _by_parent_and_key(parents, keys)
    places = np.empty(count, np.int64)
    places[siblings] = _before_among(parents[siblings], sizes[siblings])
    for rows in levels[1:]:
        places[rows] += places[parents[rows]] + 1
    rows = np.empty(count, np.int64)
    rows[places] = np.arange(count)
    above = parents[rows]
    return Order(rows, places, np.where(above == TOP, TOP, places[above]), np.arange(count) + sizes[rows])


def _levels(parents: Column) -> list[Column]:
    """Return the rows at each depth."""
    depths, above = np.zeros(len(parents), np.int64), parents.copy()
    left = np.flatnonzero(above != TOP)
    depths[left] = 1
    while len(left):  # each round looks twice as far up
        further = above[left]
        depths[left] += depths[further]
        above[left] = above[further]
        left = left[above[left] != TOP]
    if not len(parents):
        return []
    # Short integers are sorted digit by digit.
    sortable = depths.astype(np.uint16) if int(depths.max()) < 1 << 16 else depths
    return np.split(np.argsort(sortable, kind="stable"), np.cumsum(np.bincount(depths))[:-1])


def _by_parent_and_key(parents: Column, keys: Column) -> Column:
    """Return the rows by parent and key, where the leading bits of a key do for it: one sort instead of two."""
    bits = np.uint64(len(parents).bit_length() + 1)
    leading = (keys.view(np.uint64) ^ np.uint64(1 << 63)) >> bits
    return np.argsort((parents + 1).view(np.uint64) << (np.uint64(64) - bits) | leading)


def _before_among(parents: Column, sizes: Column) -> Column:
    """Return the size of the siblings before each row, where those of one parent stand together."""
    before = np.cumsum(sizes) - sizes
    if not len(parents):
        return before
    firsts = np.flatnonzero(np.diff(parents, prepend=TOP - 1))
    return before - np.repeat(before[firsts], np.diff(firsts, append=len(parents)))


def rows_of(ids: Column, wanted: Column) -> Column:
    """Return the row where each wanted id stands in `ids`, and TOP for those that stand nowhere."""
    if not len(ids):
        return np.full(len(wanted), TOP)
    least, most = int(ids.min()), int(ids.max())
    if least >= 0 and most <= 8 * len(ids) + 4096:
        table = np.full(most + 2, TOP)
        table[ids] = np.arange(len(ids))
        return table[np.where((wanted < 0) | (wanted > most), most + 1, wanted)]
    ordered = np.argsort(ids, kind="stable")
    at = np.minimum(np.searchsorted(ids, wanted, sorter=ordered), len(ids) - 1)
    rows = ordered[at]
    return np.where(ids[rows] == wanted, rows, TOP)


def running(values: Column) -> Column:
    """Return the sums of all values before each one, and of all. Raises RecordingError when those cannot be true."""
    if (
        len(values)
        and int(np.abs(values).max()) * len(values) >= _MOST
        and np.abs(values, dtype=float).sum() >= _MOST
    ):
        raise untrue()
    sums = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def product(values: Column, factors: Column | int) -> Column:
    """Return the products of non-negative values. Raises RecordingError when they cannot be true."""
    most = factors if isinstance(factors, int) else int(factors.max(initial=0))
    if int(values.max(initial=0)) * most >= _MOST:
        raise untrue()
    return values * factors


def below_and_at(values: Column, order: Order) -> Column:
    """Return for each place the sum of the values at it and below it."""
    sums = running(values)
    return sums[order.lasts] - sums[:-1]


def untrue() -> RecordingError:
    """Return the error for numbers that nothing can have counted."""
    return RecordingError("the numbers of the run are too large to be true", "the recording is damaged or was forged")
