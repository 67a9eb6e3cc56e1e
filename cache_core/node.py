"""A node of the radix tree: an edge of whole pages, the slots that hold it, and what orders it for eviction."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import ClassVar, Self

from cache_core.key import TOKEN_BYTES, Namespace

NO_CHILDREN: dict[bytes, Node] = {}
"""The children of every leaf, so that a leaf pays for no dict; never written to."""

NO_SLOTS = array("i")
"""The slots of a node that has none on the device, known by being this very array: see `Node.is_away`."""


class Node:
    """One node. A cache derives its own class that adds the fields of its components (`node_class`).

    `values[offset : offset + length]` are the Full slots of the edge: a view, so that a split copies nothing.
    `lock` counts the receipts held at or below the node. A node that has left the tree has no parent. The tree makes
    nodes and sets every field: there is no constructor, which would set them twice.
    """

    __slots__ = (
        "access", "children", "content_key", "created", "edge", "hits", "id", "lock", "namespace", "offset",
        "parent", "priority", "queued", "start", "values",
    )  # fmt: skip

    unit_bytes: ClassVar[int] = TOKEN_BYTES
    """Bytes of one position of an edge: a token, or a pair of tokens."""

    arrays: ClassVar[tuple[str, ...]] = ("values",)
    """The fields that hold slots by position, all from the same `offset` on."""

    id: int
    parent: Node | None
    children: dict[bytes, Node]
    edge: bytes
    start: int
    values: array[int]
    offset: int
    namespace: Namespace
    lock: int
    hits: int
    priority: int
    access: int
    created: int
    queued: bool
    content_key: int | None

    @property
    def length(self) -> int:
        """Positions on the edge."""
        return len(self.edge) // self.unit_bytes

    @property
    def end(self) -> int:
        """Position after the last one of the edge."""
        return self.start + len(self.edge) // self.unit_bytes

    @property
    def depth(self) -> int:
        """How many nodes there are from below the root down to this one; climbs them."""
        depth = 0
        while self.parent is not None:
            depth += 1
            self = self.parent
        return depth

    @property
    def is_away(self) -> bool:
        """Whether the node, which is not the root, has no Full slots on the device."""
        return self.values is NO_SLOTS

    @property
    def is_evictable(self) -> bool:
        """Whether this is an evictable leaf: in the tree and on the device, with nothing below it there, not locked.

        Locks, inserts and the victim queue ask in line what is not certain there: a call would be felt.
        """
        return not self.children and not self.lock and self.values is not NO_SLOTS and self.parent is not None

    def upward(self) -> Iterator[Self]:
        """Yield the node and everything above it but the root."""
        node = self
        while node.parent is not None:
            yield node
            node = node.parent  # type: ignore[assignment]

    def slots(self) -> array[int]:
        """Return the Full slots of the edge, a copy."""
        return self.values[self.offset : self.offset + len(self.edge) // self.unit_bytes]

    def own_slots(self) -> None:
        """Stop sharing slot arrays with the nodes this one was cut from or with, so that theirs can go."""
        begin, end = self.offset, self.offset + self.length
        for name in self.arrays:
            values = getattr(self, name)
            if values is not None:
                setattr(self, name, values[begin:end])
        self.offset = 0


def node_class(fields: tuple[str, ...], arrays: tuple[str, ...] = (), unit_bytes: int = TOKEN_BYTES) -> type[Node]:
    """Return a node type with the given extra fields: a component's state costs one slot, not an object."""
    named = {"__slots__": fields, "arrays": (*Node.arrays, *arrays), "unit_bytes": unit_bytes}
    return type("CacheNode", (Node,), named)
