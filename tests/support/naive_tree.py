"""The tree of the naive model: nodes, cutting, and the plain walks over them.

Lists only. Nothing is cached: whatever a caller asks for is computed from the nodes again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

Unit = int | tuple[int, int]
"""What a tree counts: a token, or with bigram keys a token and the one behind it."""

Tokens = tuple[int, ...]
Units = tuple[Unit, ...]
Namespace = object


@dataclass(eq=False)
class Node:
    """A run of whole pages below `parent`, and what is stored for it on the device and on the host.

    Full and window data cover the run; the Mamba state is that after its last unit. On the device `full`, `live`
    and `state`, on the host `host_full`, `host_live` and `host_state`.
    """

    tokens: Units
    parent: Node | None
    children: list[Node] = field(default_factory=list)
    full: bool = True
    live: bool = False
    state: bool = False
    host_full: bool = False
    host_live: bool = False
    host_state: bool = False
    full_lock: int = 0
    swa_lock: int = 0
    state_lock: int = 0
    host_lock: int = 0
    hits: int = 0
    priority: int = 0
    access: int = 0
    created: int = 0
    high_water: int = 0
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
    def key(self) -> Units:
        """All units from the root to the end of this node."""
        return tuple(chain.from_iterable(node.tokens for node in reversed(self.path)))

    @property
    def is_device_leaf(self) -> bool:
        """Full data on the device, none below, and nobody holds anything."""
        held = self.full_lock or self.swa_lock or self.state_lock
        return self.full and not held and not any(child.full for child in self.children)


def below(node: Node) -> Iterator[Node]:
    """Yield every node under `node`, parents first."""
    waiting = node.children[::-1]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(found.children))


def child_for(node: Node, rest: Units, page: int) -> tuple[Node, int] | None:
    """Return the child that shares the first page of `rest` and the length, in whole pages, that it shares."""
    for child in node.children:
        if len(rest) >= page and child.tokens[:page] == rest[:page]:
            shared = 0
            while child.tokens[shared : shared + page] == rest[shared : shared + page] and shared < len(child):
                shared += page
            return child, shared
    return None


def cut(node: Node, at: int) -> Node:
    """Give the first `at` units of `node` to a new parent and return that parent; `node` keeps the rest.

    What is stored, the locks on it, hits, priority and both times are copied, except the state and its lock, which
    belong to the end of `node`. So is how far the branch ever reached. A lock boundary mark moves up.
    """
    assert 0 < at < len(node)
    upper = Node(
        tokens=node.tokens[:at],
        parent=node.parent,
        children=[node],
        full=node.full,
        live=node.live,
        host_full=node.host_full,
        host_live=node.host_live,
        full_lock=node.full_lock,
        swa_lock=node.swa_lock,
        host_lock=node.host_lock,
        hits=node.hits,
        priority=node.priority,
        access=node.access,
        created=node.created,
        high_water=node.high_water,
        mark=node.mark,
    )
    assert node.parent is not None
    node.parent.children[node.parent.children.index(node)] = upper
    node.tokens, node.parent, node.mark = node.tokens[at:], upper, None
    return upper
