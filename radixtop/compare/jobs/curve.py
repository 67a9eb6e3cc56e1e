"""What LRU hits at every capacity, on whole blocks, in one pass: exactly, or estimated from a share of the blocks."""

from __future__ import annotations

from collections.abc import Mapping

from radixtop.compare.job import Told
from radixtop.compare.taking import requests_of

_STEPS = 200
"""How many sizes of an estimate are told to draw."""


def curve(job: Mapping[str, object], told: Told) -> Mapping[str, object]:
    """Return the corners to draw, unless told to leave them out, and of the sizes in `slots` what they hit.

    With a `sample` these are estimates, and with each goes its standard error in tokens.
    """
    from profiles.simulation import capacity_curve

    slots, sample = job["slots"], job.get("sample")
    assert isinstance(slots, list), f"{job=}"
    if sample is not None:
        return _estimated(job, told, float(str(sample)), slots)
    found = capacity_curve(requests_of(job, told), int(str(job["warm_up"])))
    return {
        "requests": found.requests,
        "queried_tokens": found.queried_tokens,
        "queried_blocks": found.queried_blocks,
        "ceiling_hit_tokens": found.ceiling_hit_tokens,
        "points": [[capacity, hits] for capacity, hits in found.points] if job.get("corners", True) else [],
        "at": [[size, found.hit_tokens(found.capacity_of(size))] for size in slots],
    }


def _estimated(job: Mapping[str, object], told: Told, rate: float, slots: list[int]) -> Mapping[str, object]:
    from profiles.simulation import sampled_curve

    found = sampled_curve(requests_of(job, told), rate, warm_up_requests=int(str(job["warm_up"])))
    exact = found.exact
    end = max(exact.capacities[-1], round(found.sample.capacities[-1] / rate), 1)
    capacities = sorted({0, *(round(end ** (step / _STEPS)) for step in range(_STEPS + 1))})
    at = [(size, exact.capacity_of(size)) for size in slots]
    return {
        "requests": exact.requests,
        "queried_tokens": exact.queried_tokens,
        "queried_blocks": exact.queried_blocks,
        "ceiling_hit_tokens": found.hit_tokens(end),
        "points": [[capacity, found.hit_tokens(capacity)] for capacity in capacities],
        "errors": [found.error_tokens(capacity) for capacity in capacities],
        "at": [[size, found.hit_tokens(capacity)] for size, capacity in at],
        "errors_at": [found.error_tokens(capacity) for _, capacity in at],
    }
