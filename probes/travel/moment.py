"""Which moment of a run is shown, and what can be shown of it."""

from __future__ import annotations

from dataclasses import dataclass

from probes.snapshot import SourceState


@dataclass(frozen=True, slots=True)
class Moment:
    """Where in a run the figures on screen are. Times are in ns on the clock of the run's records.

    The run reaches from `start` to `end`, which grows while it goes on; one can go to every moment from `kept_from`
    to `end`. `newest` is the state of a live source, whatever is shown of it; None of a recording. What adds up
    counts from `counted_from` on, None when from the start. `heading_for` is where one is on the way to, of which
    `progress` (0..1) is done. With `is_tree_only` the tree of the moment is known and the samples are still to come.
    """

    at: int
    start: int
    end: int
    kept_from: int
    speed: float = 1.0
    is_paused: bool = False
    is_newest: bool = False
    newest: SourceState | None = None
    counted_from: int | None = None
    heading_for: int | None = None
    progress: float = 0.0
    is_tree_only: bool = False

    @property
    def is_live(self) -> bool:
        """Whether the run is still watched as it happens."""
        return self.newest is not None

    @property
    def is_kept(self) -> bool:
        """Whether there is any other moment to go to."""
        return self.kept_from < self.end
