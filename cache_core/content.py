"""Content keys: what names a prefix the same way in every process, however the tree is cut."""

from __future__ import annotations

from hashlib import blake2b
from struct import Struct

from cache_core.events import MARK_TOKENS, MOST_MARKS
from cache_core.node import Node

REMEMBERED = 4096
"""How many running hashes are kept; past this the older half is dropped."""

_KEY = Struct("<q")


class ContentKeys:
    """Computes the 64-bit blake2b (RFC 7693) of a node's namespace and of all tokens from the root to the node's end.

    It is one running hash: a node's state is a copy of its parent's with the edge added, so a new leaf costs its
    own edge. States of the last REMEMBERED nodes are kept; the rest are recomputed from above.
    """

    __slots__ = ("_root", "_states")

    def __init__(self, root: Node) -> None:
        self._root = root
        self._states: dict[int, blake2b] = {}

    def of(self, node: Node) -> int:
        """Return the content key of a node in the tree, as a signed integer."""
        if node.content_key is None:
            self._state(node)
            assert node.content_key is not None
        return node.content_key

    def marks(self, node: Node) -> tuple[int, int, list[int]]:
        """Return the first mark inside a new node, their distance, and their keys; compute its own on the way."""
        parent, edge, unit = node.parent, node.edge, node.unit_bytes
        assert parent is not None
        state = self._beginning(node) if parent is self._root else self._state(parent).copy()
        step = MARK_TOKENS
        while node.length > step * MOST_MARKS:
            step *= 2
        first = node.start - node.start % step + step
        keys: list[int] = []
        done = 0
        update, digest = state.update, state.digest
        for reached in range((first - node.start) * unit, len(edge), step * unit):
            update(edge[done:reached])
            done = reached
            keys += _KEY.unpack(digest())
        update(edge[done:] if done else edge)
        self._remember(node, state)
        return first, step, keys

    def _beginning(self, node: Node) -> blake2b:
        """Return the hash before the first token of a node's key."""
        return blake2b(node.namespace.prefix, digest_size=8)

    def _state(self, node: Node) -> blake2b:
        states = self._states
        missing = []
        above = node
        while above is not self._root and above.id not in states:
            missing.append(above)
            assert above.parent is not None
            above = above.parent
        state = self._beginning(node) if above is self._root else states[above.id]
        for step in reversed(missing):
            state = state.copy()
            state.update(step.edge)
            self._remember(step, state)
        return state

    def _remember(self, node: Node, state: blake2b) -> None:
        (node.content_key,) = _KEY.unpack(state.digest())
        self._keep(node, state)

    def _keep(self, node: Node, state: blake2b) -> None:
        states = self._states
        states[node.id] = state
        if len(states) > REMEMBERED:
            for stale in list(states)[: len(states) - REMEMBERED // 2]:
                del states[stale]


class TokenKeys(ContentKeys):
    """Computes the keys that the tokens of nodes would have without their namespace, as the same running hash."""

    __slots__ = ()

    def inside_and_end(self, node: Node) -> tuple[int, int, list[int]]:
        """Return the first mark inside a new node, their distance, and their keys; behind them that of its end."""
        first, step, keys = self.marks(node)
        keys += _KEY.unpack(self._states[node.id].digest())
        return first, step, keys

    def _beginning(self, node: Node) -> blake2b:
        return blake2b(digest_size=8)

    def _remember(self, node: Node, state: blake2b) -> None:
        self._keep(node, state)
