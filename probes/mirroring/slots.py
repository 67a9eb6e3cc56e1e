"""Which slot of the columns a node has, by its id."""

from __future__ import annotations

from array import array

NO_SLOT = -1

SHIFT = 6
MASK = (1 << SHIFT) - 1
COUNT = MASK + 1
"""Behind the slots of a page is how many of them are known."""

UNKNOWN = array("i", [NO_SLOT]) * COUNT + array("i", [0])
"""The page of ids of which none is known."""


class Pages(dict[int, "array[int]"]):
    """The slots of all nodes: that of `id` is `pages[id >> SHIFT][id & MASK]`, NO_SLOT for an id without node.

    Caches count their nodes, so ids stand together and a page holds many of them. A dict of slots would need an entry
    and two integers for each, a hundred bytes, and find them in as many places of memory.
    """

    __slots__ = ()

    def __missing__(self, number: int) -> array[int]:
        return UNKNOWN

    def slot_of(self, id_: int) -> int:
        """Return the slot of a node, NO_SLOT when there is none of that id."""
        return self[id_ >> SHIFT][id_ & MASK]

    def open(self, id_: int) -> array[int]:
        """Return a new page for an id of which the page is UNKNOWN."""
        page = self[id_ >> SHIFT] = UNKNOWN[:]
        return page

    def forget(self, id_: int) -> None:
        """Drop a node that has a slot."""
        page = self[id_ >> SHIFT]
        page[id_ & MASK] = NO_SLOT
        page[COUNT] -= 1
        if not page[COUNT]:
            del self[id_ >> SHIFT]
