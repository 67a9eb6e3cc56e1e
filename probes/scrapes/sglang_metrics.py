"""What SGLang's page of metrics tells, by role. Versions as far as they were looked at: 0.5.1 to 0.5.23.

The gauge `cache_hit_rate` is left out on purpose: it is the ratio of one batch, and of 0 before 0.5.20 whenever a
decode was reported.
"""

from __future__ import annotations

from probes.scrapes.metric import EngineMetrics, HitView, Selector

_LAST = "0.5.23"


def _of(name: str, since: str) -> tuple[Selector, ...]:
    return (Selector(name, since, _LAST),)


def _merged(name: str, since: str) -> tuple[Selector, ...]:
    """Return a metric of the cache: up to 0.5.20 the counts of all tensor-parallel ranks were one series."""
    return (Selector(name, since, _LAST, merges_ranks=True),)


def _of_kv_pool(name: str, since: str) -> tuple[Selector, ...]:
    """Return a metric of host pools, read for the KV pool; early versions have no other."""
    return (Selector(name, since, _LAST, label="pool", values=("kv", ""), merges_ranks=True),)


def _effective(mode: str) -> tuple[Selector, ...]:
    name = "prefill_effective_tokens_total"
    return (Selector(name, "0.5.18", _LAST, label="mode", values=(mode,), absent_is_zero=True),)


def _realtime(mode: str) -> tuple[Selector, ...]:
    return (Selector("realtime_tokens_total", "0.5.7", _LAST, label="mode", values=(mode,), absent_is_zero=True),)


def _cached(*tiers: str, others: bool = False) -> tuple[Selector, ...]:
    """Return hits as the frontend counts them; 0.5.9 began to tell tiers, and not for every request."""
    name = "cached_tokens_total"
    return (Selector(name, "0.5.1", _LAST, "cache_source", tiers, others=others, absent_is_zero=True),)


_HITS = {
    "scheduler_queried_tokens": _of("prefill_effective_tokens_total", "0.5.18"),
    "scheduler_device_hit_tokens": _effective("device_hit"),
    "scheduler_host_hit_tokens": _effective("host_hit"),
    "scheduler_storage_hit_tokens": _effective("storage_hit"),
    "prefill_cached_tokens": _realtime("prefill_cache"),
    "prefill_computed_tokens": _realtime("prefill_compute"),
    "frontend_queried_tokens": _of("prompt_tokens_total", "0.5.1"),
    "frontend_device_hit_tokens": _cached("device"),
    "frontend_host_hit_tokens": _cached("host"),
    "frontend_storage_hit_tokens": _cached("storage"),
    "frontend_untold_hit_tokens": _cached("device", "host", "storage", others=True),
}

_WORK = {
    "prompt_tokens": _of("prompt_tokens_total", "0.5.1"),
    "generation_tokens": _of("generation_tokens_total", "0.5.1"),
    "decoded_tokens": _realtime("decode"),
    "finished_requests": _of("num_requests_total", "0.5.1"),
    "aborted_requests": _of("num_aborted_requests_total", "0.5.3"),
    "retracted_requests": _of("num_retracted_requests_total", "0.5.7"),
    "retracted_input_tokens": _of("num_retracted_input_tokens_total", "0.5.7"),
    "retracted_output_tokens": _of("num_retracted_output_tokens_total", "0.5.7"),
    "idle_seconds": _of("scheduler_idle_seconds_total", "0.5.20"),
    "running_requests": _of("num_running_reqs", "0.5.1"),
    "waiting_requests": _of("num_queue_reqs", "0.5.1"),
    "retracted_now_requests": _of("num_retracted_reqs", "0.5.3"),
    "paused_requests": _of("num_paused_reqs", "0.5.3"),
    "reported_generation_tokens_per_s": _of("gen_throughput", "0.5.1"),
}

_POOLS = {
    "full_total_tokens": _of("max_total_num_tokens", "0.5.6"),
    "full_used_tokens": (Selector("kv_used_tokens", "0.5.11", _LAST), Selector("num_used_tokens", "0.5.1", _LAST)),
    "full_available_tokens": _of("kv_available_tokens", "0.5.11"),
    "full_evictable_tokens": _of("kv_evictable_tokens", "0.5.11"),
    "full_usage": _of("full_token_usage", "0.5.10"),
    "swa_total_tokens": _of("max_total_num_tokens_swa", "0.5.17"),
    "swa_used_tokens": _of("swa_used_tokens", "0.5.12"),
    "swa_available_tokens": _of("swa_available_tokens", "0.5.12"),
    "swa_evictable_tokens": _of("swa_evictable_tokens", "0.5.12"),
    "swa_usage": _of("swa_token_usage", "0.5.3"),
    "mamba_used_states": _of("mamba_used_tokens", "0.5.12"),
    "mamba_available_states": _of("mamba_available_tokens", "0.5.12"),
    "mamba_evictable_states": _of("mamba_evictable_tokens", "0.5.12"),
    "mamba_usage": _of("mamba_usage", "0.5.6"),
    "usage": _of("token_usage", "0.5.1"),
    "page_tokens": _of("page_size", "0.5.11"),
    "pages": _of("num_pages", "0.5.11"),
    "context_tokens": _of("context_len", "0.5.11"),
    "kv_memory_gb": _of("kv_cache_memory_usage_gb", "0.5.17"),
    "session_held_tokens": _of("streaming_session_held_tokens", "0.5.11"),
}

_MOVES = {
    "evicted_tokens": _merged("evicted_tokens_total", "0.5.6"),
    "load_back_tokens": _of_kv_pool("load_back_tokens_total", "0.5.6"),
    "load_back_bytes": _of("load_back_bytes_total", "0.5.18"),
    "backup_tokens": _of_kv_pool("hicache_backup_tokens_total", "0.5.18"),
    "backup_bytes": _of("hicache_backup_bytes_total", "0.5.18"),
    "dropped_tokens": _of_kv_pool("hicache_dropped_tokens_total", "0.5.18"),
    "host_used_tokens": _of("hicache_host_used_tokens", "0.5.10"),
    "host_total_tokens": _of("hicache_host_total_tokens", "0.5.10"),
    "host_mamba_used_states": _of("hicache_host_mamba_used_states", "0.5.23"),
    "host_mamba_total_states": _of("hicache_host_mamba_total_states", "0.5.23"),
    "storage_hit_tokens": _of("storage_prefetch_hit_tokens_total", "0.5.20"),
    "storage_prefetched_tokens": _of("prefetched_tokens_total", "0.5.3"),
    "storage_unfulfilled_tokens": _of("storage_prefetch_unfulfilled_tokens_total", "0.5.20"),
    "storage_deferred_tokens": _of("storage_prefetch_deferred_tokens_total", "0.5.20"),
    "storage_backup_tokens": _of("backuped_tokens_total", "0.5.3"),
    "storage_backup_dropped_tokens": _of("hicache_backup_dropped_tokens_total", "0.5.19"),
}

_SPREADS = {
    "eviction_seconds": _of("eviction_duration_seconds", "0.5.6"),
    "load_back_seconds": _of("load_back_duration_seconds", "0.5.6"),
    "backup_seconds": _of("hicache_backup_duration_seconds", "0.5.18"),
    "ttft_seconds": _of("time_to_first_token_seconds", "0.5.1"),
    "inter_token_seconds": _of("inter_token_latency_seconds", "0.5.1"),
    "e2e_seconds": _of("e2e_request_latency_seconds", "0.5.1"),
    "queue_seconds": _of("queue_time_seconds", "0.5.3"),
    "prompt_length_tokens": _of("prompt_tokens_histogram", "0.5.1"),
    "computed_prompt_tokens": _of("uncached_prompt_tokens_histogram", "0.5.12"),
}

SGLANG = EngineMetrics(
    engine="sglang",
    rank_label="dp_rank",
    shard_labels=("pp_rank", "tp_rank", "moe_ep_rank", "attn_cp_rank"),
    roles={**_HITS, **_WORK, **_POOLS, **_MOVES, **_SPREADS},
    views=(
        HitView(
            "scheduler",
            ("scheduler_queried_tokens",),
            {tier: f"scheduler_{tier}_hit_tokens" for tier in ("device", "host", "storage")},
        ),
        HitView("prefill", ("prefill_cached_tokens", "prefill_computed_tokens"), {"untold": "prefill_cached_tokens"}),
        HitView(
            "frontend",
            ("frontend_queried_tokens",),
            {tier: f"frontend_{tier}_hit_tokens" for tier in ("device", "host", "storage", "untold")},
        ),
    ),
    absent="start SGLang with --enable-metrics",
    cache_off="start SGLang without --disable-radix-cache",
    fewer_ranks="start it with --enable-metrics-for-all-schedulers",
)
"""SGLang's page."""
