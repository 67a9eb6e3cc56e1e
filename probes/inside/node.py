"""A node of the tree that an engine's KV events tell of: blocks in a row, each below the one before it."""

from __future__ import annotations

from collections.abc import Iterator

from probes.kv.wire import signed_word

Name = int | bytes | str
"""The hash of a block and of all before it, as its engine tells it; a text is in hexadecimal."""

ON_DEVICE, ON_HOST = 1, 2
"""Where a node's blocks are: bits of `where`. A node without any is there for those below it alone."""


class Node:
    """A node; `names` are its blocks. The root has the number 0, no blocks, and stays."""

    __slots__ = ("block_tokens", "children", "created_at", "id", "names", "namespace", "parent", "start", "where")

    def __init__(self, id_: int, parent: Node | None, names: list[Name], block_tokens: int, at: int) -> None:
        self.id = id_
        self.parent = parent
        self.names = names
        self.block_tokens = block_tokens
        self.created_at = at
        self.namespace = 0
        self.where = 0
        self.children: dict[int, Node] = {}
        self.start = 0
        if parent is not None:
            self.start = parent.start + parent.tokens
            parent.children[id_] = self

    @property
    def tokens(self) -> int:
        """How many tokens it has."""
        return len(self.names) * self.block_tokens

    @property
    def content_key(self) -> int:
        """Its last block's name as a word of a record; the same tokens in another namespace have another one."""
        return as_word(self.names[-1], self.namespace)

    def cut(self, upper: Node, count: int) -> None:
        """Give the first `count` blocks to a node that was just hung below this one's parent, and hang below it."""
        assert self.parent is not None and upper.parent is self.parent, f"{upper.id=} is not beside {self.id=}"
        upper.names = self.names[:count]
        upper.where, upper.namespace = self.where, self.namespace
        self.names = self.names[count:]
        del self.parent.children[self.id]
        self.parent, self.start = upper, upper.start + upper.tokens
        upper.children[self.id] = self

    def below(self) -> Iterator[Node]:
        """Walk over all nodes below, parents first, also while they change: who is gone by then is left out."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            for child in list(node.children.values()):
                if child.parent is not None and child.id in child.parent.children:
                    yield child
                    waiting.append(child)


def as_word(name: Name, namespace: int) -> int:
    """Return a name as a signed word, mixed with the number of a namespace."""
    if isinstance(name, int):
        number = name
    else:
        number = int.from_bytes(name[:8], "big") if isinstance(name, bytes) else int(name[:16], 16)
    return signed_word((number ^ namespace * _ODD) & _WORD)


_ODD = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
