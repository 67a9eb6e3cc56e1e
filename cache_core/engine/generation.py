"""What goes into an engine and what comes out: one request for tokens, and its end."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """A prompt and how many tokens to continue it by.

    `segments` name parts of the prompt as (start, name), ascending. `temperature` 0 is greedy. Requests of one
    `routing_key` are served together by the schedule of that name.
    """

    tokens: array[int]
    output_tokens: int
    extra_key: str | None = None
    cache_salt: str | None = None
    segments: tuple[tuple[int, str], ...] = ()
    priority: int = 0
    temperature: float = 0.0
    routing_key: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of one request. `refused` is empty, or says why the engine cannot serve it.

    Hits are those of the first admission; `host_hit_tokens` of the `hit_tokens` came from the host. `near_ties` are
    the outputs (their index) whose best two logits were closer than the engine's `near_tie`: from there on another
    order of summation may choose differently.
    """

    request_id: int
    prompt_tokens: int
    hit_tokens: int
    full_hit_tokens: int
    output: array[int]
    ttft_ns: int | None
    duration_ns: int
    retractions: int = 0
    near_ties: tuple[int, ...] = field(default=())
    refused: str = ""
    host_hit_tokens: int = 0
