"""The branch of the tree that holds the most, for those who look at no other row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from probes.mirror import Mirror
from probes.mirroring.columns import ROOT, Columns
from probes.snapshot import Snapshot
from radixtop.naming import name_of
from radixtop.question import Answerer
from radixtop.source import Source
from radixtop.tree.rows import Biggest, Standing

_MANY = 4_096
"""From so many branches on they are looked at by numpy, which is not imported for fewer."""


@dataclass(frozen=True, slots=True)
class BiggestQuestion:
    """What the tree amounts to, and its biggest branch."""

    answerer: ClassVar[str] = "radixtop.tree.biggest:BiggestBranch"


class BiggestBranch(Answerer[BiggestQuestion]):
    """Looks at the branches from the root, which are a part of the tree and may be all of it."""

    def answer(self, source: Source, snapshot: Snapshot, question: BiggestQuestion) -> Standing | None:
        """See Answerer."""
        mirror = source.mirror
        if mirror is None or not (snapshot.source.tree_known or len(mirror.nodes) > 1):
            return None  # nothing is known, which is not nothing
        return standing_of_all(mirror)


def standing_of_all(mirror: Mirror) -> Standing:
    """Return what a tree amounts to."""
    return Standing("tree", len(mirror.nodes) - 1, mirror.root.subtree_tokens, _biggest(mirror))


def _biggest(mirror: Mirror) -> Biggest | None:
    slot = _slot_of_biggest(mirror.columns)
    if slot < 0:
        return None
    node = mirror.nodes[mirror.columns.id[slot]]
    return Biggest(name_of(mirror, node), node.subtree_tokens, mirror.told(node.hits))


def _slot_of_biggest(columns: Columns) -> int:
    if columns.child_count[ROOT] < _MANY:
        return max(_branches(columns), key=columns.subtree_tokens.__getitem__, default=-1)
    import numpy as np

    branches = np.flatnonzero(columns.view("parent") == ROOT)
    return int(branches[columns.view("subtree_tokens")[branches].argmax()])


def _branches(columns: Columns) -> Iterator[int]:
    slot = columns.first_child[ROOT]
    while slot >= 0:
        yield slot
        slot = columns.next_sibling[slot]
