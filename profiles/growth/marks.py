"""What lies where on the stretches of a run, so that cuts may come later than weights.

A span of positions on the path of a key is +1 at the stretch where it ends and -1 at the one that ends where it
begins: what covers a stretch is then the sum of the marks at and below it. A later cut puts a stretch between two
others, whose marks stay where they are, and what covers it comes out right.

    path       [-- c --)[-- a --)[-- b --)
    a span              +--------------+          +1 at b, -1 at c
    covered        0        1        1            of c, a, b: the marks at and below each
"""

from __future__ import annotations

from array import array
from collections import Counter
from typing import NamedTuple

from profiles.forest import TOP
from profiles.growth.cuts import Cuts

MOST_LOOSE = 1 << 16
"""So many spans that end where there is no cut are kept, in case that one comes."""


class Loose(NamedTuple):
    """A span of positions [first, last) on the path of a key that ends or begins inside a stretch."""

    weight: str
    key: int
    first: int
    last: int


class Marks:
    """The marks of one run on cuts that others may share."""

    def __init__(self, cuts: Cuts) -> None:
        self._cuts = cuts
        self.columns: dict[str, array[int]] = {}
        """By weight, the marks of each row; short of rows that have none."""
        self.loose: Counter[Loose] = Counter()
        self.settled: Counter[tuple[str, int]] = Counter()
        """Tokens by weight and row that are no marks: no cut will divide them."""
        self.nowhere: Counter[str] = Counter()
        """Tokens by weight that lie on content which nobody stated."""

    def cover(self, weight: str, key: int | None, first: int, last: int, times: int = 1) -> None:
        """Let a weight lie on positions [first, last) of the path of a key, None when that is not known."""
        if first >= last:
            return
        row = None if key is None else self._cuts.rows.get(key)
        if row is None or key is None or self._cuts.ends[row] < last:
            self.nowhere[weight] += times * (last - first)
            return
        end, begin = self._cuts.ending_at(row, last), self._cuts.ending_at(row, first)
        if end is None or begin is None:
            self.loose[Loose(weight, key, first, last)] += times
            if len(self.loose) > MOST_LOOSE:
                self.settle()
            return
        self.mark(weight, end, times)
        if begin != TOP:
            self.mark(weight, begin, -times)

    def mark(self, weight: str, row: int, times: int) -> None:
        """Put marks at a row."""
        column = self.columns.get(weight)
        if column is None:
            column = self.columns[weight] = array("q")
        if row >= len(column):
            column.frombytes(bytes(8 * (max(len(self._cuts), row + 1) - len(column))))
        column[row] += times

    def copy(self) -> Marks:
        """Return the same marks, to stay as they are now."""
        twin = Marks(self._cuts)
        twin.columns = {weight: column[:] for weight, column in self.columns.items()}
        twin.loose, twin.settled, twin.nowhere = self.loose.copy(), self.settled.copy(), self.nowhere.copy()
        return twin

    def settle(self) -> None:
        """Lay what ends between cuts over the stretches as they are now."""
        for loose, times in self.loose.items():
            for row, tokens in self.over(loose):
                self.settled[loose.weight, row] += times * tokens
        self.loose.clear()

    def over(self, loose: Loose) -> list[tuple[int, int]]:
        """Return the rows that a span reaches over, and how many tokens of each it covers."""
        cuts = self._cuts
        found = []
        for row in cuts.up(cuts.rows[loose.key]):
            if cuts.ends[row] <= loose.first:
                break
            tokens = min(cuts.ends[row], loose.last) - max(cuts.start(row), loose.first)
            if tokens > 0:
                found.append((row, tokens))
        return found
