"""The settings of a replay as the flags of a command ask for them; a flag and what it sets have the same name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cache_core.branching import floor_page
from cache_core.config import CacheConfig
from profiles.cost_model import LLAMA_3_8B
from profiles.step_costs import LLAMA_3_8B_STEPS, StepCosts
from radixtop.errors import UsageError
from radixtop.flag_values import limit_of, options_of
from radixtop.replay.settings import ReplaySettings

MEMORY_BYTES = 20 << 30
"""What the KV of a replay takes when nobody says how much."""

_MS_NS = 1e6


def asked_settings(flags: Mapping[str, Any], requests: int | None = None) -> ReplaySettings:
    """Return what flags ask for; `requests` is how many the trace has, of which a warm-up may be a share.

    Raises UsageError for flags that contradict each other, ConfigError for values that make no cache,
    RecordingError for a recording that does not tell what steps take.
    """
    tokens = flags["tokens"]
    outputs = flags["outputs"]
    return ReplaySettings(
        config=_cache_config(flags),
        cache=flags["cache"],
        tokens=tokens,
        outputs=tokens == "all" if outputs is None else outputs,
        chunk_size=flags["chunk_size"],
        concurrency=flags["concurrency"],
        schedule=flags["schedule"],
        schedule_limit=limit_of(flags["schedule_limit"]),
        costs=_costs(flags),
        speed=flags["speed"],
        closed_loop=flags["closed_loop"],
        sessions=flags["sessions"],
        limit=flags["limit"],
        warm_up=_warm_up(flags["warm_up"], requests, flags["limit"]),
        seed=flags["seed"],
        misses=flags["misses"] and tokens == "all",
    )


def _cache_config(flags: Mapping[str, Any]) -> CacheConfig:
    components = _components(flags)
    page, window = flags["page_size"], flags["window"]
    if "swa" in components and window is None:
        raise UsageError("the component swa needs a window", "add --window N")
    if flags["full_slots"] is not None and flags["memory"] is not None:
        raise UsageError("--full-slots and --memory both size the pools", "leave one of them out")
    full_slots = flags["full_slots"]
    if full_slots is None:
        memory = flags["memory"] or MEMORY_BYTES
        full_slots = max(page, floor_page(memory // LLAMA_3_8B.kv_bytes_per_token, page))
    return CacheConfig(
        page_size=page,
        components=components,
        window=window if "swa" in components else None,
        full_slots=full_slots,
        swa_slots=flags["swa_slots"] if "swa" in components else None,
        swa_eviction=flags["swa_eviction"],
        mamba_slots=flags["mamba_slots"] if "mamba" in components else None,
        mamba_chunk_tokens=flags["mamba_chunk"],
        host_slots=flags["host_slots"],
        write_policy=flags["write_policy"],
        policy=flags["policy"],
        policy_options=options_of(flags["policy_options"]),
        evictor=flags["evictor"],
        branching=flags["branching"],
    )


def _components(flags: Mapping[str, Any]) -> tuple[str, ...]:
    if flags["components"] is not None:
        return tuple(flags["components"].split(","))
    return ("full",) if flags["window"] is None else ("full", "swa")


def _costs(flags: Mapping[str, Any]) -> StepCosts:
    """Return what steps take: as assumed or measured, with what the flags say in its place."""
    costs = LLAMA_3_8B_STEPS if flags["costs_from"] is None else _measured(flags["costs_from"])
    given: dict[str, Any] = {
        name: round(flags[flag] * _MS_NS)
        for flag, name in (
            ("decode_ms", "decode_step_ns"),
            ("decode_request_ms", "decode_request_ns"),
            ("overhead_ms", "overhead_ns"),
        )
        if flags[flag] is not None
    }
    for flag, name in (("prefill_rate", "prefill_tokens_per_s"), ("load_rate", "load_tokens_per_s")):
        if flags[flag] is not None:
            given[name] = flags[flag]
    return replace(costs, name=f"{costs.name}, changed by flags", **given) if given else costs


def _measured(path: Path) -> StepCosts:
    from cache_core.events import EngineStep
    from profiles.profile import RecordedProfile
    from profiles.step_fit import fit_steps

    with RecordedProfile(path) as profile:
        records = profile.records({EngineStep})
        return fit_steps((record for record in records if isinstance(record, EngineStep)), path.name)


def _warm_up(text: str, requests: int | None, limit: int | None) -> int:
    if not text.endswith("%"):
        return int(text)
    if requests is None:
        raise UsageError("a share of a trace of unknown length is unknown", "give --warm-up as a number of requests")
    taken = requests if limit is None else min(requests, limit)
    return taken * int(text[:-1]) // 100
