"""Which servers, ranks and files told nothing, or not all, for those who watch without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probes.snapshot import Snapshot
from radixtop.fleet.opening import FLEET

if TYPE_CHECKING:
    from probes.fleet.figures import RankState


def unreached(snapshot: Snapshot) -> list[str]:
    """Return a line for each server or rank that is not there, with its name and why."""
    from radixtop.fleet.names import whole  # of servers only

    away = [state for state in _states(snapshot) if state.state in ("starting", "lost")]
    return [f"{whole(state.name)}: {state.message or 'it does not answer'}" for state in away]


def untold(snapshot: Snapshot) -> list[str]:
    """Return a line for each server that answers and has neither KV events nor metrics: its name and what to do."""
    if FLEET not in snapshot.samples:
        return []
    from probes.builtin.engine import EngineSample
    from radixtop.fleet.names import whole

    engine = snapshot.get(EngineSample)
    told = set() if engine is None else {*engine.servers}
    without_events = [state for state in _states(snapshot) if state.is_up and state.feed is None]
    blind = [state for state in without_events if state.name.server not in told]
    return [f"{whole(state.name)} tells nothing: {state.message or 'neither events nor metrics'}" for state in blind]


def unread(snapshot: Snapshot) -> list[str]:
    """Return a line for each file of saved events that was not read to its end: where that was, and what to do."""
    return [state.feed.message for state in _saved(snapshot) if state.feed is not None and state.feed.message]


def empty(snapshot: Snapshot) -> list[str]:
    """Return a line for each file of saved events that has none, and nothing is wrong with it."""
    files = (state.name.server for state in _saved(snapshot) if state.feed is not None and state.feed.received == 0)
    wrong = unread(snapshot)
    return [] if wrong else [f"{name} holds no events: none were published while it was saved" for name in files]


def _saved(snapshot: Snapshot) -> list[RankState]:
    if FLEET not in snapshot.samples:
        return []
    return [state for state in _states(snapshot) if state.feed is not None and state.feed.is_saved]


def behind(snapshot: Snapshot) -> list[str]:
    """Return a line for each rank of whose past some was not read yet: what is told of it is of long ago."""
    if FLEET not in snapshot.samples:
        return []
    from radixtop.fleet.names import whole

    late = [state for state in _states(snapshot) if _is_behind(state)]
    said = "was not read to the present"
    return [f"{whole(state.name)} {said}: {state.message or 'it is being asked'}" for state in late]


def _is_behind(state: RankState) -> bool:
    return state.feed is not None and state.state == "live" and not state.is_read and state.feed.is_catching_up


def _states(snapshot: Snapshot) -> list[RankState]:
    from probes.builtin.fleet import FleetSample  # of servers only

    sample = snapshot.get(FleetSample)
    return [] if sample is None else [rank.state for rank in sample.ranks]
