"""The tree of the naive model: nodes, cutting, and the plain walks over them.

Lists and recursion only. Nothing is cached: whatever a caller asks for is computed from the nodes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Tokens = tuple[int, ...]
Namespace = object


@dataclass(eq=False)
class Node:
    """A run of whole pages below `parent`; its Full data is always present, its SWA data only while `live`."""

    tokens: Tokens
    parent: Node | None
    children: list[Node] = field(default_factory=list)
    live: bool = False
    full_lock: int = 0
    swa_lock: int = 0
    hits: int = 0
    priority: int = 0
    access: int = 0
    created: int = 0
    mark: object | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    def __bool__(self) -> bool:
        return True

    @property
    def path(self) -> list[Node]:
        """The nodes from this one up to, and without, the root."""
        node, found = self, []
        while node.parent is not None:
            found.append(node)
            node = node.parent
        return found

    @property
    def end(self) -> int:
        """The position in the key at which this node ends."""
        return sum(len(node) for node in self.path)

    @property
    def key(self) -> Tokens:
        """All tokens from the root to the end of this node."""
        return tuple(token for node in reversed(self.path) for token in node.tokens)


def below(node: Node) -> Iterator[Node]:
    """Yield every node under `node`, parents first."""
    for child in node.children:
        yield child
        yield from below(child)


def child_for(node: Node, rest: Tokens, page: int) -> tuple[Node, int] | None:
    """Return the child that shares the first page of `rest` and the length, in whole pages, that it shares."""
    for child in node.children:
        if len(rest) >= page and child.tokens[:page] == rest[:page]:
            shared = 0
            while child.tokens[shared : shared + page] == rest[shared : shared + page] and shared < len(child):
                shared += page
            return child, shared
    return None


def cut(node: Node, at: int) -> Node:
    """Give the first `at` tokens of `node` to a new parent and return that parent; `node` keeps the rest.

    Locks, liveness, hits, priority and both times are copied; a lock boundary mark moves up.
    """
    assert 0 < at < len(node)
    upper = Node(
        tokens=node.tokens[:at],
        parent=node.parent,
        children=[node],
        live=node.live,
        full_lock=node.full_lock,
        swa_lock=node.swa_lock,
        hits=node.hits,
        priority=node.priority,
        access=node.access,
        created=node.created,
        mark=node.mark,
    )
    assert node.parent is not None
    node.parent.children[node.parent.children.index(node)] = upper
    node.tokens, node.parent, node.mark = node.tokens[at:], upper, None
    return upper
