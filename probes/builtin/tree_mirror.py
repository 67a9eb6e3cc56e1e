"""The tree itself, for those who draw or export it."""

from __future__ import annotations

from dataclasses import dataclass

from cache_core.events import NodeAdded, NodeRemoved, NodeSplit
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe


@dataclass(frozen=True, slots=True)
class TreeSample:
    """The mirror of the tree. The one sample that lives on: read it on the thread that ticks, never write to it."""

    mirror: Mirror


class TreeMirror(Probe):
    """Hands out the mirror, which keeps itself up to date."""

    needs = frozenset({NodeAdded, NodeSplit, NodeRemoved})

    def folds(self) -> Folds:
        """See Probe."""
        return {}

    def sample(self, now: int) -> TreeSample:
        """See Probe."""
        return TreeSample(self.mirror)
