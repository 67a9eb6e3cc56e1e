"""Every rank that is watched, how fast its cache turns over, and what the ranks have in common."""

from __future__ import annotations

from dataclasses import dataclass

from probes.fleet.figures import FleetFigures, Overlap, RankName, RankState
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe
from probes.scrapes.counter_windows import CounterWindows

_WINDOW_S = 10


@dataclass(frozen=True, slots=True)
class FleetRank:
    """A rank as of its newest figures. Rates are tokens/s over the last 10 s; None before they are known."""

    state: RankState
    stored_tokens_per_s: float | None
    removed_tokens_per_s: float | None

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
        self._windows: dict[RankName, CounterWindows] = {}

    def folds(self) -> Folds:
        """See Probe."""
        return {FleetFigures: self._told}

    def sample(self, now: int) -> FleetSample | None:
        """See Probe."""
        figures = self._figures
        if figures is None:
            return None
        ranks = tuple(self._rank(state, now) for state in figures.ranks)
        return FleetSample(figures.at, ranks, figures.followed, figures.overlap)

    def _told(self, figures: FleetFigures) -> None:
        self._figures = figures
        for state in figures.ranks:
            if state.feed is not None:
                window = self._windows.setdefault(state.name, CounterWindows())
                window.add(figures.at, {"stored": state.stored_tokens, "removed": state.removed_tokens})
        there = {state.name for state in figures.ranks}
        self._windows = {name: window for name, window in self._windows.items() if name in there}

    def _rank(self, state: RankState, now: int) -> FleetRank:
        window = self._windows.get(state.name)
        grown = {} if window is None else window.each(now, _WINDOW_S)
        rates = {which: increase.per_s for which, increase in grown.items()}
        return FleetRank(state, rates.get("stored"), rates.get("removed"))
