"""What it takes to turn a tree into a forest, and a forest into files.

The tree is that of many conversations under a few system prompts and documents: wide above, deep below, its nodes in
the order in which a cache would make them.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import BytesIO
from time import perf_counter_ns

from cache_core.events import Label, NodeAdded, NodeLabelled
from probes.mirror import Mirror
from profiles.exporter import EXPORTERS, ExportOptions, export
from profiles.forest import Forest
from profiles.growth.live_forest import from_mirror
from profiles.prices import Prices
from profiles.profile import ForestProfile

COMPONENTS = ("full", "swa")
PRICES = Prices({"full": 8_192, "swa": 24_576}, 45_000)
"""So that all weights that a mirror can have are there."""

_SYSTEMS = 20
_DOCUMENTS = 2_000
_RECENT = 50_000
"""Conversations go on from one of so many newest turns."""
_GOES_ON = 0.7
_SEGMENTS = ("system prompt", "document", "user turn", "answer")


@dataclass(frozen=True, slots=True)
class File:
    """A pruned export: what it takes from the mirror on, and its size."""

    ns: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ForestFigures:
    """Costs on this machine, each the least of the runs; a file's counts the forest as well."""

    nodes: int
    depth: int
    forest_ns: int
    files: Mapping[str, File]


def tree(nodes: int, seed: int = 1) -> Mirror:
    """Return the mirror of a tree of so many nodes, some of them hit, some without their window."""
    mirror = Mirror(COMPONENTS)
    dice = random.Random(seed)
    for id_, name in enumerate(_SEGMENTS, 1):
        mirror.apply(Label(id_, name))
    ends = [0]
    was_collecting = gc.isenabled()
    gc.disable()  # it would look through the growing tree again and again
    try:
        for id_ in range(1, nodes + 1):
            parent = _parent(id_, dice)
            length = dice.randint(1, 200)
            live = 3 if dice.random() < 0.8 else 1
            key = dice.getrandbits(63)
            mirror.apply(NodeAdded(id_, id_, parent, ends[parent], length, key, 0, live, 0, 0, 0, id_))
            segment = 1 if id_ <= _SYSTEMS else 2 if id_ <= _DOCUMENTS else 3 + id_ % 2
            mirror.apply(NodeLabelled(id_, ends[parent], segment))
            ends.append(ends[parent] + length)
            columns = mirror.columns
            slot = columns.slot_of(id_)
            columns.raw_hits[slot] = dice.randint(0, 3)
            columns.recomputed_tokens[slot] = dice.randint(0, 1) * length
    finally:
        if was_collecting:
            gc.enable()
    return mirror


def _parent(id_: int, dice: random.Random) -> int:
    if id_ <= _SYSTEMS:
        return 0
    if id_ <= _DOCUMENTS:
        return dice.randint(1, _SYSTEMS)
    if dice.random() < _GOES_ON:
        return dice.randint(max(1, id_ - _RECENT), id_ - 1)
    return dice.randint(_SYSTEMS + 1, _DOCUMENTS)


def formats() -> list[str]:
    """Return the formats that show a forest."""
    return [name for name in EXPORTERS if EXPORTERS.load(name).shows == "forest"]


def measure(mirror: Mirror, runs: int, clock: Callable[[], int] = perf_counter_ns) -> ForestFigures:
    """Return what the forest of a mirror takes, and a pruned file in each format."""
    forests: list[tuple[int, Forest]] = []
    for _ in range(runs):
        began = clock()
        forest = from_mirror(mirror, prices=PRICES)
        forests.append((clock() - began, forest))
    forest_ns, forest = min(forests, key=lambda each: each[0])
    files = {name: _file(forest, name, runs, clock) for name in formats()}
    return ForestFigures(
        len(forest),
        mirror.depth,
        forest_ns,
        {name: File(forest_ns + file.ns, file.size_bytes) for name, file in files.items()},
    )


def _file(forest: Forest, format: str, runs: int, clock: Callable[[], int]) -> File:
    """Return what a pruned file takes from the forest on."""
    files = []
    for _ in range(runs):
        out = BytesIO()
        began = clock()
        export(ForestProfile(forest), format, ExportOptions(), out)
        files.append(File(clock() - began, len(out.getvalue())))
    return min(files, key=lambda file: file.ns)
