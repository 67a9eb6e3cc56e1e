"""What watching costs the cache."""

from __future__ import annotations

from probes.builtin.overhead import DETAILS, OverheadSample
from profiles.metric import Values, each, one, read_off, seconds


def _detail(sample: OverheadSample) -> Values:
    if sample.detail not in DETAILS.values():
        return {}
    return each({detail: int(detail == sample.detail) for detail in DETAILS.values()})


METRICS = (
    read_off(
        OverheadSample,
        "radixtop_probe_overhead_ratio",
        "Share (0 to 1) of the time of the cache's thread that watching took when it was last judged.",
        lambda sample: one(sample.ratio),
    ),
    read_off(
        OverheadSample,
        "radixtop_probe_spent_seconds_total",
        "Time of the cache's thread that watching took.",
        lambda sample: one(seconds(sample.spent_ns)),
    ),
    read_off(
        OverheadSample,
        "radixtop_probe_judged_seconds_total",
        "Time over which that was measured.",
        lambda sample: one(seconds(sample.elapsed_ns)),
    ),
    read_off(
        OverheadSample,
        "radixtop_probe_detail",
        "1 for how much the cache tells, 0 for every other: full, untimed (no clock), sparse (matches sampled).",
        _detail,
        ("detail",),
    ),
)
