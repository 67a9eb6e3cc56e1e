"""Which tokens an eviction took: what left nodes just before the record of the eviction says that it freed as much.

Not everything that leaves the device was evicted: a load that was given up never was there. A stream without records
of evictions, another engine's, does not tell; there whatever leaves the tree was evicted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cache_core.events import Evict
from probes.plausible import tokens_in
from profiles.growth.marks import Marks

EVICTED = "evicted"
LOST = "lost"
"""The marks of what left, for as long as nothing says whether it was evicted."""

_Span = tuple[int, int, int]


@dataclass(slots=True)
class Losses:
    """What left and is not accounted for. `component` is the number of the one that has every token."""

    marks: Marks
    component: int
    evicts: bool = False
    """Whether the stream has records of evictions."""
    _waiting: list[_Span] = field(default_factory=list)

    def left(self, key: int, start: int, end: int) -> None:
        """Note that tokens [start, end) of a node left the device."""
        self._waiting.append((key, start, end))
        if not self.evicts:
            self.marks.cover(LOST, key, start, end)

    def evicted(self, record: Evict) -> None:
        """Take what left last as what the eviction freed; what it freed beyond that is nowhere to be found."""
        self.evicts = True
        freed = record.freed_tokens
        left = freed[self.component] if self.component < len(freed) else 0
        left = left if tokens_in(left) else 0
        for key, start, end in reversed(self._waiting):
            if end - start <= left:
                self.marks.cover(EVICTED, key, start, end)
                left -= end - start
        self._waiting.clear()
        if left > 0:
            self.marks.nowhere[EVICTED] += left

    def nothing_evicted(self) -> None:
        """Take note that something else is what took the tokens that left."""
        self._waiting.clear()
