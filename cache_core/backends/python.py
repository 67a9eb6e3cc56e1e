"""The tree in plain Python, made to be fast: whole edges are compared at once, and counts are kept.

Children are found by the bytes of their first page, an edge is compared by one `bytes.startswith`, which is a memcmp
without a copy, and what a key was found to reach before is not compared again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from cache_core.backend import Backend, MakeHook, SplitHook, Walked
from cache_core.key import PLAIN, TOKEN_BYTES, Namespace, Parting, common_bytes
from cache_core.node import NO_CHILDREN, NO_SLOTS, Node

_new = object.__new__


class RadixTree(Backend):
    """The default tree. `_last_id` is the number of the newest node."""

    __slots__ = (
        "_last_id", "leaves", "make_hooks", "node_type", "nodes", "page_bytes", "root", "split_hooks", "unit_bytes",
    )  # fmt: skip

    root: Node
    nodes: int
    leaves: int
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

    def clear(self, node_type: type[Node]) -> None:
        """Forget every node; later ones are of `node_type`. Ids go on, so that no old node is taken for a new one."""
        self.node_type = node_type
        root = self.root = self._make()
        root.id = root.start = root.offset = root.hits = root.priority = root.access = root.created = 0
        root.parent = None
        root.children = NO_CHILDREN
        root.edge = b""
        root.values = NO_SLOTS
        root.namespace = PLAIN
        root.lock = 1
        self.nodes = 0
        self.leaves = 0

    def _make(self) -> Node:
        """Return a node with the fields that are the same for every new one."""
        node = _new(self.node_type)
        node.queued = False
        node.content_key = None
        for hook in self.make_hooks:
            hook(node)
        return node

    def walk(
        self, tokens: bytes, namespace: Namespace, limit: int, place: object = None, parting: Parting | None = None
    ) -> Walked:
        """Follow `tokens[:limit]` from the root and change nothing.

        A node's end and the tokens up to it never change while it is in the tree, so what is above `place` is not
        compared.
        """
        page_bytes = self.page_bytes
        node = root = self.root
        at = 0
        if type(place) is self.node_type and place.parent is not None:
            node = place
            unit_bytes = self.unit_bytes
            at = node.start * unit_bytes + len(node.edge)
            while at > limit:
                at = node.start * unit_bytes
                node = node.parent  # type: ignore[assignment]
        if at >= limit:
            return node, at, None, 0
        page = tokens[at : at + page_bytes]
        child = node.children.get(page if node is not root else namespace.prefix + page)
        if parting is not None and child is not None:
            edge, begin, asked, page_size, agreed = parting
            if edge is child.edge and begin == at and asked == limit and page_size == page_bytes:
                return node, at, child, agreed
        while child is not None:
            edge = child.edge
            end = at + len(edge)
            if end > limit or not tokens.startswith(edge, at):
                return node, at, child, common_bytes(edge, tokens, at, limit, page_bytes)
            node = child
            at = end
            if end == limit:
                break
            child = node.children.get(tokens[at : at + page_bytes])
        return node, at, None, 0

    def split(self, lower: Node, length: int) -> Node:
        """Cut the first `length` bytes of a node off into a new parent and return it; `lower` keeps its id."""
        parent = lower.parent
        edge = lower.edge
        assert parent is not None and 0 < length < len(edge), f"{length=} {len(edge)=}"
        units = length // self.unit_bytes
        upper = self._make()
        self._last_id = upper.id = self._last_id + 1
        upper.parent = parent
        upper.edge = edge[:length]
        upper.start = lower.start
        upper.values = lower.values
        upper.offset = lower.offset
        upper.namespace = lower.namespace
        upper.lock = lower.lock
        upper.hits = lower.hits
        upper.priority = lower.priority
        upper.access = lower.access
        upper.created = lower.created
        lower.edge = edge[length:]
        lower.start += units
        lower.offset += units
        lower.parent = upper
        upper.children = {lower.edge[: self.page_bytes]: lower}
        parent.children[self.child_key(upper)] = upper
        self.nodes += 1
        for hook in self.split_hooks:
            hook(upper, lower)
        return upper

    def attach(self, parent: Node, edge: bytes, values: array[int], offset: int, namespace: Namespace) -> Node:
        """Hang a new leaf below `parent` and return it."""
        node = _new(self.node_type)  # as `_make` does, in line: every insert of something new comes by here
        node.queued = False
        node.content_key = None
        self._last_id = node.id = self._last_id + 1
        node.parent = parent
        node.children = NO_CHILDREN
        node.edge = edge
        node.start = parent.start + len(parent.edge) // self.unit_bytes
        node.values = values
        node.offset = offset
        node.namespace = namespace
        node.lock = node.hits = node.priority = node.access = node.created = 0
        page = edge[: self.page_bytes]
        if parent is self.root:
            page = namespace.prefix + page
        children = parent.children
        if children is NO_CHILDREN:
            parent.children = {page: node}
            self.leaves += parent is self.root
        else:
            children[page] = node
            self.leaves += 1
        self.nodes += 1
        for hook in self.make_hooks:
            hook(node)
        return node

    def reattach(self, node: Node, parent: Node) -> None:
        """Put a node that hangs nowhere below `parent`."""
        node.parent = parent
        page = self.child_key(node)
        if parent.children is NO_CHILDREN:
            parent.children = {page: node}
            self.leaves += parent is self.root
        else:
            parent.children[page] = node
            self.leaves += 1
        self.nodes += 1

    def detach(self, node: Node) -> Node:
        """Take a leaf out of the tree and return its parent."""
        parent = node.parent
        assert parent is not None and not node.children, f"{node.id=} is no leaf"
        children = parent.children
        del children[self.child_key(node)]
        if children:
            self.leaves -= 1
        else:
            parent.children = NO_CHILDREN
            self.leaves -= parent is self.root
        node.parent = None
        self.nodes -= 1
        return parent

    def child_key(self, node: Node) -> bytes:
        """Return what a node is found by below its parent: its first page, and its namespace below the root."""
        page = node.edge[: self.page_bytes]
        return node.namespace.prefix + page if node.parent is self.root else page

    def descend(self) -> Iterator[Node]:
        """Yield every node but the root, parents first."""
        waiting, elsewhere = self.children_of(self.root), self.other_children
        while waiting:
            node = waiting.pop()
            yield node
            if node.children or elsewhere:
                waiting.extend(self.children_of(node))
