"""From a file and the flags of a command to what is replayed: a trace, or a recording as it was, and its settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probes.recordings.header import RECORDING_MAGIC
from probes.recordings.missing import WHOLE, Missing
from profiles.presets import PRESETS
from profiles.profile import RecordedProfile
from profiles.trace import Trace
from profiles.trace_format import open_trace
from radixtop.errors import UsageError
from radixtop.flag_values import options_of
from radixtop.replay.asked import asked_settings
from radixtop.replay.cache_config import recorded_config
from radixtop.replay.granularity import granularity
from radixtop.replay.recorded import RecordedEngine, recorded_engine
from radixtop.replay.settings import ReplaySettings

_SETTINGS = {
    name: name
    for name in (
        "page_size", "window", "full_slots", "swa_slots", "swa_eviction", "mamba_slots", "host_slots",
        "write_policy", "policy", "evictor", "branching", "cache",
    )
} | {"mamba_chunk": "mamba_chunk_tokens"}  # fmt: skip
"""Flags of the cache, and the settings that they are."""

_SIZING = ("memory", "preset", "swa_ratio")
"""Flags that size the pools of a trace, which has none."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A trace and how to replay it; `recorded` is what a recording says, and `missing` what is missing of that.

    `note` has to be said, empty for nothing.
    """

    trace: Trace
    settings: ReplaySettings
    recorded: RecordedEngine | None = None
    note: str = ""
    missing: Missing = WHOLE


def opened(path: Path, flags: Mapping[str, Any], given: Collection[str], varied: Collection[str] = ()) -> Opened:
    """Open what is to be replayed; `given` flags are on the command line, `varied` settings get several values.

    A recording has its own settings of the cache, whatever flags say. Raises TraceError for a file that cannot be
    read, RecordingError for a cache that cannot be replayed, UsageError and ConfigError for flags.
    """
    trace = open_trace(path, flags["format"], flags["limit"])
    requests = len(trace)
    if not is_recording(path):
        tokens, note = granularity(trace, flags, given, varied)
        return Opened(trace, asked_settings({**flags, "tokens": tokens}, requests), note=note)
    with RecordedProfile(path) as profile:
        config = recorded_config(profile.config)
        engine = recorded_engine(profile, asked_settings(flags, requests, config), given)
        missing = profile.missing
    return Opened(trace, engine.settings, engine, missing=missing)


def with_flags(settings: ReplaySettings, flags: Mapping[str, Any], given: Collection[str]) -> ReplaySettings:
    """Return the settings of a recording with what flags say of its cache. Raises UsageError and ConfigError."""
    for name in _SIZING:
        if name in given:
            flag = name.replace("_", "-")
            raise UsageError(
                f"--{flag} sizes the pools of a trace, and a recording has its own", "add --full-slots N"
            )
    changes = {setting: flags[name] for name, setting in _SETTINGS.items() if name in given}
    if "components" in given:
        changes["components"] = tuple(flags["components"].split(","))
    if "policy_options" in given:
        changes["policy_options"] = options_of(flags["policy_options"])
    return settings.changed(**changes)


def is_recording(path: Path) -> bool:
    """Say whether a file is a recording of ours; one that cannot be read is none."""
    try:
        with open(path, "rb") as file:
            return file.read(len(RECORDING_MAGIC)) == RECORDING_MAGIC
    except OSError:
        return False


def needs(path: Path, flags: Mapping[str, Any], varied: Collection[str] = ()) -> Mapping[str, tuple[bool, str]]:
    """Return for flags that do nothing without another one whether that is there, and what it is."""
    has_arrivals = flags["closed_loop"] is None or "closed_loop" in varied
    of_arrivals = {"speed": (has_arrivals, "arrivals, and --closed-loop has none")}
    if is_recording(path):
        return of_arrivals
    components, preset = flags["components"], PRESETS.get((flags["preset"] or "").lower())
    others = None if preset is None or components is not None else preset.others
    has_swa = flags["window"] is not None if components is None else "swa" in components
    has_swa = has_swa or others == "window" or bool({"window", "components"} & set(varied))
    has_mamba = "mamba" in (components or "") or others == "state" or "components" in varied
    has_host = flags["host_slots"] > 0 or "host_slots" in varied
    of_swa, of_mamba, of_host = "--window N", "--components full,mamba", "--host-slots N"
    return {
        **of_arrivals,
        "window": (components is None or has_swa, "--components full,swa"),
        "swa_slots": (has_swa, of_swa), "swa_ratio": (has_swa, of_swa), "swa_eviction": (has_swa, of_swa),
        "branching": (has_swa or has_mamba, of_swa),
        "mamba_slots": (has_mamba, of_mamba), "mamba_chunk": (has_mamba, of_mamba),
        "write_policy": (has_host, of_host), "load_rate": (has_host, of_host),
    }  # fmt: skip
