"""What the screen asks and is told of windows by depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple


@dataclass(frozen=True, slots=True)
class TombstonesQuestion:
    """How the tokens of the tree are divided by depth, with and without their windows."""

    answerer: ClassVar[str] = "radixtop.swa.answerer:TombstonesAnswerer"


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
