"""Which view is opened first: with several ranks the fleet, unless somebody chose another."""

from __future__ import annotations

from dataclasses import replace

from probes.snapshot import Snapshot
from radixtop.settings.setting import Settings

FLEET = "fleet"
"""The name of the view, and that of the probe."""


def has_several_ranks(snapshot: Snapshot) -> bool:
    """Say whether more than one rank or server is watched."""
    if FLEET not in snapshot.samples:
        return False
    from probes.builtin.fleet import FleetSample  # of servers only

    sample = snapshot.get(FleetSample)
    return sample is not None and len(sample.ranks) > 1


def fleet_first(settings: Settings) -> Settings:
    """Return settings that open the fleet, where nobody chose a view."""
    return settings if settings.chooses_view else replace(settings, view=FLEET, chooses_view=True)
