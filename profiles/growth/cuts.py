"""The cuts of a run: every place where a node ever began or ended, and the stretches of tokens between them.

A content key names the tokens up to a node's end, wherever the node starts. Over the life of a cache one key has
nodes of different starts: a split moves the start of the lower half, and content that comes back after its
eviction may be cut in other places. All of them are cuts of one path, and the stretches between neighbouring
cuts are the common refinement of every tree that the run went through.

    one life     [------- a -------)[--- b ---)            keys a, b
    another      [-- c --)[-------- b --------)            keys c, b
    stretches    [-- c --)[-- a ---)[--- b ---)            c above a above b

Two runs that note their nodes in the same cuts have the same stretches, and can be compared.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING
from weakref import WeakSet

from probes.mirroring.node import MirrorNode
from probes.plausible import MOST_TOKENS
from profiles.forest import TOP
from profiles.growth.paths import Paths

if TYPE_CHECKING:
    from profiles.growth.folding import Layer

MOST_STRETCHES = 1 << 18
"""So many are kept, and more only while they are in a tree or hold much; the small ones are folded together."""


class Cuts(Paths):
    """The stretches of runs, a row each: where they end, and the row of the stretch that ends where they begin.

    A stretch has tokens and begins where its parent ends, so a way up always comes to position 0. What a damaged or
    forged stream says against that is left out.
    """

    def __init__(self) -> None:
        super().__init__(array("q"), array("q"))
        self.rows: dict[int, int] = {}
        """The row of each content key."""
        self.keys = array("q")
        self.namespaces = array("q")
        self.folded: dict[int, int] = {}
        """How many stretches the rows stand for that are not told apart any more."""
        self.layers: WeakSet[Layer] = WeakSet()
        """Who has something on these rows."""
        self.fold_at = MOST_STRETCHES

    def __len__(self) -> int:
        return len(self.keys)

    def note(self, node: MirrorNode) -> None:
        """Take in the two ends of a node; its parent's must have been taken in before."""
        above = node.parent
        parent: int | None = TOP
        if above is not None and above.parent is not None:
            parent = self.rows.get(above.content_key)
        if parent is None or not self.end(parent) == node.start < node.end <= MOST_TOKENS:
            return
        row = self.rows.get(node.content_key)
        if row is None:
            self.rows[node.content_key] = self.append(node.content_key, parent, node.end, node.namespace)
        elif self.ends[row] == node.end:
            self.cut(row, parent)

    def append(self, key: int, parent: int, end: int, namespace: int) -> int:
        """Add a row, and return it."""
        self.keys.append(key)
        self.parents.append(parent)
        self.ends.append(end)
        self.namespaces.append(namespace)
        return len(self.keys) - 1

    def up(self, row: int) -> Iterator[int]:
        """Yield the rows from a stretch to the top."""
        while row != TOP:
            yield row
            row = self.parents[row]

    def ending_at(self, row: int, position: int) -> int | None:
        """Return the stretch at or above `row` that ends at a position, TOP at 0; None when there is no cut."""
        while row != TOP and self.ends[row] > position:
            row = self.parents[row]
        return row if self.end(row) == position else None
