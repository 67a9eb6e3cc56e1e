"""Which of several servers and ranks could not be reached, for those who watch without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probes.snapshot import Snapshot

if TYPE_CHECKING:
    from probes.fleet.figures import RankState


def unreached(snapshot: Snapshot) -> list[str]:
    """Return a line for each server or rank that is not there, with its name and why."""
    from radixtop.fleet.names import whole  # of servers only

    away = [state for state in _states(snapshot) if state.state in ("starting", "lost")]
    return [f"{whole(state.name)}: {state.message or 'it does not answer'}" for state in away]


def _states(snapshot: Snapshot) -> list[RankState]:
    from probes.builtin.fleet import FleetSample  # of servers only

    sample = snapshot.get(FleetSample)
    return [] if sample is None else [rank.state for rank in sample.ranks]
