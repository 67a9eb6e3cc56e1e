"""What vLLM's page of metrics tells, by role. Versions as far as they were looked at: 0.9.0 to 0.33.0."""

from __future__ import annotations

from probes.scrapes.metric import EngineMetrics, HitView, Selector

_LAST = "0.33.0"


def _of(name: str, since: str, until: str = _LAST) -> tuple[Selector, ...]:
    return (Selector(name, since, until),)


def _prefix_cache(what: str) -> tuple[Selector, ...]:
    """Return a counter of the cache under its name, and under the one that it had for the GPU's."""
    return (
        Selector(f"prefix_cache_{what}_total", "0.10.0", _LAST),
        Selector(f"gpu_prefix_cache_{what}_total", "0.9.0", "0.11.2"),
    )


def _cached_by(*sources: str) -> Selector:
    """Return hits by where they were, as the scheduler counts them at admission."""
    return Selector("prompt_tokens_cached_by_source_total", "0.32.0", _LAST, "source", sources, absent_is_zero=True)


def _prompt_by(*sources: str, others: bool = False) -> tuple[Selector, ...]:
    name = "prompt_tokens_by_source_total"
    return (Selector(name, "0.16.0", _LAST, "source", sources, others=others, absent_is_zero=True),)


def _ended(*reasons: str, others: bool = False) -> tuple[Selector, ...]:
    name = "request_success_total"
    return (Selector(name, "0.9.0", _LAST, "finished_reason", reasons, others=others, absent_is_zero=True),)


def _config(label: str) -> tuple[Selector, ...]:
    """Return what is a label of the configuration."""
    return (Selector("cache_config_info", "0.9.0", _LAST, reads_label=label),)


def _waiting(reason: str) -> tuple[Selector, ...]:
    return (Selector("num_requests_waiting_by_reason", "0.20.0", _LAST, label="reason", values=(reason,)),)


_HITS = {
    "scheduler_queried_tokens": _prefix_cache("queries"),
    "scheduler_device_hit_tokens": _prefix_cache("hits"),
    "scheduler_host_hit_tokens": (_cached_by("host"),),
    "scheduler_storage_hit_tokens": (_cached_by("disk"),),
    "scheduler_remote_hit_tokens": (
        _cached_by("p2p", "external_unspecified"),
        Selector("external_prefix_cache_hits_total", "0.11.2", _LAST),
    ),
    "external_queried_tokens": _of("external_prefix_cache_queries_total", "0.11.2"),
    "external_hit_tokens": _of("external_prefix_cache_hits_total", "0.11.2"),
    "frontend_queried_tokens": _of("prompt_tokens_total", "0.9.0"),
    "frontend_device_hit_tokens": _prompt_by("local_cache_hit"),
    "frontend_remote_hit_tokens": _prompt_by("local_compute", "local_cache_hit", others=True),
    "prefill_computed_tokens": _prompt_by("local_compute"),
}

_WORK = {
    "prompt_tokens": _of("prompt_tokens_total", "0.9.0"),
    "generation_tokens": _of("generation_tokens_total", "0.9.0"),
    "decoded_tokens": _of("generation_tokens_total", "0.9.0"),
    "recomputed_tokens": _of("prompt_tokens_recomputed_total", "0.16.0", "0.19.0"),
    "finished_requests": _ended("abort", "error", others=True),
    "aborted_requests": _ended("abort"),
    "failed_requests": _ended("error"),
    "rejected_requests": _of("admission_rejections_total", "0.32.0"),
    "retracted_requests": _of("num_preemptions_total", "0.9.0"),
    "running_requests": _of("num_requests_running", "0.9.0"),
    "waiting_requests": _of("num_requests_waiting", "0.9.0"),
    "waiting_for_capacity_requests": _waiting("capacity"),
    "deferred_requests": _waiting("deferred"),
}

_POOLS = {
    "full_usage": (
        Selector("kv_cache_usage_perc", "0.10.0", _LAST),
        Selector("gpu_cache_usage_perc", "0.9.0", "0.11.2"),
    ),
    "full_total_tokens": _config("kv_cache_size_tokens"),
    "page_tokens": _config("block_size"),
    "pages": _config("num_gpu_blocks"),
    "prefix_caching": _config("enable_prefix_caching"),
}

_MOVES = {
    "load_back_bytes": _of("kv_offload_load_bytes_total", "0.24.0"),
    "backup_bytes": _of("kv_offload_store_bytes_total", "0.24.0"),
}

_SPREADS = {
    "ttft_seconds": _of("time_to_first_token_seconds", "0.9.0"),
    "inter_token_seconds": (
        Selector("inter_token_latency_seconds", "0.10.2", _LAST),
        Selector("time_per_output_token_seconds", "0.9.0", "0.14.0"),
    ),
    "e2e_seconds": _of("e2e_request_latency_seconds", "0.9.0"),
    "queue_seconds": _of("request_queue_time_seconds", "0.9.0"),
    "prefill_seconds": _of("request_prefill_time_seconds", "0.9.0"),
    "prompt_length_tokens": _of("request_prompt_tokens", "0.9.0"),
    "computed_prompt_tokens": _of("request_prefill_kv_computed_tokens", "0.13.0"),
    "block_lifetime_seconds": _of("kv_block_lifetime_seconds", "0.12.0"),
    "block_idle_seconds": _of("kv_block_idle_before_evict_seconds", "0.12.0"),
    "block_reuse_gap_seconds": _of("kv_block_reuse_gap_seconds", "0.12.0"),
}

VLLM = EngineMetrics(
    engine="vllm",
    rank_label="engine",
    shard_labels=(),
    roles={**_HITS, **_WORK, **_POOLS, **_MOVES, **_SPREADS},
    views=(
        HitView(
            "scheduler",
            ("scheduler_queried_tokens",),
            {tier: f"scheduler_{tier}_hit_tokens" for tier in ("device", "host", "storage", "remote")},
        ),
        HitView(
            "frontend",
            ("frontend_queried_tokens",),
            {tier: f"frontend_{tier}_hit_tokens" for tier in ("device", "remote")},
        ),
    ),
    null_pages=1,
    absent="start vLLM without --disable-log-stats",
    cache_off="start vLLM with --enable-prefix-caching",
    fewer_ranks="ask the front end of each rank: this one tells of its own engines alone",
)
"""vLLM's page. The first block of its pool is never used."""
