"""The radix tree: walk, split, attach, detach. It knows no slot pool, no lock rule and no policy.

A compressed trie (Morrison 1968) over token ids, as RadixAttention keeps one (Zheng et al. 2024, arXiv 2312.07104).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from cache_core.key import TOKEN_BYTES, Namespace, common_bytes
from cache_core.node import NO_CHILDREN, Node

SplitHook = Callable[[Node, Node], None]
"""Called with (upper, lower) once a node was split."""


class RadixTree:
    """Nodes below one root; namespaces are disjoint because their first child keys are.

    Lengths and positions inside the walk are bytes of packed units, always whole pages.
    """

    __slots__ = ("_last_id", "leaves", "make_node", "nodes", "page_bytes", "root", "split_hooks", "unit_bytes")

    def __init__(
        self,
        page_size: int,
        make_node: Callable[[], Node],
        split_hooks: tuple[SplitHook, ...],
        unit_bytes: int = TOKEN_BYTES,
    ) -> None:
        self.unit_bytes = unit_bytes
        self.page_bytes = page_size * unit_bytes
        self.make_node = make_node
        self.split_hooks = split_hooks
        self._last_id = 0
        self.clear()

    def clear(self) -> None:
        """Forget every node. Ids go on, so that a node of before is never taken for one of after."""
        self.root = self.make_node()
        self.root.lock = 1
        self.nodes = 0
        self.leaves = 0

    def walk(self, tokens: bytes, namespace: Namespace, limit: int) -> tuple[list[Node], int, Node | None, int]:
        """Follow `tokens[:limit]` from the root and change nothing.

        Returns the wholly matched nodes, the bytes they cover, and, where the walk ends inside an edge, the node
        of that edge and how many of its bytes agree.
        """
        path: list[Node] = []
        if limit <= 0:
            return path, 0, None, 0
        page_bytes = self.page_bytes
        child = self.root.children.get(namespace.prefix + tokens[:page_bytes])
        at = 0
        while child is not None:
            edge = child.edge
            end = at + len(edge)
            if end > limit or not tokens.startswith(edge, at):
                return path, at, child, common_bytes(edge, tokens, at, limit, page_bytes)
            path.append(child)
            if end == limit:
                return path, end, None, 0
            at = end
            child = child.children.get(tokens[at : at + page_bytes])
        return path, at, None, 0

    def split(self, lower: Node, length: int) -> Node:
        """Cut the first `length` bytes of a node off into a new parent and return it; `lower` keeps its id."""
        parent = lower.parent
        assert parent is not None and 0 < length < len(lower.edge), f"{length=} {len(lower.edge)=}"
        units = length // self.unit_bytes
        upper = self.make_node()
        self._last_id = upper.id = self._last_id + 1
        upper.parent = parent
        edge = lower.edge
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
        node = self.make_node()
        self._last_id = node.id = self._last_id + 1
        node.parent = parent
        node.edge = edge
        node.start = parent.start + len(parent.edge) // self.unit_bytes
        node.values = values
        node.offset = offset
        node.namespace = namespace
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
        return node

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
        waiting = list(self.root.children.values())
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(node.children.values())
