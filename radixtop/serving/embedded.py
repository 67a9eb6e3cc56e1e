"""Puts the embedded cache and its workload together for one run: sizes, settings, translation. Loads no torch."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from cache_core import CacheConfig, PrefixCache
from cache_core.engine import SHAPES, EngineConfig, GenerateRequest
from cache_core.engine.ranges import Ranges, no_ranges, torch_ranges
from cache_core.schedule import ScheduleConfig
from probes.kv.publisher import PublisherOptions
from profiles.driving.pace import Pace
from profiles.workload import Prompt, Workload
from profiles.workload_options import make_workload
from radixtop.serving.kv_feed import KVFeed
from radixtop.serving.run_config import RunConfig
from radixtop.serving.sizing import Load, PoolSizes, everything, what_runs

NVTX_VARIABLE = "RADIXTOP_NVTX"
"""The environment variable that, set to 1, has a live run mark the phases of its steps for nsys and torch."""

_LINGER_MS = 300
"""How long the last KV events may take to leave: the worker has promised to be gone within two seconds."""


NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
"""Where it is, "auto" may be a GPU."""


def build_workload(run: RunConfig) -> Workload:
    """Return the endless workload of a run, in the vocabulary of its model. Raises ConfigError for its options."""
    return make_workload(run.workload, run.workload_options, run.seed, SHAPES[run.model].vocabulary)


def cache_config(run: RunConfig) -> CacheConfig:
    """Return the settings of the cache; pools that were not asked for get a size that suits the run.

    Raises ConfigError for settings that no cache can work with.
    """
    sizes, components = _pool_sizes(run), tuple(run.components.split(","))
    return CacheConfig(
        page_size=run.page_size,
        components=components,
        window=run.window if "swa" in components else None,
        full_slots=run.full_slots or sizes.full_slots,
        swa_slots=(run.swa_slots or sizes.swa_slots) if "swa" in components else None,
        swa_eviction=run.swa_eviction,
        mamba_slots=run.mamba_slots,
        mamba_chunk_tokens=run.mamba_chunk,
        host_slots=run.host_slots,
        write_policy=run.write_policy,
        policy=run.policy,
        policy_options=run.policy_options,
        evictor=run.evictor,
        branching=run.branching,
    )


def describe(run: RunConfig, config: CacheConfig) -> dict[str, object]:
    """Return what readers are told of a run: what was asked for, with the cache's settings as they came to be."""
    asked = {name: value for name, value in run.describe().items() if name not in ("record", "pools_hold_everything")}
    element_bytes = _element_bytes(run.device)
    sizes = SHAPES[run.model].slot_bytes(config.components, element_bytes) if element_bytes else {}
    return {"target": "embedded", **asked, **config.describe(), **({"slot_bytes": sizes} if sizes else {})}


def _element_bytes(device: str) -> int | None:
    """Return the size of a number in the pools of a device; None where only torch can tell what "auto" comes to."""
    if device == "auto":
        device = "" if NVIDIA_DRIVER.exists() else "cpu"
    return {"cpu": 4, "cuda": 2}.get(device)


def engine_config(run: RunConfig) -> EngineConfig:
    """Return the settings of the engine."""
    return EngineConfig(
        model=run.model,
        device=run.device,
        chunk_size=run.chunk_size,
        concurrency=run.concurrency,
        seed=run.seed,
        schedule=run.schedule,
        schedule_config=ScheduleConfig(limit=run.schedule_limit, seed=run.seed),
    )


def ranges() -> Ranges:
    """Return what marks the phases of a step for profilers: nothing unless the environment asks for it.

    Imports torch if it does.
    """
    if os.environ.get(NVTX_VARIABLE) != "1":
        return no_ranges
    return torch_ranges()


def kv_feed(run: RunConfig, cache: PrefixCache) -> KVFeed | None:
    """Return what publishes the cache's KV events, if the run asks for that. Raises PublishError."""
    if run.kv_events is None:
        return None
    return KVFeed(cache, PublisherOptions(endpoint=run.kv_events, linger_ms=_LINGER_MS))


def pace(run: RunConfig) -> Pace:
    """Return how fast prompts arrive and when the run is over."""
    return Pace(
        concurrency=run.concurrency,
        rate_per_s=run.rate,
        requests=run.requests,
        duration_ns=None if run.duration_s is None else round(run.duration_s * 1e9),
        seed=run.seed,
    )


def to_request(prompt: Prompt) -> GenerateRequest:
    """Return the engine's request for a prompt of a workload; what it begins with is its routing key."""
    return GenerateRequest(
        tokens=prompt.tokens,
        output_tokens=prompt.output_tokens,
        extra_key=prompt.extra_key,
        cache_salt=prompt.cache_salt,
        segments=prompt.segments,
        routing_key=prompt.segments[0][1],
    )


def first_requests(run: RunConfig) -> list[GenerateRequest]:
    """Return the engine's requests for the first `run.requests` prompts of a run's workload, follow-ups left out."""
    assert run.requests is not None, "a load that is served more than once has an end"
    return [to_request(prompt) for prompt in islice(build_workload(run).prompts(), run.requests)]


def _pool_sizes(run: RunConfig) -> PoolSizes:
    load = Load(run.concurrency, run.chunk_size, run.page_size, run.window)
    prompts = build_workload(run).prompts()
    if run.pools_hold_everything and run.requests is not None:
        return everything(prompts, run.requests, load)
    return what_runs(prompts, load)
