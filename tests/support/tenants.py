"""Samples of a cache with three tenants, one of which floods the others."""

from __future__ import annotations

from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator

_CONFIG = CacheConfig(components=("full",), full_slots=1_500)


def tenants_and_kinds(now: int) -> dict[str, object]:
    """Return the samples of tenants and of kinds of segments; the newest request ended a second before `now`."""
    at = [now - 40_000_000_000]
    adapter = EmbeddedAdapter(_CONFIG.describe(), clock=lambda: at[0])
    cache = PrefixCache(_CONFIG, sink=adapter, clock=lambda: at[0])
    aggregator = Aggregator(adapter, ["request_log", "tenants", "miss_kinds"])
    for number in range(40):
        at[0] += 975_000_000
        tenant, question = (None, "search", "flood 日本")[number % 3], 400 + 50 * number
        system, own = 10_000 * (number % 3), 50_000 + 700 * number
        texts = ((0, f"system prompt {number % 3}"), (200, f"question {number}"))
        tokens = [*range(system, system + 200), *range(own, own + question % 600)]
        key = RadixKey(tokens, tenant, segments=texts)
        request = cache.admit(key, request_id=number)
        request.prefill(len(key))
        request.finish()
    adapter.flush()
    samples = aggregator.tick(now).samples
    return {name: samples[name] for name in ("miss_kinds", "tenants")}
