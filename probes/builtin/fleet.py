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
        self._turnovers: dict[RankName, _Turnover] = {}

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
        there: dict[RankName, _Turnover] = {}
        for state in figures.ranks:
            turnover = self._turnovers.get(state.name) or _Turnover()
            turnover.add(figures.at, state)
            there[state.name] = turnover
        self._turnovers = there

    def _rank(self, state: RankState, now: int) -> FleetRank:
        rates = self._turnovers[state.name].rates(now)
        return FleetRank(state, rates.get("stored"), rates.get("removed"))


class _Turnover:
    """How fast blocks of a rank come and go. What is told of its past, when it is joined, is no part of that."""

    def __init__(self) -> None:
        self._window: CounterWindows | None = None
        self._restarts = 0

    def add(self, at: int, state: RankState) -> None:
        """Take what is known of the rank as of a time."""
        feed = state.feed
        if feed is None or state.badge is None or feed.restarts != self._restarts:
            self._window, self._restarts = None, 0 if feed is None else feed.restarts
            return
        if self._window is None and not feed.is_catching_up:
            self._window = CounterWindows()
        if self._window is not None:
            self._window.add(at, {"stored": state.stored_tokens, "removed": state.removed_tokens})

    def rates(self, now: int) -> dict[str, float]:
        """Return tokens/s over the last seconds, by what happened to them, as far as that is known."""
        grown = {} if self._window is None else self._window.each(now, _WINDOW_S)
        return {which: increase.per_s for which, increase in grown.items()}
