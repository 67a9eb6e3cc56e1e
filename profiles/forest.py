"""The forest: what a run amounts to, one frame per stretch of tokens, with what each stretch weighs.

A radix tree is a flame graph: a node is a frame, the path to it is the stack, its tokens are its own weight and
the subtree's its total. Nothing is sampled, so the picture is exact. Frames go by content key, so that neither
ids nor the order of splits and evictions shows in them; a namespace is a frame of its own above its nodes.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass

WEIGHTS = {
    "tokens": "resident tokens",
    "hits": "hit tokens",
    "recomputed": "recomputed tokens",
    "evicted": "evicted tokens",
}
"""What frames weigh, and how it is called: in the cache at the end; served from it to requests; known but computed
again because some component had lost them; lost to evictions, as often as that happened."""

UNITS = {"tokens": "count", "hits": "count", "recomputed": "count", "evicted": "count"}
"""What a weight is counted in: "count", "bytes" or "nanoseconds"."""

TOP = -1
"""The parent of frames that have none."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Tokens [start, end) of every key that begins like this one; a namespace has none.

    `parent` is the place of a frame before this one, or TOP. `segment` is the one that most of its tokens belong
    to. `lost` names the components whose data the frame lacks: some of a tombstone, all
    when it is no longer resident.
    """

    parent: int
    key: int
    label: str
    segment: str
    start: int
    end: int
    resident: bool = True
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Forest:
    """Frames, parents first, and for each weight that is known its value per frame, children not included."""

    frames: tuple[Frame, ...]
    weights: Mapping[str, array[int]]
    title: str = ""

    def totals(self, weight: str) -> array[int]:
        """Return the weight of each frame and everything below it."""
        totals = array("q", self.weights[weight])
        for place in range(len(self.frames) - 1, -1, -1):
            parent = self.frames[place].parent
            if parent != TOP:
                totals[parent] += totals[place]
        return totals

    def children(self) -> list[list[int]]:
        """Return the places of the children of each frame; the last list holds those of TOP."""
        children: list[list[int]] = [[] for _ in range(len(self.frames) + 1)]
        for place, frame in enumerate(self.frames):
            children[frame.parent].append(place)
        return children
