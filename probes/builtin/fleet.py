"""Every rank that is watched, and what the ranks have in common."""

from __future__ import annotations

from dataclasses import dataclass

from probes.fleet.figures import FleetFigures, Overlap, RankName, RankState
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe


@dataclass(frozen=True, slots=True)
class FleetRank:
    """A rank as of its newest figures."""

    state: RankState

    @property
    def stored_tokens_per_s(self) -> float | None:
        """How fast blocks come to its device, over the last 10 s; None before that is known."""
        return self.state.turnover.stored_tokens_per_s

    @property
    def removed_tokens_per_s(self) -> float | None:
        """How fast they go from it."""
        return self.state.turnover.removed_tokens_per_s

    @property
    def name(self) -> RankName:
        """The rank's server and number."""
        return self.state.name


@dataclass(frozen=True, slots=True)
class FleetSample:
    """Every rank, those of a server together. `followed` is the one whose tree is shown; see FleetFigures."""

    at: int
    ranks: tuple[FleetRank, ...]
    followed: RankName | None
    overlap: Overlap | None


class Fleet(Probe):
    """Keeps what each rank told."""

    needs = frozenset({FleetFigures})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._figures: FleetFigures | None = None

    def folds(self) -> Folds:
        """See Probe."""
        return {FleetFigures: self._told}

    def sample(self, now: int) -> FleetSample | None:
        """See Probe."""
        figures = self._figures
        if figures is None:
            return None
        return FleetSample(figures.at, tuple(map(FleetRank, figures.ranks)), figures.followed, figures.overlap)

    def _told(self, figures: FleetFigures) -> None:
        self._figures = figures
