"""What the cache's own operations cost."""

from __future__ import annotations

from probes.builtin.operations import OperationsSample
from profiles.metric import OPERATION_DIGITS, each, one, read_off, seconds

_SHORT = ("split", "lock", "unlock")

METRICS = (
    read_off(
        OperationsSample,
        "radixtop_records_total",
        "Records that the cache emitted.",
        lambda sample: one(sample.records),
    ),
    read_off(
        OperationsSample,
        "radixtop_operation_duration_seconds",
        "Duration of an operation of the cache, as far as it was timed: match, insert, evict.",
        lambda sample: each(sample.cost),
        ("operation",),
        OPERATION_DIGITS,
    ),
    read_off(
        OperationsSample,
        "radixtop_short_operations_total",
        "Operations that are too short to be timed one by one: split, lock, unlock.",
        lambda sample: each({name: sample.sums[name].calls for name in _SHORT if name in sample.sums}),
        ("operation",),
    ),
    read_off(
        OperationsSample,
        "radixtop_short_operation_seconds_total",
        "Time that those took, splits as part of the match or insert that they happened in.",
        lambda sample: each({name: seconds(sample.sums[name].duration_ns) for name in _SHORT if name in sample.sums}),
        ("operation",),
    ),
)
