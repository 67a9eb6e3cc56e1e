"""What is compared: the trace, looked through once, and if it is a recording what its cache was and found."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from cache_core.events import EngineStep
from probes.errors import RecordingError
from probes.recordings.header import RECORDING_MAGIC
from profiles.hits import Found, Hits
from profiles.prices import prices_of
from profiles.profile import RecordedProfile
from profiles.step_fit import fit_steps
from profiles.trace import Trace
from radixtop.compare.row import Figures, Source
from radixtop.errors import RadixtopError
from radixtop.replay.cache_config import recorded_config
from radixtop.replay.settings import ReplaySettings

_OF_COSTS = {"prefill_rate", "decode_ms", "decode_request_ms", "overhead_ms", "load_rate", "costs_from"}
"""Flags that say what steps take."""
_ENGINE = {"chunk_size": int, "concurrency": int, "schedule": str, "schedule_limit": int}
"""Settings of an engine that a recording may state, and their types."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """Sums over the requests of a trace."""

    requests: int
    prompt_tokens: int
    blocks: int
    block_tokens: int

    def blocks_of(self, slots: int) -> int:
        """Return how many blocks so many slots hold, at the mean length of the trace's blocks."""
        return slots * self.blocks // self.prompt_tokens if self.prompt_tokens else 0


def lengths_of(trace: Trace, limit: int | None) -> Lengths:
    """Look through the first `limit` requests of a trace. Raises TraceError where one cannot be read."""
    requests = prompt_tokens = blocks = block_tokens = 0
    for request in islice(trace, limit):
        requests += 1
        prompt_tokens += request.prompt_tokens
        blocks += request.blocks
        block_tokens = max(block_tokens, request.block_tokens)
    return Lengths(requests, prompt_tokens, blocks, block_tokens)


def source_of(trace: Trace, lengths: Lengths, recorded: Figures | None) -> Source:
    """Return what is told of a trace."""
    return Source(trace.name, lengths.requests, lengths.block_tokens, recorded)


def is_recording(path: Path) -> bool:
    """Say whether a file is a recording of ours."""
    with open(path, "rb") as file:
        return file.read(len(RECORDING_MAGIC)) == RECORDING_MAGIC


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded cache: the replay of it as it was, what it found, and what a slot takes where the recording says."""

    settings: ReplaySettings
    figures: Figures
    slot_bytes: dict[str, float]


def recorded(path: Path, asked: ReplaySettings, given: Collection[str]) -> Recorded:
    """Return what a recording says of its cache and engine; what it does not say is as `asked`, and so is `given`.

    The widest step stands for a chunk size and a concurrency that are not stated; what steps took is measured.
    Raises RecordingError for a cache that cannot be replayed, RadixtopError for a recording without requests.
    """
    sums: list[Found] = [Found()]
    requests = 0

    def add(_: int, found: Found) -> None:
        nonlocal requests
        requests += found.prompt_tokens > 0
        sums[0] = Found(*(total + more for total, more in zip(sums[0], found, strict=True)))

    hits = Hits(add)
    steps: list[EngineStep] = []
    with RecordedProfile(path) as profile:
        config = recorded_config(profile.config)
        for record in profile.records({*hits.folds, EngineStep}):
            if isinstance(record, EngineStep):
                steps.append(record)
            else:
                hits.folds[type(record)](record)
        told = {
            name: profile.config[name]
            for name, kind in _ENGINE.items()
            if name not in given and type(profile.config.get(name)) is kind
        }
        slot_bytes = {name: float(size) for name, size in prices_of(profile.config).slot_bytes.items()}
    if not requests:
        raise RadixtopError(f"{path} records no requests", "record an engine: radixtop live --record FILE")
    found = sums[0]
    figures = Figures(requests, found.prompt_tokens, found.device_hit_tokens + found.loaded_tokens)
    told = {**_seen(steps, path.name, given), **told}
    settings = replace(asked, config=config, **told)  # type: ignore[arg-type]
    return Recorded(settings, figures, slot_bytes)


def _seen(steps: Sequence[EngineStep], name: str, given: Collection[str]) -> dict[str, object]:
    """Return the settings of an engine that its steps show, unless they are given."""
    shown: dict[str, object] = {
        "chunk_size": max((step.prefill_tokens for step in steps), default=0),
        "concurrency": max((step.running for step in steps), default=0),
    }
    if not _OF_COSTS & set(given):
        try:
            shown["costs"] = fit_steps(steps, name)
        except RecordingError:
            pass  # too few steps, or all alike: what was assumed is as good
    return {setting: value for setting, value in shown.items() if value and setting not in given}
