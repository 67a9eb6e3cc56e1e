"""What became of prompt tokens: hits, and misses by class."""

from __future__ import annotations

from probes.builtin.request_log import RequestLogSample
from probes.lives.misses import MISS_CLASSES
from profiles.metric import each, one, read_off

METRICS = (
    read_off(
        RequestLogSample,
        "radixtop_missed_tokens_total",
        "Tokens that were computed, by why: each is of one class. Requests count once their prompt is decided.",
        lambda sample: each({miss: sample.total.of(miss) for miss in MISS_CLASSES}),
        ("class",),
    ),
    read_off(
        RequestLogSample,
        "radixtop_asked_tokens_total",
        "Tokens of those prompts, hits among them, and those computed again after retractions.",
        lambda sample: one(sample.total.asked),
    ),
)
