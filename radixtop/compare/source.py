"""What is compared: the trace, looked through once, and if it is a recording what its cache was and found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from probes.recordings.header import RECORDING_MAGIC
from profiles.profile import RecordedProfile
from profiles.trace import Trace
from radixtop.compare.row import Figures, Source
from radixtop.errors import RadixtopError
from radixtop.replay.recorded import recorded_engine
from radixtop.replay.settings import ReplaySettings


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

    Raises RecordingError for a cache that cannot be replayed, RadixtopError for a recording without requests.
    """
    with RecordedProfile(path) as profile:
        engine = recorded_engine(profile, asked, given)
    if not engine.requests:
        raise RadixtopError(f"{path} records no requests", "record an engine: radixtop live --record FILE")
    found = engine.found
    figures = Figures(engine.requests, found.prompt_tokens, found.device_hit_tokens + found.loaded_tokens)
    return Recorded(engine.settings, figures, engine.slot_bytes)
