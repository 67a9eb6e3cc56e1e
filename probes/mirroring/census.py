"""Counts of a tree's nodes and tokens, kept while it changes."""

from __future__ import annotations

from cache_core.events import MAX_COMPONENTS

_DEVICE = (1 << MAX_COMPONENTS) - 1

GONE = 1 << (MAX_COMPONENTS - 1)
"""Stands for the host copies of a node that is nowhere and has others below it: no component has this bit."""


def tiers(live: int, copied: int) -> int:
    """Return one mask of where a node's data is: the bits of `live`, and those of `copied` above all of them."""
    return live | copied << MAX_COMPONENTS


class Census:
    """Nodes and tokens by where their data is (`tiers`), so that no figure needs a walk.

    A node with `live` bits 0b01 has the first component's data alone on the device. Caches have a handful of
    components, hence a handful of masks.
    """

    __slots__ = ("_by_tiers", "nodes", "tokens")

    def __init__(self) -> None:
        self.nodes = 0
        self.tokens = 0
        self._by_tiers: dict[int, list[int]] = {}

    def add(self, where: int, tokens: int, nodes: int = 1) -> None:
        """Count `nodes` nodes and `tokens` tokens more whose data is there; both may be negative."""
        row = self._by_tiers.get(where)
        if row is None:
            row = self._by_tiers[where] = [0, 0]
        row[0] += nodes
        row[1] += tokens
        self.nodes += nodes
        self.tokens += tokens

    def clear(self) -> None:
        """Count nothing."""
        self.nodes = 0
        self.tokens = 0
        self._by_tiers.clear()

    def live(self, component: int) -> tuple[int, int]:
        """Return the nodes and the tokens that the component's data is on the device for."""
        return self._having(1 << component)

    def copied(self, component: int) -> tuple[int, int]:
        """Return the nodes and the tokens that the host has a whole copy of the component's data for."""
        return self._having(tiers(0, 1 << component))

    def components(self) -> int:
        """Return how many components were seen live on some node."""
        return max(((where & _DEVICE).bit_length() for where in self._by_tiers), default=0)

    def away(self) -> tuple[int, int]:
        """Return the nodes, and their tokens, that have nothing on the device."""
        rows = [row for where, row in self._by_tiers.items() if not where & _DEVICE]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)

    def gone(self) -> int:
        """Return the nodes that are nowhere (`GONE`)."""
        return self._by_tiers.get(tiers(0, GONE), (0, 0))[0]

    def lacking(self, components: int) -> int:
        """Return the nodes with data on the device that lack that of a component with a bit in `components`."""
        lacking = (
            (where & _DEVICE, row) for where, row in self._by_tiers.items() if where & components != components
        )
        return sum(row[0] for live, row in lacking if live)

    def _having(self, bit: int) -> tuple[int, int]:
        rows = [row for where, row in self._by_tiers.items() if where & bit]
        return sum(row[0] for row in rows), sum(row[1] for row in rows)
