"""The fields of all nodes: what a node is, by the number of its slot.

    slot        0     1     2     3     4
    id          0     7     9           12      slot 0 is the root; 3 is free
    parent     -1     0     1    -2      0      slots, too: NO_SLOT above the root, FREE for a slot without node
    length      0    64   128           96

A field is a column, one word a node. What changes on the whole way from a node to the root stands together, eight
words a node, a line of the processor's cache; all else is in the rows of another array. So a node is written and
carried by one call each, and a column is a view of the rows, which numpy can share.

Changes on ways wait until somebody reads them (`mirroring/ways.py`): the columns called `raw_*` lack what waits.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeAlias

from probes.mirroring.segments import UNLABELLED, Segments
from probes.mirroring.slots import COUNT, MASK, NO_SLOT, SHIFT, UNKNOWN, Pages
from probes.mirroring.ways import PLACE, TOUCHED, WAY, WAY_FIELDS, Ways
from probes.mirroring.words import word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from probes.mirroring.node import MirrorNode

ROOT = 0
"""The id of the root, and its slot."""

FREE = -2
"""The parent of a slot that no node has."""

FIELDS = (
    "id", "start", "length", "content_key", "namespace", "live", "hit_count", "priority", "created_at",
    "next_sibling", "copied", "anchored", "recomputed_tokens", "unused_tokens", "label", "previous_sibling",
    "child_count",
)  # fmt: skip
"""What is told of a node and counted of it alone, in the order of its row."""

_TOLD = struct.Struct("10q")
_NEW_ROW = array("q", (*(0,) * 14, UNLABELLED, NO_SLOT, 0))
_NEW_WAY = array("q", (FREE, 0, 0, 1, 0, 0, 1, NO_SLOT))
"""The first fields of a row are told with every node; these are the rows of one without anything counted."""

_ROW_BYTES = 8 * len(FIELDS)
_FIRST_SLOTS = 64

Column: TypeAlias = "memoryview[int]"

Stated = tuple[int, ...]
"""What is told of a node, in the order of NodeAdded."""


class Columns:
    """The fields, which slots are free, and which node has which. Who binds a column binds it until the next record.

    `unused_tokens` counts what requests that reused a node did not reuse of it. `segments` has those of the nodes for
    which `label`, that of the first segment, is not all; `root` is the node of slot 0. Readers change nothing here.
    """

    __slots__ = (
        *FIELDS, *WAY_FIELDS, "_free", "_rows", "count", "pages", "root", "segments", "used", "way_rows", "ways",
    )  # fmt: skip

    id: Column
    start: Column
    length: Column
    content_key: Column
    namespace: Column
    live: Column
    copied: Column
    hit_count: Column
    priority: Column
    anchored: Column
    created_at: Column
    recomputed_tokens: Column
    unused_tokens: Column
    label: Column
    next_sibling: Column
    previous_sibling: Column
    child_count: Column
    parent: Column
    first_child: Column
    raw_touched_at: Column
    raw_subtree_tokens: Column
    raw_subtree_nodes: Column
    raw_hits: Column
    raw_locks: Column
    raw_height: Column
    root: MirrorNode

    def __init__(self) -> None:
        self.segments: dict[int, Segments] = {}
        self.pages = Pages()
        self.ways = Ways(self)
        self.clear()

    def clear(self) -> None:
        """Forget every node, and all that was counted of the root."""
        self.segments.clear()
        self.pages.clear()
        self.ways.notes.clear()
        self._free = array("i")
        self._rows, self.way_rows = array("q"), array("q")
        self._grow(_FIRST_SLOTS)
        page = self.pages.open(ROOT)
        page[ROOT], page[COUNT] = ROOT, 1
        self.parent[ROOT] = NO_SLOT
        self.used = self.count = 1  # slots from `used` on never had a node

    def __deepcopy__(self, memo: dict[int, Any]) -> Columns:
        twin = object.__new__(Columns)
        memo[id(self)] = twin
        twin._free, twin._rows, twin.way_rows = self._free[:], self._rows[:], self.way_rows[:]
        twin.segments, twin.used, twin.count = self.segments.copy(), self.used, self.count
        twin.pages, twin.ways = deepcopy(self.pages, memo), deepcopy(self.ways, memo)
        twin.root = deepcopy(self.root, memo)
        twin._bind()
        return twin

    def slot_of(self, id_: int) -> int:
        """Return the slot of a node, NO_SLOT when there is none of that id."""
        return self.pages.slot_of(id_)

    def add_leaf(self, stated: Stated, parent: int) -> int:
        """Return the slot of a new first child of a node. Nobody holds it, whatever is told.

        What is no word is kept modulo 2**64.
        """
        at, id_, _, start, length, key, namespace, live, hit_count, priority, _, touched_at = stated
        free = self._free
        slot = free[-1] if free else self.used
        if slot == len(self.parent):
            self._grow(slot)
        first = self.first_child[parent]
        try:
            _TOLD.pack_into(
                self._rows, slot * _ROW_BYTES,
                id_, start, length, key, namespace, live, hit_count, priority, at, first,
            )  # fmt: skip
            PLACE.pack_into(self.way_rows, slot * WAY.size, parent, touched_at, length)
        except struct.error:
            return self.add_leaf(tuple(map(word, stated)), parent)
        page = self.pages[id_ >> SHIFT]
        if page is UNKNOWN:
            page = self.pages.open(id_)
        page[id_ & MASK] = slot
        page[COUNT] += 1
        if free:
            free.pop()
        else:
            self.used = slot + 1
        self.count += 1
        self.first_child[parent] = slot
        self.child_count[parent] += 1
        if first >= 0:
            self.previous_sibling[first] = slot
        return slot

    def way(self, slot: int) -> tuple[int, ...]:
        """Return what a node knows of its way up and of what is below it, in the order of WAY_FIELDS."""
        return WAY.unpack_from(self.way_rows, slot * WAY.size)

    def restate(self, slot: int, stated: Stated) -> None:
        """Say of a node what is told of it again, but for its parent and its receipts."""
        _, _, _, start, length, key, namespace, live, hit_count, priority, _, touched_at = map(word, stated)
        self.start[slot] = start
        self.length[slot] = length
        self.content_key[slot] = key
        self.namespace[slot] = namespace
        self.live[slot] = live
        self.hit_count[slot] = hit_count
        self.priority[slot] = priority
        self.raw_touched_at[slot] = touched_at

    def release(self, slot: int) -> None:
        """Forget a node that hangs nowhere any more; its slot may be the next one's."""
        self.pages.forget(self.id[slot])
        first, way = slot * len(FIELDS), slot * len(WAY_FIELDS)
        self._rows[first : first + len(FIELDS)] = _NEW_ROW
        self.way_rows[way : way + len(WAY_FIELDS)] = _NEW_WAY
        if self.segments:
            self.segments.pop(slot, None)
        self._free.append(slot)
        self.count -= 1

    def slots(self) -> Iterator[int]:
        """Yield the slots that have nodes, the root's first. No node may come or go meanwhile."""
        return (slot for slot, parent in enumerate(self.parent[: self.used]) if parent != FREE)

    def view(self, field: str) -> NDArray[Any]:
        """Return a field as numpy sees it, one entry a slot, true until the next record; only sums are copies."""
        import numpy as np

        if field == "hit_tokens":
            reused: NDArray[Any] = self.view("hits") * self.view("length") - self.view("unused_tokens")
            return reused
        column: Column = getattr(self, field)
        shown: NDArray[Any] = np.asarray(column.toreadonly())[: self.used]
        return shown

    @property
    def alive(self) -> NDArray[Any]:
        """Which slots have nodes, the root among them, as a mask for views."""
        mask: NDArray[Any] = self.view("parent") != FREE
        return mask

    @property
    def locks(self) -> Column:
        """The receipts held on each node or below."""
        self.ways.settle()
        return self.raw_locks

    @property
    def hits(self) -> Column:
        """How many requests reused each node."""
        self.ways.settle()
        return self.raw_hits

    def touched_at_of(self, slot: int) -> int:
        """Return when a node or one below it was used last; of a leaf, nothing is carried up for that."""
        if self.first_child[slot] >= 0:
            return self.touched_at[slot]
        note = self.ways.notes.get(slot)
        touched_at = self.raw_touched_at[slot]
        return touched_at if note is None else max(note[TOUCHED], touched_at)

    @property
    def touched_at(self) -> Column:
        """When each node or one below it was used last."""
        self.ways.settle()
        return self.raw_touched_at

    @property
    def height(self) -> Column:
        """The number of nodes on the longest way down, each node itself included."""
        self.ways.settle()
        return self.raw_height

    @property
    def subtree_tokens(self) -> Column:
        """The tokens of each node and of all below it."""
        self.ways.settle()
        return self.raw_subtree_tokens

    @property
    def subtree_nodes(self) -> Column:
        """How many nodes there are at and below each node."""
        self.ways.settle()
        return self.raw_subtree_nodes

    def _grow(self, more: int) -> None:
        """Make room for more slots in new arrays: those that are looked into cannot grow themselves."""
        self._rows = self._rows + _NEW_ROW * more
        self.way_rows = self.way_rows + _NEW_WAY * more
        self._bind()

    def _bind(self) -> None:
        """Make the columns of the rows."""
        for fields, rows in ((FIELDS, self._rows), (WAY_FIELDS, self.way_rows)):
            for number, name in enumerate(fields):
                setattr(self, name, memoryview(rows)[number :: len(fields)])
