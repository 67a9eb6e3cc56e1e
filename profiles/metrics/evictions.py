"""What evictions freed, and what they cost."""

from __future__ import annotations

from probes.builtin.evictions import EvictionSample
from profiles.metric import OPERATION_DIGITS, each, one, read_off, seconds

METRICS = (
    read_off(
        EvictionSample,
        "radixtop_eviction_calls_total",
        "Evict calls, counted once for each component that was asked.",
        lambda sample: one(sample.calls),
    ),
    read_off(
        EvictionSample,
        "radixtop_evicted_nodes_total",
        "Victims: nodes that lost a component.",
        lambda sample: one(sample.victims),
    ),
    read_off(
        EvictionSample,
        "radixtop_eviction_cascades_total",
        "Nodes that went because another component of theirs did.",
        lambda sample: one(sample.cascades),
    ),
    read_off(
        EvictionSample,
        "radixtop_evicted_tokens_total",
        "Tokens that evictions freed.",
        lambda sample: each(sample.freed_tokens),
        ("component",),
    ),
    read_off(
        EvictionSample,
        "radixtop_eviction_leaves_considered_total",
        "Leaves that were looked at to find victims.",
        lambda sample: one(sample.leaves_considered),
    ),
    read_off(
        EvictionSample,
        "radixtop_eviction_queue_build_seconds_total",
        "Time spent putting leaves in order.",
        lambda sample: one(seconds(sample.queue_build_ns)),
    ),
    read_off(
        EvictionSample,
        "radixtop_eviction_pops_total",
        "Entries that were taken from the queue of victims.",
        lambda sample: one(sample.pops),
    ),
    read_off(
        EvictionSample,
        "radixtop_eviction_stale_pops_total",
        "Entries among those that no longer stood for a victim.",
        lambda sample: one(sample.stale_pops),
    ),
    read_off(
        EvictionSample,
        "radixtop_eviction_duration_seconds",
        "Duration of an evict call, as far as it was timed.",
        lambda sample: one(sample.cost),
        digits=OPERATION_DIGITS,
    ),
)
