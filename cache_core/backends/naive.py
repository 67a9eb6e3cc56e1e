"""The tree as one would explain it: slow, and without anything to get wrong.

Children are looked at one by one, units are compared one by one, every walk starts at the root, and nodes are counted
when somebody asks. What the fast tree says is right when this one says the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from cache_core.backend import Backend, MakeHook, SplitHook, Walked
from cache_core.key import PLAIN, TOKEN_BYTES, Namespace, Parting
from cache_core.node import NO_SLOTS, Node


class NaiveTree(Backend):
    """The tree to compare others with."""

    __slots__ = ("_last_id", "make_hooks", "node_type", "page_bytes", "root", "split_hooks", "unit_bytes")

    root: Node
    unit_bytes: int
    page_bytes: int
    make_hooks: tuple[MakeHook, ...]

    def __init__(
        self,
        page_size: int,
        node_type: type[Node],
        make_hooks: tuple[MakeHook, ...] = (),
        split_hooks: tuple[SplitHook, ...] = (),
        unit_bytes: int = TOKEN_BYTES,
    ) -> None:
        self.other_children = ()
        self.unit_bytes = unit_bytes
        self.page_bytes = page_size * unit_bytes
        self.make_hooks = make_hooks
        self.split_hooks = split_hooks
        self._last_id = 0
        self.clear(node_type)

    @property
    def nodes(self) -> int:
        """How many nodes hang in `children`."""
        return sum(self._hangs(node) for node in self.descend())

    @property
    def leaves(self) -> int:
        """How many of them have none there."""
        return sum(self._hangs(node) and not node.children for node in self.descend())

    def _hangs(self, node: Node) -> bool:
        assert node.parent is not None
        return node in node.parent.children.values()

    def clear(self, node_type: type[Node]) -> None:
        """Forget every node; later ones are of `node_type`."""
        self.node_type = node_type
        self.root = self._make(0, b"", NO_SLOTS, PLAIN)
        self.root.lock = 1

    def walk(
        self, tokens: bytes, namespace: Namespace, limit: int, place: object = None, parting: Parting | None = None
    ) -> Walked:
        """Follow `tokens[:limit]` from the root, whatever the place."""
        node, at = self.root, 0
        while at < limit:
            for child in node.children.values():
                agreed = self._agreed(child, tokens, at, limit)
                if agreed and (at or child.namespace.prefix == namespace.prefix):
                    break
            else:
                break
            if agreed < len(child.edge):
                return node, at, child, agreed
            node, at = child, at + agreed
        return node, at, None, 0

    def _agreed(self, node: Node, tokens: bytes, at: int, limit: int) -> int:
        """Return how many bytes of a node's edge are those of `tokens[at:limit]`, in whole pages."""
        unit, agreed = self.unit_bytes, 0
        most = min(len(node.edge), limit - at)
        while agreed < most and node.edge[agreed : agreed + unit] == tokens[at + agreed : at + agreed + unit]:
            agreed += unit
        return agreed - agreed % self.page_bytes

    def split(self, lower: Node, length: int) -> Node:
        """Cut the first `length` bytes of a node off into a new parent and return it."""
        parent, edge = lower.parent, lower.edge
        assert parent is not None and 0 < length < len(edge), f"{length=} {len(edge)=}"
        upper = self._make(self._next_id(), edge[:length], lower.values, lower.namespace)
        for name in ("start", "offset", "lock", "hits", "priority", "access", "created"):
            setattr(upper, name, getattr(lower, name))
        upper.parent = parent
        parent.children[self.child_key(upper)] = upper
        lower.edge = edge[length:]
        lower.start += length // self.unit_bytes
        lower.offset += length // self.unit_bytes
        lower.parent = upper
        upper.children[self.child_key(lower)] = lower
        for hook in self.split_hooks:
            hook(upper, lower)
        return upper

    def attach(self, parent: Node, edge: bytes, values: array[int], offset: int, namespace: Namespace) -> Node:
        """Hang a new leaf below `parent` and return it."""
        node = self._make(self._next_id(), edge, values, namespace)
        node.start = parent.end
        node.offset = offset
        self.reattach(node, parent)
        return node

    def reattach(self, node: Node, parent: Node) -> None:
        """Put a node that hangs nowhere below `parent`."""
        node.parent = parent
        parent.children[self.child_key(node)] = node

    def detach(self, node: Node) -> Node:
        """Take a leaf out of the tree and return its parent."""
        parent = node.parent
        assert parent is not None and not node.children, f"{node.id=} is no leaf"
        for key, child in [*parent.children.items()]:
            if child is node:
                del parent.children[key]
        node.parent = None
        return parent

    def child_key(self, node: Node) -> bytes:
        """Return a node's first page, after its namespace below the root."""
        page = node.edge[: self.page_bytes]
        return node.namespace.prefix + page if node.parent is self.root else page

    def descend(self) -> Iterator[Node]:
        """Yield every node but the root, level by level."""
        level, elsewhere = self.children_of(self.root), self.other_children
        while level:
            yield from level
            level = [child for node in level if node.children or elsewhere for child in self.children_of(node)]

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def _make(self, id_: int, edge: bytes, values: array[int], namespace: Namespace) -> Node:
        """Return a node that hangs nowhere yet."""
        node = object.__new__(self.node_type)
        node.id = id_
        node.parent = None
        node.children = {}
        node.edge, node.values, node.namespace = edge, values, namespace
        node.start = node.offset = node.lock = node.hits = node.priority = node.access = node.created = 0
        node.queued = False
        node.content_key = None
        for hook in self.make_hooks:
            hook(node)
        return node
