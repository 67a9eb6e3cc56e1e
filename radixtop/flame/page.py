"""What passes between the icicle on screen and the thread that has the mirror: a question, and frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from radixtop.flame.layout import FOLD

Weight = Literal["tokens", "hit tokens", "recomputed", "nodes", "idle"]
"""What a frame is as wide as: the tokens at and below a node; those that were reused, or had to be computed again;
nodes; tokens times the seconds since they were used last."""

WEIGHTS: tuple[Weight, ...] = ("tokens", "hit tokens", "recomputed", "nodes", "idle")


@dataclass(frozen=True, slots=True)
class FlameQuestion:
    """The frames that a screen has room for: cells in a row, rows, what is zoomed into (the last that is there)."""

    answerer: ClassVar[str] = "radixtop.flame.answerer:FlameAnswerer"

    width: int
    rows: int
    zooms: tuple[int, ...] = ()
    weight: Weight = "tokens"


class Facts(NamedTuple):
    """What is known of a frame's node. `lacks_state` says that it is a tombstone of some component."""

    label: str
    namespace: str
    start: int
    length: int
    subtree_tokens: int
    hits: int | None
    hit_tokens: int | None
    recomputed_tokens: int | None
    locks: int
    live: int
    copied: int
    touched_at: int
    lacks_state: bool


class FrameBox(NamedTuple):
    """One frame: its cells, its weight, and its node, or how many siblings were folded into it.

    `parent` is its place in the row above, `hue` a number that all frames of a branch or a namespace share.
    """

    node: int
    parent: int
    x: int
    cells: int
    total: int
    folded: int
    hue: int
    facts: Facts | None

    @property
    def is_fold(self) -> bool:
        """Whether it stands for several nodes that are too narrow."""
        return self.node == FOLD


class Holders(NamedTuple):
    """Who holds the weight: the `prefixes` of a hundredth or more hold `total` of it; the heaviest.

    They hang below `node`: the top, unless next to everything hangs below one node further down.
    """

    prefixes: int
    total: int
    heaviest: str
    heaviest_total: int
    node: int
    label: str


@dataclass(frozen=True, slots=True)
class FlamePage:
    """The frames by row, the zoomed one first. `total` is its weight, `whole` that of the tree.

    `way` are the nodes from the top down to the zoomed one, with their labels. `hidden_levels` more lie below the
    last row. `weights` are those that are known. `behind_ns` is how long ago frames were laid out, 0 while the tree
    is still the same; `is_weighing` says that the weight is being summed up.
    """

    question: FlameQuestion
    weights: tuple[Weight, ...]
    way: tuple[tuple[int, str], ...]
    total: int
    whole: int
    rows: tuple[tuple[FrameBox, ...], ...]
    holders: Holders
    hidden_levels: int
    nodes: int
    now: int
    behind_ns: int = 0
    is_weighing: bool = False
