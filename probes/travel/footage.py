"""Contract of what one can go back and forth in: blocks of a run that are kept, and where to begin to read them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path

from probes.block_reader import BlockReader
from probes.recordings.tally import SnapshotPlace

Point = tuple[int, int]
"""A time, and where the blocks of that time lie."""


class Footage(ABC):
    """The blocks of one run, in the order they came. `name` is what they are of."""

    name: str
    path: Path | None = None
    """The recording that it is; None of what no other process can open."""

    @property
    @abstractmethod
    def config(self) -> Mapping[str, object]:
        """What the cache said about itself."""

    @property
    @abstractmethod
    def start(self) -> int:
        """When the run began, as far as it was seen."""

    @property
    @abstractmethod
    def end(self) -> int:
        """When the newest block came."""

    @property
    @abstractmethod
    def has_start(self) -> bool:
        """Whether the first block that was seen is kept, so that one can read from there on."""

    @abstractmethod
    def places(self) -> Sequence[SnapshotPlace]:
        """Return the whole snapshots that are kept, in their order."""

    @abstractmethod
    def reader(self) -> BlockReader:
        """Return a reader of its own; `rewind(None)` takes it to the first block that was seen."""

    @abstractmethod
    def holds(self, place: SnapshotPlace) -> bool:
        """Say whether a snapshot does begin at a place."""

    def is_kept(self, offset: int) -> bool:
        """Say whether the block at an offset can still be read."""
        return True

    def ending(self, reader: BlockReader) -> str:
        """Return how the run ends, for a reader that came to its end."""
        return reader.closed_reason or ""

    @abstractmethod
    def extent(self) -> tuple[Point, Point]:
        """Return the first and the last point that are known."""

    @property
    def kept_from(self) -> int:
        """The earliest moment that can be shown: the start, or where the first snapshot is whole."""
        places = () if self.has_start else self.places()
        return places[0].ended_at if places else (self.start if self.has_start else self.end)

    def place_before(self, at: int) -> SnapshotPlace | None:
        """Return the last snapshot that is whole at a time, if there is one."""
        return next((place for place in reversed(self.places()) if place.ended_at <= at and self.holds(place)), None)

    def offset_of(self, at: int) -> int:
        """Return about where the blocks of a time lie: between two points as if they came evenly."""
        first, last = self.extent()
        points = [first]
        for place in self.places():
            if points[-1][0] < place.ended_at < last[0]:
                points.append((place.ended_at, place.end))
        points.append(last)
        after = min(len(points) - 1, max(1, bisect_right(points, (at, 0))))
        (since, start), (until, end) = points[after - 1], points[after]
        share = (at - since) / (until - since) if until > since else 1.0
        return start + round(min(1.0, max(0.0, share)) * (end - start))
