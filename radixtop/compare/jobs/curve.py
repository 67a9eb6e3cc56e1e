"""What LRU hits at every capacity, on whole blocks, in one pass."""

from __future__ import annotations

from collections.abc import Mapping

from radixtop.compare.job import Told
from radixtop.compare.taking import requests_of


def curve(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Return the corners to draw, unless told to leave them out, and of the sizes in `slots` what they hit."""
    from profiles.simulation import capacity_curve

    found = capacity_curve(requests_of(job, told), int(str(job["warm_up"])))
    slots = job["slots"]
    assert isinstance(slots, list), f"{job=}"
    return {
        "requests": found.requests,
        "queried_tokens": found.queried_tokens,
        "queried_blocks": found.queried_blocks,
        "ceiling_hit_tokens": found.ceiling_hit_tokens,
        "points": [[capacity, hits] for capacity, hits in found.points] if job.get("corners", True) else [],
        "at": [[size, found.hit_tokens(found.capacity_of(size))] for size in slots],
    }
