"""What differs between two forests: of two recordings, or of two moments of one.

Nothing here knows ids or orders: frames go by content key, and the two are compared piece by piece of their common
refinement (`refinement.py`). A piece is as wide as the larger side has it, so that what is gone keeps its place.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from profiles.diff.refinement import refine
from profiles.forest import Forest, Frame
from profiles.growth.planting import forest_of
from profiles.pruned import PARTS, prune


class Change(NamedTuple):
    """What something weighs before and after; `wide` is the sum of the larger of both over all pieces of it.

    The three tell everything: even where pieces that grew and pieces that shrank are counted together, what came
    and what left is known.
    """

    before: int
    after: int
    wide: int

    @property
    def delta(self) -> int:
        """How much more there is after."""
        return self.after - self.before

    @property
    def grown(self) -> int:
        """What came, such as tokens that were inserted."""
        return self.wide - self.before

    @property
    def shrunk(self) -> int:
        """What left, such as tokens that were evicted."""
        return self.wide - self.after

    @property
    def kept(self) -> int:
        """What is in both."""
        return self.before + self.after - self.wide

    @property
    def status(self) -> str:
        """In a word: new, gone, grew, shrank, mixed when pieces of both kinds cancel out, or same."""
        if self.delta:
            if not self.before:
                return "new"
            if not self.after:
                return "gone"
            return "grew" if self.delta > 0 else "shrank"
        return "mixed" if self.grown else "same"


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A frame, or a fold of small ones (`frame` is None): a `Change` per weight, of its own and with all below it."""

    parent: int
    depth: int
    label: str
    frame: Frame | None
    own: tuple[Change, ...]
    total: tuple[Change, ...]
    nodes: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Two forests over each other; `weights` are those that both know, `captions` what they are called.

    `returned_tokens` of what was inserted had been evicted earlier; None where that is not known: between two runs.
    """

    before_title: str
    after_title: str
    weights: tuple[str, ...]
    captions: Mapping[str, str]
    merged: Forest
    returned_tokens: int | None = None

    def rows(self, parts: int | None = PARTS) -> Iterator[ChangedRow]:
        """Yield rows depth-first, as `prune` does; without `parts` every frame has its row."""
        for row in prune(self.merged, parts):
            own, total = _changes(row.own), _changes(row.total)
            yield ChangedRow(row.parent, row.depth, row.label, row.frame, own, total, row.nodes)

    def balance(self, weight: str) -> Change:
        """Return the change of a weight on the whole: what stayed, what came, what left."""
        return Change(*(self.merged.whole(f"{weight} {side}") for side in ("before", "after", "wide")))


def _changes(values: tuple[int, ...]) -> tuple[Change, ...]:
    return tuple(Change(*values[place : place + 3]) for place in range(0, len(values), 3))


def compare(before: Forest, after: Forest, one_run: bool = False) -> Difference:
    """Return what differs. `one_run` says that `after` is a later moment of the run that `before` is of."""
    weights = tuple(weight for weight in before.weights if weight in after.weights)
    captions = {weight: after.caption(weight) for weight in weights}
    refined = refine((before, after), weights)
    sides = refined.columns
    columns: dict[str, array[int]] = {}
    for weight in weights:
        old, new = sides[0][weight], sides[1][weight]
        columns |= {f"{weight} before": old, f"{weight} after": new, f"{weight} wide": array("q", map(max, old, new))}
    returned = _returned(sides[0]["tokens"], sides[1]) if one_run and {"tokens", "evicted"} <= set(weights) else None
    return Difference(before.title, after.title, weights, captions, forest_of(refined.frames, columns), returned)


def _returned(before: array[int], after: dict[str, array[int]]) -> int:
    """Return how many of the tokens that came had been evicted at least once by then."""
    news = zip(before, after["tokens"], after["evicted"], strict=True)
    return sum(min(max(0, tokens - old), evicted) for old, tokens, evicted in news)
