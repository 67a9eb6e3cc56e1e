"""Which part of the tree has its window, by how deep it lies: a count of the whole tree, made in slices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from probes.mirror import Mirror
from probes.snapshot import Snapshot
from radixtop.question import Answerer
from radixtop.source import Source

SLICE_NODES = 10_000
"""So many nodes are looked at for one answer: some milliseconds."""

FIRST_EDGE = 128
"""The first stretch of the key ends here; each one after it is twice as long as all before it."""

MOST_BUCKETS = 14


@dataclass(frozen=True, slots=True)
class TombstonesQuestion:
    """How the tokens of the tree are divided by depth, with and without their windows."""

    answerer: ClassVar[str] = "radixtop.swa.census:TombstoneCount"


class Bucket(NamedTuple):
    """The nodes that start at positions [start, end), -1 for no end: their tokens with a window, and without one."""

    start: int
    end: int
    live_tokens: int
    tombstone_tokens: int
    tombstones: int


@dataclass(frozen=True, slots=True)
class Tombstones:
    """The buckets that have nodes, the shallowest first; empty in a cache without windows. `at` is of the count."""

    buckets: tuple[Bucket, ...]
    at: int


class TombstoneCount(Answerer[TombstonesQuestion]):
    """Counts the tree anew whenever it has changed, a slice with each answer; until it is through, the old count
    stands.

    Nodes that come or go meanwhile may be counted or not.
    """

    def __init__(self) -> None:
        self._waiting: list[int] = []
        self._counts: dict[int, list[int]] = {}
        self._version = -1
        self._found: Tombstones | None = None

    def answer(self, source: Source, snapshot: Snapshot, question: TombstonesQuestion) -> Tombstones | None:
        """See Answerer."""
        mirror = source.mirror
        if mirror is None:
            return None
        if "swa" not in mirror.components:
            return Tombstones((), snapshot.now)
        if not self._waiting and mirror.version != self._version:
            self._version = mirror.version
            self._waiting = list(mirror.nodes)
            self._counts = {}
        if self._waiting:
            self._count(mirror, self._waiting[-SLICE_NODES:])
            del self._waiting[-SLICE_NODES:]
            if not self._waiting:
                self._found = Tombstones(_buckets(self._counts), snapshot.now)
        return self._found

    def _count(self, mirror: Mirror, numbers: list[int]) -> None:
        bit = 1 << mirror.components.index("swa")
        nodes, counts = mirror.nodes, self._counts
        for number in numbers:
            node = nodes.get(number)
            if node is None or not node.live:
                continue
            row = counts.setdefault(min(MOST_BUCKETS, (node.start // FIRST_EDGE).bit_length()), [0, 0, 0])
            if node.live & bit:
                row[0] += node.length
            else:
                row[1] += node.length
                row[2] += 1


def _buckets(counts: dict[int, list[int]]) -> tuple[Bucket, ...]:
    found = []
    for bucket, (live, gone, tombstones) in sorted(counts.items()):
        start = FIRST_EDGE << bucket >> 1 if bucket else 0
        end = -1 if bucket == MOST_BUCKETS else FIRST_EDGE << bucket
        found.append(Bucket(start, end, live, gone, tombstones))
    return tuple(found)
