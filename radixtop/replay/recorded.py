"""Settings that serve the requests of a recording again as they were served: one way for every command.

The cache is as it was. The engine and its schedule are as the recording states them, else as its steps show; what
steps took is measured. A load that kept so many requests outstanding does so again, any other one comes at the times
that were recorded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from cache_core.events import EngineStep
from cache_core.schedule import SCHEDULES
from probes.errors import RecordingError
from profiles.hits import Hits
from profiles.prices import prices_of
from profiles.profile import Profile
from profiles.step_fit import fit_steps
from radixtop.replay.cache_config import recorded_config
from radixtop.replay.recorded_hits import RecordedHits
from radixtop.replay.settings import ReplaySettings

_OF_COSTS = {"prefill_rate", "decode_ms", "decode_request_ms", "overhead_ms", "load_rate", "costs_from"}
"""Flags that say what steps take."""
_OF_PACE = {"closed_loop", "speed"}
"""Flags that say when requests come."""


@dataclass(frozen=True, slots=True)
class RecordedEngine:
    """How to serve a recording again, what its cache had found, and what slots take.

    Without `is_told` nothing says how the engine worked, and `settings` are a guess. `slot_bytes` are by pool, as far
    as the recording says.
    """

    settings: ReplaySettings
    found: RecordedHits
    slot_bytes: dict[str, float]
    is_told: bool

    @property
    def hit_rate(self) -> float | None:
        """The share of the prompt tokens that was hit; None of none."""
        return self.found.rate()


def recorded_engine(
    profile: Profile, asked: ReplaySettings | None = None, given: Collection[str] = ()
) -> RecordedEngine:
    """Return what a recording says of its cache and engine; what it does not say is as `asked`, and so is `given`.

    Raises RecordingError for a cache that cannot be replayed.
    """
    found = RecordedHits()
    hits = Hits(found.take)
    steps: list[EngineStep] = []
    config = recorded_config(profile.config)
    for record in profile.records({*hits.folds, EngineStep}):
        if isinstance(record, EngineStep):
            steps.append(record)
        else:
            hits.folds[type(record)](record)
    told = {**_seen(steps), **_stated(profile.config)}
    is_told = {"chunk_size", "concurrency"} <= told.keys()
    taken = {name: value for name, value in told.items() if name not in _answered(given)}
    base = ReplaySettings(config) if asked is None else asked
    settings = replace(base, config=config, **taken)  # type: ignore[arg-type]
    slot_bytes = {name: float(size) for name, size in prices_of(profile.config).slot_bytes.items()}
    return RecordedEngine(settings, found, slot_bytes, is_told)


def _answered(given: Collection[str]) -> set[str]:
    """Return the settings that flags on the command line answer."""
    costs = {"costs"} if _OF_COSTS & set(given) else set()
    pace = _OF_PACE if _OF_PACE & set(given) else set()
    return {*given, *costs, *pace}


def _stated(config: Mapping[str, object]) -> dict[str, object]:
    """Return what the recording states of its engine and of the load; nonsense is as if it was not there."""
    stated: dict[str, object] = {
        name: config[name] for name in ("chunk_size", "concurrency") if _is_positive(config.get(name))
    }
    schedule = config.get("schedule")
    if isinstance(schedule, str) and schedule in SCHEDULES:
        stated["schedule"] = schedule
    limit = config.get("schedule_limit")
    if "schedule_limit" in config and (limit is None or _is_positive(limit)):
        stated["schedule_limit"] = limit
    if schedule == "random" and type(config.get("seed")) is int:
        stated["seed"] = config["seed"]
    outstanding = config.get("closed_loop") if config.get("target") == "replay" else config.get("concurrency")
    if not config.get("rate") and _is_positive(outstanding):
        stated["closed_loop"] = outstanding
    return stated


def _is_positive(value: object) -> bool:
    return type(value) is int and value > 0


def _seen(steps: Sequence[EngineStep]) -> dict[str, object]:
    """Return what steps show of their engine: the widest one stands for its limits."""
    shown: dict[str, object] = {
        "chunk_size": max((step.prefill_tokens for step in steps), default=0),
        "concurrency": max((step.running for step in steps), default=0),
    }
    try:
        shown["costs"] = fit_steps(steps, "the recording")
    except RecordingError:
        pass  # too few steps, or all alike: what was assumed is as good
    return {setting: value for setting, value in shown.items() if value}
