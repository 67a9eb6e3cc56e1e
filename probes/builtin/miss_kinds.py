"""Which kinds of workload segments miss, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cache_core.events import Insert, Match, NodeLabelled, RequestAdmitted
from probes.fold import Folds
from probes.lives.gaps import lacking_of
from probes.lives.miss_sums import MissSums
from probes.lives.named_sums import NamedTokens
from probes.mirror import Mirror
from probes.probe import Probe

MOST_KINDS = 12
"""So many kinds are told, those that missed most."""


@dataclass(frozen=True, slots=True)
class MissKindsSample:
    """Missed tokens by kind of segment, since the watch began and in the last minute, the most first.

    The kind of "question 17" is "question"; None is what has no label. The row that `is_rest` is all that came too
    late for a row of its own. `left_out` kinds missed less than those. `lacking` is what known tokens can lack here.
    """

    kinds: tuple[NamedTokens, ...]
    left_out: int = 0
    lacking: str = "window"


class MissKinds(Probe):
    """Reads what is shared by who follows requests."""

    needs = frozenset({Match, Insert, RequestAdmitted, NodeLabelled})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._sums = MissSums()

    def meet(self, shared: Mapping[type, object]) -> None:
        """See Probe."""
        sums = shared.get(MissSums)
        if isinstance(sums, MissSums):
            self._sums = sums

    def folds(self) -> Folds:
        """See Probe: others count."""
        return {}

    def sample(self, now: int) -> MissKindsSample:
        """See Probe."""
        rows = (*self._sums.kinds.tokens(now, MOST_KINDS),)
        return MissKindsSample(rows, max(0, len(self._sums.kinds) - MOST_KINDS), lacking_of(self.mirror.components))
