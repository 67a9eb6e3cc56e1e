"""Bodies of the engine's benchmarks: a load and its figures, two loads compared, and the speed of a model."""

from __future__ import annotations

import random
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.engine.config import EngineConfig
from cache_core.engine.engine import Engine
from cache_core.engine.generation import Finished, GenerateRequest


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """What one load came to, request by request in the order of submission."""

    ends: tuple[Finished, ...]
    duration_ns: int
    prefilled_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """Tokens of all prompts."""
        return sum(end.prompt_tokens for end in self.ends)

    @property
    def hit_tokens(self) -> int:
        """Prompt tokens that the cache had at admission."""
        return sum(end.hit_tokens for end in self.ends)

    @property
    def hit_rate(self) -> float | None:
        """Hit tokens per prompt token, or None without a prompt."""
        return self.hit_tokens / self.prompt_tokens if self.prompt_tokens else None

    @property
    def output_tokens(self) -> int:
        """Generated tokens."""
        return sum(len(end.output) for end in self.ends)

    @property
    def ttft_ns(self) -> list[int]:
        """Times to the first token of the requests that got one."""
        return [end.ttft_ns for end in self.ends if end.ttft_ns is not None]

    @property
    def refused(self) -> int:
        """Requests that could not be served."""
        return sum(bool(end.refused) for end in self.ends)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether two runs of one load said the same, as far as floating point can tell.

    Greedy outputs may part where the best two logits are nearly equal, in either run: from there on a request is not
    compared, and is one of the `ties`. A request that parts elsewhere is one of the `differing` (its index).
    """

    compared_tokens: int
    ties: int
    differing: tuple[int, ...]

    @property
    def equal(self) -> bool:
        """Whether no request differs."""
        return not self.differing


@dataclass(frozen=True, slots=True)
class SpeedFigures:
    """Tokens per second of a model: prompts computed, and outputs by how many requests decode at once."""

    model: str
    device: str
    parameters: int
    prefill_tokens_per_s: float
    decode_tokens_per_s: dict[int, float]


def run_load(
    engine: Engine,
    requests: Sequence[GenerateRequest],
    in_flight: int,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> LoadFigures:
    """Serve `requests` in order, `in_flight` of them submitted and unanswered at most, and return the figures."""
    began, prefilled_tokens = clock(), engine.prefilled_tokens
    ends: dict[int, Finished] = {}
    ids: list[int] = []
    while len(ends) < len(requests):
        while len(ids) < len(requests) and len(ids) - len(ends) < in_flight:
            ids.append(engine.submit(requests[len(ids)]))
        ends |= {end.request_id: end for end in engine.step()}
    in_order = tuple(ends[request_id] for request_id in ids)
    return LoadFigures(in_order, clock() - began, engine.prefilled_tokens - prefilled_tokens)


def compare_outputs(first: Sequence[Finished], second: Sequence[Finished]) -> Agreement:
    """Return whether two runs of the same requests agree up to near ties."""
    compared = ties = 0
    differing = []
    for index, (one, other) in enumerate(zip(first, second, strict=True)):
        agreed = _common(one.output, other.output)
        compared += agreed
        if agreed == len(one.output) == len(other.output):
            continue
        if agreed in one.near_ties or agreed in other.near_ties:
            ties += 1
        else:
            differing.append(index)
    return Agreement(compared, ties, tuple(differing))


def measure_speed(
    config: EngineConfig, prompt_tokens: int = 2048, output_tokens: int = 64, at_once: Sequence[int] = (1, 4, 8)
) -> SpeedFigures:
    """Return the speed of the model of `config` on prompts that share nothing."""
    slots = 2 * max(at_once) * (prompt_tokens + output_tokens)
    cache = PrefixCache(CacheConfig(components=("full", "swa"), window=128, full_slots=slots, swa_slots=slots))
    engine = Engine(cache, replace(config, concurrency=max(at_once)))
    draw = random.Random(config.seed)

    def prompts(count: int, tokens: int, output: int) -> list[GenerateRequest]:
        vocabulary = engine.vocabulary
        return [
            GenerateRequest(array("i", (draw.randrange(vocabulary) for _ in range(tokens))), output)
            for _ in range(count)
        ]

    run_load(engine, prompts(1, prompt_tokens, 2), 1)  # the first pass pays for buffers and kernels
    prefill = run_load(engine, prompts(2, prompt_tokens, 1), 1)
    decode = {
        count: _decode_speed(engine, prompts(count, prompt_tokens // 2, output_tokens + 1)) for count in at_once
    }
    return SpeedFigures(
        model=config.model,
        device=str(engine.model.weights.embedding.device),
        parameters=config.shape.parameters(engine.kinds),
        prefill_tokens_per_s=prefill.prompt_tokens * 1e9 / prefill.duration_ns,
        decode_tokens_per_s=decode,
    )


def _decode_speed(engine: Engine, requests: Sequence[GenerateRequest]) -> float:
    """Return output tokens per second once every request has said its first token."""
    for request in requests:
        engine.submit(request)
    while engine.prefilling:
        engine.step()
    began, steps = time.perf_counter_ns(), 0
    while engine.has_work:
        engine.step()
        steps += 1
    return len(requests) * steps * 1e9 / (time.perf_counter_ns() - began)


def _common(one: array[int], other: array[int]) -> int:
    """Return how many tokens two outputs share from the start."""
    for index, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return index
    return min(len(one), len(other))
