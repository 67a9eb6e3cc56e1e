"""What a figure of an engine stands for, whichever engine tells it: the table of all roles.

Tokens are logical: tensor- and pipeline-parallel ranks tell the same ones, and one of them is read. Bytes are of each
rank's part and summed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]
Unit = Literal["tokens", "bytes", "seconds", "requests", "states", "pages", "ratio", "tokens/s", "GB", "switch"]


@dataclass(frozen=True, slots=True)
class Role:
    """What a figure is: how it moves, its unit, and what it says."""

    kind: Kind
    unit: Unit
    help: str


def _pool(name: str, what: str, unit: Unit = "tokens") -> dict[str, Role]:
    """Return the roles of a pool of slots."""
    return {
        f"{name}_total_{unit}": Role("gauge", unit, f"Capacity of {what}."),
        f"{name}_used_{unit}": Role("gauge", unit, f"In use by requests in {what}."),
        f"{name}_available_{unit}": Role("gauge", unit, f"Free in {what}."),
        f"{name}_evictable_{unit}": Role("gauge", unit, f"Cached and free to be evicted in {what}."),
        f"{name}_usage": Role("gauge", "ratio", f"Share of {what} that is in use."),
    }


def _hits(view: str, when: str) -> dict[str, Role]:
    """Return the roles of a way of counting hits."""
    tiers = {
        "device": "on the device",
        "host": "in host memory",
        "storage": "in storage",
        "remote": "in another instance or wherever a connector had them",
        "untold": "somewhere: the tier is not told",
    }
    return {
        f"{view}_queried_tokens": Role("counter", "tokens", f"Prompt tokens looked up, counted {when}."),
        **{
            f"{view}_{tier}_hit_tokens": Role("counter", "tokens", f"Hit {where}, counted {when}.")
            for tier, where in tiers.items()
        },
    }


_HITS = {
    **_hits("scheduler", "by the scheduler"),
    **_hits("frontend", "by the frontend, when a request is done"),
    "external_queried_tokens": Role("counter", "tokens", "Looked up by a connector: what missed the cache itself."),
    "external_hit_tokens": Role("counter", "tokens", "Found by a connector."),
    "prefill_cached_tokens": Role(
        "counter", "tokens", "Prefilled from the cache, those of retracted requests again."
    ),
    "prefill_computed_tokens": Role(
        "counter", "tokens", "Prefilled by the model, those of retracted requests again."
    ),
}

_WORK = {
    "prompt_tokens": Role("counter", "tokens", "Prompt tokens of requests."),
    "generation_tokens": Role("counter", "tokens", "Generated tokens of requests; by SGLang when they are done."),
    "decoded_tokens": Role("counter", "tokens", "Generated tokens as the scheduler makes them."),
    "recomputed_tokens": Role("counter", "tokens", "Cached tokens that were computed again."),
    "finished_requests": Role("counter", "requests", "Requests done."),
    "aborted_requests": Role("counter", "requests", "Requests given up."),
    "failed_requests": Role("counter", "requests", "Requests that failed."),
    "rejected_requests": Role("counter", "requests", "Requests that no queue took."),
    "retracted_requests": Role("counter", "requests", "Put back for want of room (vLLM: preempted)."),
    "retracted_input_tokens": Role("counter", "tokens", "Prompt tokens of requests put back."),
    "retracted_output_tokens": Role("counter", "tokens", "Generated tokens of requests put back."),
    "idle_seconds": Role("counter", "seconds", "Time the scheduler had nothing to do."),
    "running_requests": Role("gauge", "requests", "Being served."),
    "waiting_requests": Role("gauge", "requests", "In the queue."),
    "waiting_for_capacity_requests": Role("gauge", "requests", "In the queue for want of room."),
    "deferred_requests": Role("gauge", "requests", "In the queue until something else is done."),
    "retracted_now_requests": Role("gauge", "requests", "Put back in the last report."),
    "paused_requests": Role("gauge", "requests", "Paused."),
    "reported_generation_tokens_per_s": Role("gauge", "tokens/s", "Throughput of the last report of the engine."),
}

_POOLS = {
    **_pool("full", "the KV pool"),
    **_pool("swa", "the sliding-window pool"),
    **_pool("mamba", "the pool of recurrent states", "states"),
    "usage": Role("gauge", "ratio", "Share in use of the fullest pool."),
    "page_tokens": Role("gauge", "tokens", "Tokens of a page (vLLM: block)."),
    "pages": Role("gauge", "pages", "Pages of the KV pool."),
    "context_tokens": Role("gauge", "tokens", "The longest context that is served."),
    "kv_memory_gb": Role("gauge", "GB", "Memory of the KV pools."),
    "session_held_tokens": Role("gauge", "tokens", "Held by streaming sessions."),
    "prefix_caching": Role("gauge", "switch", "1 with prefix caching, 0 without."),
}

_MOVES = {
    "evicted_tokens": Role("counter", "tokens", "Device slots freed by eviction, backed up or not."),
    "load_back_tokens": Role("counter", "tokens", "Loaded from host memory to the device."),
    "load_back_bytes": Role("counter", "bytes", "Loaded from host memory to the device, by all ranks."),
    "backup_tokens": Role("counter", "tokens", "Copied from the device to host memory."),
    "backup_bytes": Role("counter", "bytes", "Copied from the device to host memory, by all ranks."),
    "dropped_tokens": Role("counter", "tokens", "Evicted from the device without a copy on the host."),
    "host_used_tokens": Role("gauge", "tokens", "In use in host memory."),
    "host_total_tokens": Role("gauge", "tokens", "Capacity of host memory."),
    "host_mamba_used_states": Role("gauge", "states", "Recurrent states in use in host memory."),
    "host_mamba_total_states": Role("gauge", "states", "Capacity of host memory for recurrent states."),
    "storage_hit_tokens": Role("counter", "tokens", "Found in storage, before anything was moved."),
    "storage_prefetched_tokens": Role("counter", "tokens", "Fetched from storage into host memory."),
    "storage_unfulfilled_tokens": Role("counter", "tokens", "Found in storage and not made use of."),
    "storage_deferred_tokens": Role("counter", "tokens", "Found in storage and put off for want of room."),
    "storage_backup_tokens": Role("counter", "tokens", "Copied from host memory to storage."),
    "storage_backup_dropped_tokens": Role("counter", "tokens", "Meant for storage and never copied there."),
}

_SPREADS = {
    "eviction_seconds": Role("histogram", "seconds", "An eviction on the device, its copies to the host included."),
    "load_back_seconds": Role("histogram", "seconds", "A load from host memory."),
    "backup_seconds": Role("histogram", "seconds", "A copy to host memory."),
    "ttft_seconds": Role("histogram", "seconds", "Time to the first token."),
    "inter_token_seconds": Role("histogram", "seconds", "Time between tokens."),
    "e2e_seconds": Role("histogram", "seconds", "A request from end to end."),
    "queue_seconds": Role("histogram", "seconds", "A request's time in the queue."),
    "prefill_seconds": Role("histogram", "seconds", "A request's time in prefill."),
    "prompt_length_tokens": Role("histogram", "tokens", "Prompt lengths."),
    "computed_prompt_tokens": Role("histogram", "tokens", "Tokens of a prompt that had to be computed."),
    "block_lifetime_seconds": Role("histogram", "seconds", "From a block's allocation to its eviction; sampled."),
    "block_idle_seconds": Role("histogram", "seconds", "From a block's last use to its eviction; sampled."),
    "block_reuse_gap_seconds": Role("histogram", "seconds", "Between two uses of a block; sampled."),
}

ROLES: Mapping[str, Role] = {**_HITS, **_WORK, **_POOLS, **_MOVES, **_SPREADS}
"""Every role by its name."""
