"""The content keys inside nodes, kept while the nodes are there."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from cache_core.events import NodeMarked
from probes.mirroring.node import MirrorNode
from probes.newest import forget_oldest

MOST_NODES = 1 << 16
"""Of so many nodes the keys are kept unless told, at about 300 bytes each; of more the oldest are forgotten."""


class Places(NamedTuple):
    """The position of the first key, the distance of the next ones, and the keys."""

    first: int
    step: int
    keys: array[int]


class Marks:
    """Knows by node the keys at positions in it. They stay with both parts of a node that is cut."""

    __slots__ = ("_most", "_places")

    def __init__(self, most: int = MOST_NODES) -> None:
        self._most = most
        self._places: dict[int, Places] = {}

    def told(self, record: NodeMarked) -> None:
        """Note the keys of a new node; such as no cache tells are left out."""
        if record.content_keys and record.step > 0:
            self._note(record.node, Places(record.first, record.step, array("q", record.content_keys)))

    def cut(self, lower: int, upper: int) -> None:
        """Note that a node was cut."""
        places = self._places.get(lower)
        if places is not None:
            self._note(upper, places)

    def inside(self, node: MirrorNode) -> array[int] | tuple[()]:
        """Return the keys at positions behind the node's start and before its end, ascending."""
        places = self._places.get(node.id)
        if places is None:
            return ()
        first, step, keys = places
        start = node.start
        return keys[max(0, (start - first) // step + 1) : max(0, -((first - start - node.length) // step))]

    def drop(self, node: int) -> None:
        """Forget a node that left."""
        self._places.pop(node, None)

    def clear(self) -> None:
        """Forget every node."""
        self._places.clear()

    def _note(self, node: int, places: Places) -> None:
        self._places[node] = places
        if len(self._places) > self._most:
            forget_oldest(self._places)
