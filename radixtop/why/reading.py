"""Reads what is kept of a run once more, for the evidence of it: beside what the screen shows, a slice at a time."""

from __future__ import annotations

from collections.abc import Callable

from probes.adapter import Adapter
from probes.aggregator import Aggregator
from probes.snapshot import SourceState
from probes.travel.footage import Footage
from probes.travel.passage import Passage
from profiles.evidence.evidence import Evidence
from profiles.evidence.gather import Gatherer


class Reading:
    """A passage through footage with a gathering beside its tree and its log; it only goes forward.

    It begins where the run does, or with the earliest snapshot of the tree that is kept. What comes before `from_at`
    is one stretch to compare with.
    """

    def __init__(self, footage: Footage, from_at: int | None) -> None:
        place = None if footage.has_start else next(iter(footage.places()), None)
        self.footage = footage
        self.from_at = from_at
        self.begins_at = footage.start if place is None else place.began_at
        self._gatherer = Gatherer(0 if from_at is None else max(0, from_at - self.begins_at))
        self._passage = Passage(footage, place, making=self._gathering)

    def _gathering(self, adapter: Adapter) -> Aggregator:
        return self._gatherer.reader(adapter, SourceState(self.footage.name, "replay", config=self.footage.config))

    @property
    def starts_at(self) -> int:
        """From when on it counts."""
        return self.begins_at if self.from_at is None else max(self.from_at, self.begins_at)

    @property
    def reached(self) -> int:
        """When the last block that was read was flushed."""
        return self._passage.reached

    @property
    def nodes(self) -> int:
        """How many nodes its tree has."""
        return len(self._passage.mirror.nodes)

    @property
    def is_kept(self) -> bool:
        """Whether the next block can still be read."""
        return self._passage.is_kept

    def wind(self, until: int, may_go_on: Callable[[], bool]) -> bool:
        """Read up to a time as long as one may, and say whether all of it is read."""
        return self._passage.wind(until, may_go_on)

    def evidence(self) -> Evidence:
        """Return the evidence of what was read."""
        return self._gatherer.evidence(self._passage.state())
