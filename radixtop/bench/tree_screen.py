"""What the tree on screen costs the thread that polls: an answer after a scroll, after a sort, after a new node.

Three trees of as many nodes: `chat`, conversations below a few system prompts, all levels open; `flat`, every node a
child of the root; `chain`, a way of 10,000 levels with the others hung along it.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from statistics import median
from time import perf_counter_ns
from typing import Literal

from cache_core.events import NodeAdded
from probes.mirror import Mirror
from radixtop.tree.index import TreeIndex
from radixtop.tree.request import DEEPEST, ORDERS, TreeRequest

Shape = Literal["chat", "flat", "chain"]
SHAPES: tuple[Shape, ...] = ("chat", "flat", "chain")

ROWS = 180
"""What a screen of 60 lines asks for: its own rows and as many above and below."""

_LEVELS = 10_000
_SYSTEMS, _GOES_ON, _RECENT = 20, 0.85, 20_000
_MILLISECOND = 1e6


@dataclass(frozen=True, slots=True)
class Times:
    """The median and the worst of several answers, in ms."""

    median_ms: float
    worst_ms: float


@dataclass(frozen=True, slots=True)
class TreeScreenFigures:
    """Costs on this machine of a tree of one shape. `opening_ms` is the first answer, or one to another depth."""

    shape: Shape
    nodes: int
    rows: int
    opening_ms: float
    scroll: Times
    sort: Times
    new_node: Times


def tree_screen(shape: Shape, nodes: int, runs: int = 20, seed: int = 1) -> TreeScreenFigures:
    """Measure the answers about a tree of so many nodes."""
    dice = random.Random(seed)
    mirror = planted(shape, nodes, dice)
    index = TreeIndex(perf_counter_ns)
    request = TreeRequest(count=ROWS, depth=DEEPEST)

    def answer(wanted: TreeRequest) -> int:
        return index.page(mirror, wanted).total

    opening = _times([lambda: answer(request)])
    rows = answer(request)

    def places() -> Iterator[int]:
        while True:
            yield dice.randrange(max(1, rows))

    scrolled = (replace(request, first=place) for place in islice(places(), runs))
    scroll = _times(partial(answer, wanted) for wanted in scrolled)
    how = [replace(request, order=order, is_reversed=turns) for order in ORDERS for turns in (True, False)]
    sort = _times(partial(answer, replace(wanted, first=place)) for wanted, place in zip(how, places(), strict=False))
    answer(request)

    def add(record: NodeAdded) -> None:
        mirror.apply(record)
        answer(request)

    new = (_added(nodes + 1 + i, dice.randrange(nodes // 2, nodes), mirror, dice) for i in range(runs))
    new_node = _times(partial(add, record) for record in new)
    return TreeScreenFigures(shape, nodes, rows, opening.worst_ms, scroll, sort, new_node)


def planted(shape: Shape, nodes: int, dice: random.Random) -> Mirror:
    """Return the mirror of a tree of so many nodes."""
    mirror = Mirror(("full", "swa"))
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        for number in range(1, nodes + 1):
            mirror.apply(_added(number, _parent(shape, number, dice), mirror, dice))
    finally:
        if was_collecting:
            gc.enable()
    return mirror


def _parent(shape: Shape, number: int, dice: random.Random) -> int:
    if shape == "flat" or number <= _SYSTEMS:
        return 0
    if shape == "chain":
        return number - 1 if number <= _LEVELS else dice.randrange(1, _LEVELS)
    return dice.randrange(max(1, number - _RECENT), number) if dice.random() < _GOES_ON else dice.randint(1, _SYSTEMS)


def _added(number: int, parent: int, mirror: Mirror, dice: random.Random) -> NodeAdded:
    length = dice.randint(1, 200)
    start = mirror.nodes[parent].end
    return NodeAdded(number, number, parent, start, length, dice.getrandbits(63), 0, 3, 0, 0, 0, dice.getrandbits(40))


def _times(calls: Iterable[Callable[[], object]]) -> Times:
    took: list[float] = []
    for call in calls:
        began = perf_counter_ns()
        call()
        took.append((perf_counter_ns() - began) / _MILLISECOND)
    return Times(median(took), max(took))
