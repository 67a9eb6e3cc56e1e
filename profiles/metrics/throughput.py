"""What the engine computes."""

from __future__ import annotations

from probes.builtin.throughput import ThroughputSample
from profiles.metric import STEP_DIGITS, one, read_off

METRICS = (
    read_off(
        ThroughputSample,
        "radixtop_prefill_tokens_total",
        "Prompt tokens that the engine computed.",
        lambda sample: one(sample.prefill_tokens),
    ),
    read_off(
        ThroughputSample,
        "radixtop_decode_tokens_total",
        "Output tokens that the engine computed.",
        lambda sample: one(sample.decode_tokens),
    ),
    read_off(
        ThroughputSample,
        "radixtop_step_duration_seconds",
        "Duration of a forward pass.",
        lambda sample: one(sample.step),
        digits=STEP_DIGITS,
    ),
)
