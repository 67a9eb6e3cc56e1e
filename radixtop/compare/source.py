"""What is compared: the trace, looked through once, and if it is a recording what its cache was and found."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from profiles.trace import Trace
from radixtop.compare.row import Figures, Source
from radixtop.errors import RadixtopError
from radixtop.replay.opening import Opened
from radixtop.replay.recorded import RecordedEngine


@dataclass(frozen=True, slots=True)
class Lengths:
    """Sums over the requests of a trace; `block_tokens` of blocks that have not one length are their mean."""

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
    if not trace.ids_have_one_length and blocks:
        block_tokens = round(prompt_tokens / blocks)
    return Lengths(requests, prompt_tokens, blocks, block_tokens)


def source_of(found: Opened, lengths: Lengths, recorded: Figures | None) -> Source:
    """Return what is told of a trace."""
    name = found.trace.name
    return Source(name, lengths.requests, lengths.block_tokens, recorded, found.note, found.missing)


def recorded_figures(path: Path, engine: RecordedEngine) -> Figures:
    """Return what a recorded cache had found. Raises RadixtopError for a recording without requests."""
    found = engine.found
    if not found.requests:
        raise RadixtopError(f"{path} records no requests", "record an engine: radixtop live --record FILE")
    return Figures(found.requests, found.prompt_tokens, found.hit_tokens)
