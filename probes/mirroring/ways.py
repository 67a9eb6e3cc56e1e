"""What changes on the whole way from a node to the root, carried up when somebody looks.

    root  <-  a  <-  b  <-  c        three requests that reused c, a lock of c, a node added below b: one note at c
                       <-  d         and one at b, which `settle` carries to a once, however many there were

A record notes it at the node where its way begins, in constant time. Many ways share their upper parts, so carrying
the notes of a batch visits fewer nodes than following each way, and a chain that a forged stream makes ever deeper
is followed once a batch.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from probes.mirroring.words import word

if TYPE_CHECKING:
    from probes.mirroring.columns import Columns

LOCKS, TOKENS, NODES, PASSED, TOUCHED, GROWN, LOST = range(7)
"""The entries of a note: receipts, tokens and nodes more or fewer; requests that reused the node and all above it;
the newest use; the least height that a new child asks for; the greatest height of a child that left or shrank."""

MOST_NOTES = 4096
"""With so many notes waiting they are carried up, whether somebody looks or not."""

WAY_FIELDS = (
    "parent", "raw_touched_at", "raw_subtree_tokens", "raw_subtree_nodes", "raw_hits", "raw_locks", "raw_height",
    "first_child",
)  # fmt: skip
"""What a node knows of its way up and of what is below it, in the order of its row."""

WAY = struct.Struct(f"{len(WAY_FIELDS)}q")
PLACE = struct.Struct("3q")
CARRIED = struct.Struct("5q")
CARRIED_BYTE = 8
"""A row, the first fields of one, and those from the second on, which are carried up together."""

_NEVER = -(1 << 63)

Note = list[int]


class Ways:
    """The notes that wait, by slot, and how they are carried up the `parent` links of the columns."""

    __slots__ = ("_columns", "notes")

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self.notes: dict[int, Note] = {}

    def note(self, slot: int) -> Note:
        """Return the note at a slot, to be changed before another one is asked for."""
        note = self.notes.get(slot)
        if note is None:
            if len(self.notes) >= MOST_NOTES:
                self.settle()
            note = self.notes[slot] = [0, 0, 0, 0, _NEVER, 0, 0]
        return note

    def leave(self, slot: int, heir: Note) -> None:
        """Drop the note of a node that is gone; what it says of the nodes above is now said by `heir`."""
        note = self.notes.pop(slot, None)
        if note is not None:
            heir[PASSED] += note[PASSED]
            heir[TOUCHED] = max(heir[TOUCHED], note[TOUCHED])

    def settle(self) -> None:
        """Carry every note up to the root."""
        if not self.notes:
            return
        parent = self._columns.parent
        ways: list[list[int]] = []
        seen: set[int] = set()
        see = seen.add
        for slot in self.notes:
            if slot in seen:
                continue
            way = []
            while slot >= 0 and slot not in seen:
                see(slot)
                way.append(slot)
                slot = parent[slot]
            ways.append(way)
        ways.reverse()  # each ends below a node of one that was found before
        self._carry(ways)
        self.notes.clear()

    def _carry(self, ways: list[list[int]]) -> None:
        """Carry what waits on each way to its upper end, and leave the sum in the note of the node above that."""
        columns, notes = self._columns, self.notes
        rows, parent = columns.way_rows, columns.parent
        waiting, read, write, size = notes.get, CARRIED.unpack_from, CARRIED.pack_into, WAY.size
        for way in ways:
            locks = tokens = nodes = passed = grown = lost = 0
            touched = _NEVER
            for slot in way:
                note = waiting(slot)
                if note is not None:
                    more_locks, more_tokens, more_nodes, more_passed, at, asked, left = note
                    locks += more_locks
                    tokens += more_tokens
                    nodes += more_nodes
                    passed += more_passed
                    if at > touched:
                        touched = at
                    if asked > grown:
                        grown = asked
                    if left > lost:
                        lost = left
                if grown or lost:
                    grown, lost = self._resize(slot, grown, lost)
                place = slot * size + CARRIED_BYTE
                used_at, all_tokens, all_nodes, hits, locked = read(rows, place)
                if used_at < touched:
                    used_at = touched
                try:
                    write(rows, place, used_at, all_tokens + tokens, all_nodes + nodes, hits + passed, locked + locks)
                except struct.error:
                    all_tokens, locked = word(all_tokens + tokens), word(locked + locks)
                    write(rows, place, used_at, all_tokens, all_nodes + nodes, hits + passed, locked)
            above = parent[slot]
            if above < 0:
                columns.raw_hits[slot] = columns.raw_locks[slot] = 0  # the root is nobody's
                continue
            note = waiting(above)
            if note is None:
                notes[above] = [locks, tokens, nodes, passed, touched, grown, lost]
                continue
            note[LOCKS] += locks
            note[TOKENS] += tokens
            note[NODES] += nodes
            note[PASSED] += passed
            if touched > note[TOUCHED]:
                note[TOUCHED] = touched
            if grown > note[GROWN]:
                note[GROWN] = grown
            if lost > note[LOST]:
                note[LOST] = lost

    def _resize(self, slot: int, grown: int, lost: int) -> tuple[int, int]:
        """Correct the height of a node, and return what the one above must know of that."""
        columns = self._columns
        before = columns.raw_height[slot]
        now = grown if grown > before else before
        if lost + 1 >= now:
            now = self._tallest(columns.first_child[slot], now - 1) + 1
        if now == before:
            return 0, 0
        columns.raw_height[slot] = now
        return (now + 1, 0) if now > before else (0, before)

    def _tallest(self, child: int, most: int) -> int:
        """Return the height of the tallest among a child and its next siblings; none is taller than `most`."""
        height, next_sibling = self._columns.raw_height, self._columns.next_sibling
        tallest = 0
        while child >= 0 and tallest < most:
            tallest = max(tallest, height[child])
            child = next_sibling[child]
        return tallest
