"""How much of what requests asked for was in the cache."""

from __future__ import annotations

from probes.builtin.hit_rate import HitRateSample
from profiles.metric import Values, each, one, read_off


def _by_tier(sample: HitRateSample) -> Values:
    loaded = sample.total.loaded_tokens if sample.has_host_tier else None
    return each({"device": sample.total.device_hit_tokens, "host": loaded})


METRICS = (
    read_off(
        HitRateSample,
        "radixtop_queries_total",
        "Requests that were looked up, each counted when it was first admitted.",
        lambda sample: one(sample.total.queries),
    ),
    read_off(
        HitRateSample,
        "radixtop_queried_tokens_total",
        "Prompt tokens of those requests. Hit rate = rate(hit tokens) / rate(queried tokens).",
        lambda sample: one(sample.total.queried_tokens),
    ),
    read_off(
        HitRateSample,
        "radixtop_hit_tokens_total",
        "Prompt tokens that were served from the cache, by where they were: device, or host when loaded back.",
        _by_tier,
        ("tier",),
    ),
    read_off(
        HitRateSample,
        "radixtop_full_hit_tokens_total",
        "Prompt tokens whose prefix the tree knew, whether or not every component still had its data.",
        lambda sample: one(sample.total.full_hit_tokens),
    ),
    read_off(
        HitRateSample,
        "radixtop_host_found_tokens_total",
        "Prompt tokens that were found in host memory alone, loaded back or not.",
        lambda sample: one(sample.total.host_hit_tokens if sample.has_host_tier else None),
    ),
    read_off(
        HitRateSample,
        "radixtop_resumed_queried_tokens_total",
        "Prompt tokens of requests that came back after a retraction; the counters above leave them out.",
        lambda sample: one(sample.resumed.queried_tokens),
    ),
    read_off(
        HitRateSample,
        "radixtop_resumed_hit_tokens_total",
        "Prompt tokens that such requests found, mostly their own.",
        lambda sample: one(sample.resumed.hit_tokens),
    ),
    read_off(
        HitRateSample,
        "radixtop_hit_ratio",
        "Hit tokens over queried tokens (0 to 1) of the last so many seconds.",
        lambda sample: each({"10s": sample.last_10s.hit_rate, "60s": sample.last_minute.hit_rate}),
        ("over",),
    ),
    read_off(
        HitRateSample,
        "radixtop_full_hit_ratio",
        "Full hit tokens over queried tokens (0 to 1) of the last so many seconds.",
        lambda sample: each({"10s": sample.last_10s.full_hit_rate, "60s": sample.last_minute.full_hit_rate}),
        ("over",),
    ),
)
