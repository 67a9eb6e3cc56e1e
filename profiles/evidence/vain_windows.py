"""Windows that are kept where no prompt is likely to end its hit, looked for now and then while windows are short.

|------ prefix ------------------------|- question 1 -|
                                        |- question 2 -|
|--w--|--w--|--w--|--w--|--w--|--------|      each w the window at the end of a chunk
                              ^ needed, for prompts part here; the others are kept in vain

An end is where a node on the device has no child there, or several; a node is needed while less than a window lies
between its end and the next end below it (`cache_core/tail_windows.py`, which evicts the others first).
"""

from __future__ import annotations

from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode

MOST_NODES = 1 << 15
"""In a larger tree nobody looks."""
_RARELY = 8
"""One evict call in so many, and in so many nodes of a tree divided by that."""


class VainWindows:
    """The share of the pool of windows that is kept in vain, on average over the looks at it."""

    def __init__(self) -> None:
        self._looks = 0
        self._share = 0.0
        self._wait = 0

    @property
    def share(self) -> float | None:
        """The average; None before the first look."""
        return self._share / self._looks if self._looks else None

    def evicted(self, mirror: Mirror, component: int, window: int, pool: int) -> None:
        """Look at the tree, if it is time to, after windows were evicted from a pool of some tokens."""
        self._wait -= 1
        if self._wait >= 0 or not pool:
            return
        count = len(mirror.nodes)
        self._wait = max(1, count // _RARELY)
        if count <= MOST_NODES:
            self._looks += 1
            self._share += min(1.0, kept_in_vain(mirror, 1 << component, window) / pool)


def kept_in_vain(mirror: Mirror, bit: int, window: int) -> int:
    """Return the tokens of unlocked nodes that have a window which no prompt is likely to need."""
    return sum(
        node.length
        for node in mirror.nodes.values()
        if node.parent is not None and node.live & bit and not node.locks and _gap(node, window) >= window
    )


def _gap(node: MirrorNode, most: int) -> int:
    """Return how many tokens lie between a node's end and the next end at or below it; `most` for more."""
    gap = 0
    while gap < most:
        below = [child for child in node.children.values() if child.live]
        if len(below) != 1:
            return gap
        node = below[0]
        gap += node.length
    return most
