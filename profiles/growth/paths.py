"""Paths of stretches of tokens, and how one is cut in another place."""

from __future__ import annotations

from collections.abc import MutableSequence

from profiles.forest import TOP


class Paths:
    """Stretches by row: where each ends, and the row of its parent, the stretch that ends where it begins, or TOP."""

    def __init__(self, parents: MutableSequence[int], ends: MutableSequence[int]) -> None:
        self.parents = parents
        self.ends = ends

    def end(self, row: int) -> int:
        """Return where a stretch ends, 0 for TOP."""
        return 0 if row == TOP else self.ends[row]

    def start(self, row: int) -> int:
        """Return where a stretch begins."""
        return self.end(self.parents[row])

    def cut(self, row: int, other: int) -> None:
        """Make one path of the one up to `row` and the one up to `other`, which ends in it: with the cuts of both.

        up to row      [--------- a --------)[-- row --)
        up to other    [-- b --)[ other )
        becomes        [-- b --)[ other )[ a )[-- row --)
        """
        while (cut := self.end(other)) != self.start(row):
            above = self.parents[row]
            if cut > self.end(above):
                self.parents[row], other = other, above
            row = self.parents[row]  # what remains is a cut further up
            assert row != TOP, f"a cut at {cut=} and nothing above it"
