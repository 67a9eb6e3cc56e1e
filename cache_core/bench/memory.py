"""What a tree costs in memory, measured in a process that has done nothing else."""

from __future__ import annotations

import gc
import os
import tracemalloc
from dataclasses import asdict, dataclass

from cache_core.bench.passes import plant
from cache_core.bench.subject import Subject
from cache_core.bench.workload import LEAF_TOKENS, Setup, leaves

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_ROOM = 3
"""Pools are so many times as large as the tree: a free list that shrinks must not hide what the tree takes."""
_WARM_KEYS = 50
"""Planted first, so that what a first call loads and keeps is not counted."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes that the process grew by, as the system sees it, and those that Python's allocator handed out."""

    keys: int
    nodes: int | None
    resident_bytes: int
    traced_bytes: int | None

    def describe(self) -> dict[str, int | None]:
        """Return the figures by name."""
        return asdict(self)


def footprint(subject: Subject, keys: int, window: int | None, traced: bool) -> Footprint:
    """Plant `keys` leaves of 100 tokens on a fresh cache and return what came on top; keys are not kept."""
    if traced:
        tracemalloc.start()
    for count, seed in ((_WARM_KEYS, 40), (keys, 4)):
        subject.fresh(Setup(window=window, slots=_ROOM * count * (LEAF_TOKENS + 1)))
        gc.collect()
        resident, allocated = resident_bytes(), tracemalloc.get_traced_memory()[0]
        plant(subject, leaves(seed), count)
        gc.collect()
        resident = resident_bytes() - resident
        allocated = tracemalloc.get_traced_memory()[0] - allocated
    tracemalloc.stop()
    return Footprint(keys, subject.nodes(), resident, allocated if traced else None)


def resident_bytes() -> int:
    """Return the memory that this process has in use, as the system counts it."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * _PAGE_BYTES
