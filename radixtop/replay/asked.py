"""The settings of a replay as the flags of a command ask for them; a flag and what it sets have the same name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cache_core.branching import floor_page
from cache_core.config import CacheConfig
from profiles.presets import PRESETS, ModelPreset, preset_of
from profiles.step_costs import LLAMA_3_8B_STEPS, StepCosts
from radixtop.errors import UsageError
from radixtop.flag_values import limit_of, options_of
from radixtop.replay.settings import Granularity, ReplaySettings

MEMORY_BYTES = 20 << 30
"""What the KV of a replay takes when nobody says how much."""

DEFAULT_PRESET = "llama-3-8b"
"""And of which model."""

_MS_NS = 1e6


def asked_settings(
    flags: Mapping[str, Any], requests: int | None = None, config: CacheConfig | None = None
) -> ReplaySettings:
    """Return what flags ask for; `requests` is how many the trace has, of which a warm-up may be a share.

    `config` is that of a cache of which flags say nothing; None: they do.

    Raises UsageError for flags that contradict each other, ConfigError for values that make no cache,
    RecordingError for a recording that does not tell what steps take.
    """
    tokens: Granularity = flags["tokens"] or "all"
    outputs = flags["outputs"]
    return ReplaySettings(
        config=_cache_config(flags) if config is None else config,
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
    preset = None if flags["preset"] is None else preset_of(flags["preset"])
    components = _components(flags, preset)
    window = None
    if "swa" in components:
        window = flags["window"] or (preset.window if preset else None)
        if window is None:
            raise UsageError("the component swa needs a window", "add --window N")
    page = flags["page_size"] or (preset.page_size if preset else None) or 1
    full_slots, swa_slots = _slots(flags, preset, page, has_windows=window is not None)
    return CacheConfig(
        page_size=page,
        components=components,
        window=window,
        full_slots=full_slots,
        swa_slots=swa_slots,
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


def _components(flags: Mapping[str, Any], preset: ModelPreset | None) -> tuple[str, ...]:
    if flags["components"] is not None:
        return tuple(flags["components"].split(","))
    if preset is not None and preset.others == "state":
        return ("full", "mamba")
    windows = flags["window"] is not None or (preset is not None and preset.window is not None)
    return ("full", "swa") if windows else ("full",)


def _slots(
    flags: Mapping[str, Any], preset: ModelPreset | None, page: int, *, has_windows: bool
) -> tuple[int, int | None]:
    """Return the sizes of the pools: as told, or as many as the memory holds of the model."""
    full_slots, ratio = flags["full_slots"], flags["swa_ratio"]
    if full_slots is not None and flags["memory"] is not None:
        raise UsageError("--full-slots and --memory both size the pools", "leave one of them out")
    if has_windows and flags["memory"] is not None and preset is None:
        raise UsageError(
            "--memory does not tell what windows take without a model", "add --preset, or --full-slots N"
        )
    if flags["swa_slots"] is not None and ratio is not None:
        raise UsageError("--swa-slots and --swa-ratio both size the window pool", "leave one of them out")
    if ratio is None and preset is not None:
        ratio = preset.swa_full_ratio
    if full_slots is None:
        model = preset or PRESETS[DEFAULT_PRESET]
        fitting = model.slots(flags["memory"] or MEMORY_BYTES, ratio)
        if fitting is None:
            raise UsageError(f"the KV size of {model.name} is not known", "give --full-slots N")
        full_slots = max(page, floor_page(fitting[0], page))
    swa_slots = flags["swa_slots"]
    if swa_slots is None and has_windows:
        swa_slots = max(page, floor_page(round(full_slots * (1.0 if ratio is None else ratio)), page))
    return full_slots, swa_slots if has_windows else None


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
    from radixtop.output import tell_missing

    with RecordedProfile(path) as profile:
        records = profile.records({EngineStep})
        costs = fit_steps((record for record in records if isinstance(record, EngineStep)), path.name)
        tell_missing(path, profile.missing)
        return costs


def _warm_up(text: str, requests: int | None, limit: int | None) -> int:
    if not text.endswith("%"):
        return int(text)
    if requests is None:
        raise UsageError("a share of a trace of unknown length is unknown", "give --warm-up as a number of requests")
    taken = requests if limit is None else min(requests, limit)
    return taken * int(text[:-1]) // 100
