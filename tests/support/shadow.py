"""What was written to each slot, so that a slot in the wrong place is caught by its content.

Content is the whole prefix: a position's number stands for its namespace and all tokens up to it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from cache_core import PrefixCache, Request
from cache_core.node import Node
from cache_core.view import window_peers
from tests.support.naive_tree import Namespace, Tokens
from tests.support.observe import Row


class Shadow:
    """A copy of the KV pools that holds content numbers."""

    def __init__(self, cache: PrefixCache) -> None:
        self.cache = cache
        self.full: dict[int, int] = {}
        self.window: dict[int, int] = {}
        self._numbers: dict[tuple[object, int], int] = {}
        self._known: dict[tuple[Namespace, Tokens], list[int]] = {}

    def content(self, tokens: Tokens, space: Namespace) -> list[int]:
        """Return the content number of each position."""
        known = self._known.get((space, tokens))
        if known is None:
            known = []
            above: object = ("namespace", space)
            for token in tokens:
                above = self._numbers.setdefault((above, token), len(self._numbers))
                known.append(above)
            self._known[space, tokens] = known
        return known

    def write(self, slots: Iterable[int], tokens: Tokens, space: Namespace, start: int = 0) -> None:
        """Compute positions from `start` on into `slots`, and into their window peers where they have one."""
        slots = array("i", slots)
        for slot, peer, number in zip(slots, self.peers(slots), self.content(tokens, space)[start:], strict=False):
            self.full[slot] = number
            self.window[peer] = number

    def fill(self, request: Request, tokens: Tokens, space: Namespace, start: int) -> None:
        """Compute a request's positions from `start` on."""
        self.write(request.row()[start:], tokens, space, start)

    def peers(self, slots: array[int]) -> array[int]:
        """Return the window peer of each slot, 0 for none."""
        known = window_peers(self.cache)
        return array("i", [known.get(slot, 0) for slot in slots])

    def verify(self, slots: array[int], tokens: Tokens, space: Namespace, start: int = 0) -> None:
        """Assert that `slots` hold the positions from `start` on, each in a slot of its own."""
        assert len(set(slots)) == len(slots) and 0 not in slots
        expected = self.content(tokens, space)[start : start + len(slots)]
        assert [self.full.get(slot) for slot in slots] == expected

    def verify_window(self, slots: array[int], tokens: Tokens, space: Namespace, start: int = 0) -> None:
        """Assert that window slots hold the positions from `start` on; 0 holds none."""
        expected = self.content(tokens, space)[start : start + len(slots)]
        assert all(not slot or self.window.get(slot) == number for slot, number in zip(slots, expected, strict=True))

    def verify_node(self, node: Node, row: Row) -> None:
        """Assert that a node's slots hold its tokens, and that its window peers are all there or all gone."""
        space = row.namespace[0]
        slots = node.slots()
        self.verify(slots, row.key, space, row.start)
        if self.cache.window is not None:
            peers = self.peers(slots)
            self.verify_window(peers, row.key, space, row.start)
            assert all(peers) if row.live else not any(peers)
