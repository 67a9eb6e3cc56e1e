"""The contract of the tree that a cache keeps its nodes in, and the table of its implementations.

A compressed trie (Morrison 1968) over packed units, as RadixAttention keeps one (Zheng et al. 2024,
arXiv 2312.07104). It knows no slot pool, no lock rule and no policy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterator

from cache_core.key import TOKEN_BYTES, Namespace, Parting
from cache_core.node import Node
from cache_core.registry import Registry

SplitHook = Callable[[Node, Node], None]
"""Called with (upper, lower) once a node was split."""

MakeHook = Callable[[Node], None]
"""Called with each new node, before it is anybody's."""

Walked = tuple[Node, int, Node | None, int]
"""Where a walk ended: the last node that was wholly matched, or the root; the bytes up to its end; and, where it
ended inside an edge, the node of that edge and how many of its bytes agree, in whole pages."""


class Backend(ABC):
    """Nodes below one root; namespaces are disjoint because the keys of the root's children start with theirs.

    Lengths and positions of a walk are bytes of packed units, always whole pages. Nodes are of `node_type` and found
    by their parent's `children`, a mapping from `child_key` in the order in which they came; their ids count up from
    1 as they are made. Two backends given the same calls have the same nodes with the same ids: a cache works alike
    on each. Everything here must be there: a class that lacks any of it cannot be instantiated.
    """

    __slots__ = ("other_children",)

    other_children: tuple[str, ...]
    """Fields of nodes beside `children` that have children, found by the same keys: their owner hangs them there.
    Walks and counts leave these out. None until somebody names them."""

    @abstractmethod
    def __init__(
        self,
        page_size: int,
        node_type: type[Node],
        make_hooks: tuple[MakeHook, ...] = (),
        split_hooks: tuple[SplitHook, ...] = (),
        unit_bytes: int = TOKEN_BYTES,
    ) -> None:
        """Start empty. Pages are `page_size` units of `unit_bytes` each; hooks are called in their order."""

    @property
    @abstractmethod
    def root(self) -> Node:
        """The one node without an edge and without a parent; id 0, and a lock that nobody gives back."""

    @property
    @abstractmethod
    def nodes(self) -> int:
        """How many nodes hang in `children`."""

    @property
    @abstractmethod
    def leaves(self) -> int:
        """How many of them have none there."""

    @property
    @abstractmethod
    def unit_bytes(self) -> int:
        """Bytes of one position: a token, or a pair of tokens."""

    @property
    @abstractmethod
    def page_bytes(self) -> int:
        """Bytes of one page."""

    @property
    @abstractmethod
    def make_hooks(self) -> tuple[MakeHook, ...]:
        """What is called with each new node, the root included."""

    @abstractmethod
    def clear(self, node_type: type[Node]) -> None:
        """Forget every node; later ones are of `node_type`. Ids go on, so that no old node is taken for a new one."""

    @abstractmethod
    def walk(
        self, tokens: bytes, namespace: Namespace, limit: int, place: object = None, parting: Parting | None = None
    ) -> Walked:
        """Follow `tokens[:limit]` from the root and change nothing.

        `place` may be a node that these tokens were found to reach before, so that a backend may start from there;
        it may have left the tree since, or be of another cache. `parting` may say how they parted from an edge then.
        """

    @abstractmethod
    def split(self, lower: Node, length: int) -> Node:
        """Cut the first `length` bytes of a node off into a new parent and return it; `lower` keeps its id.

        The two share `values` from different offsets on; the upper part gets the lower's lock, hits, priority and
        ages. Split hooks are called once both are in place.
        """

    @abstractmethod
    def attach(self, parent: Node, edge: bytes, values: array[int], offset: int, namespace: Namespace) -> Node:
        """Hang a new leaf below `parent` and return it; its slots are `values` from `offset` on."""

    @abstractmethod
    def reattach(self, node: Node, parent: Node) -> None:
        """Put a node of this tree that hangs nowhere below `parent`, as a child like others."""

    @abstractmethod
    def detach(self, node: Node) -> Node:
        """Take a leaf out of the tree and return its parent; the leaf then has none."""

    @abstractmethod
    def child_key(self, node: Node) -> bytes:
        """Return what a node is found by below its parent: its first page, and its namespace below the root."""

    @abstractmethod
    def descend(self) -> Iterator[Node]:
        """Yield every node but the root, parents first, wherever they hang."""

    def children_of(self, node: Node) -> list[Node]:
        """Return the children of a node, wherever they hang."""
        children = list(node.children.values())
        for name in self.other_children:
            children.extend(getattr(node, name).values())
        return children

    def finds(self, node: Node) -> bool:
        """Say whether a node is where its first page says, below its parent."""
        assert node.parent is not None
        key = self.child_key(node)
        links = [node.parent.children, *(getattr(node.parent, name) for name in self.other_children)]
        return [found.get(key) for found in links if key in found] == [node]


BACKENDS: Registry[type[Backend]] = Registry(
    "backend",
    {
        "python": "cache_core.backends.python:RadixTree",
        "naive": "cache_core.backends.naive:NaiveTree",
    },
)
