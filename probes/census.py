"""Counts of a tree's nodes and tokens, kept while it changes."""

from __future__ import annotations


class Census:
    """Nodes and tokens by which components are live, so that no figure needs a walk.

    A node with `live` bits 0b01 has the first component's data alone. Caches have a handful of components, hence a
    handful of masks.
    """

    __slots__ = ("_by_live", "nodes", "tokens")

    def __init__(self) -> None:
        self.nodes = 0
        self.tokens = 0
        self._by_live: dict[int, list[int]] = {}

    def add(self, live: int, tokens: int, nodes: int = 1) -> None:
        """Count `nodes` nodes and `tokens` tokens more; both may be negative."""
        row = self._by_live.get(live)
        if row is None:
            row = self._by_live[live] = [0, 0]
        row[0] += nodes
        row[1] += tokens
        self.nodes += nodes
        self.tokens += tokens

    def clear(self) -> None:
        """Count nothing."""
        self.nodes = 0
        self.tokens = 0
        self._by_live.clear()

    def live(self, component: int) -> tuple[int, int]:
        """Return the nodes and the tokens that the component's data is present for."""
        rows = [row for live, row in self._by_live.items() if live >> component & 1]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)

    def components(self) -> int:
        """Return how many components were seen live on some node."""
        return max((live.bit_length() for live in self._by_live), default=0)

    def lacking(self, components: int) -> int:
        """Return the nodes that lack the data of at least one of the components with a bit in `components`."""
        return sum(row[0] for live, row in self._by_live.items() if live & components != components)
