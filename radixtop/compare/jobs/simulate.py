"""A model of a cache on whole blocks: bounds that no cache can reach, and controls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from radixtop.compare.job import Told
from radixtop.compare.taking import requests_of


def simulate(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Run the trace through `policy` at `capacity_blocks` and return the counts."""
    from profiles.simulation import simulate

    capacity, warm_up = int(str(job["capacity_blocks"])), int(str(job["warm_up"]))
    return asdict(simulate(requests_of(job, told), str(job["policy"]), capacity, warm_up))
