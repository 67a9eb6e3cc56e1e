"""The requests of a recording, served again by an engine without a model: as they were, or with other settings.

A load that kept so many requests outstanding does so again; one that came at its own rate comes at the same times.
Steps take what those of the recording took.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from cache_core import CacheConfig, CacheError, PrefixCache
from cache_core.engine.config import EngineConfig
from cache_core.engine.generation import GenerateRequest
from cache_core.key import MAX_TOKEN
from cache_core.schedule import ScheduleConfig
from probes.errors import RecordingError
from profiles.evidence.evidence import Work
from profiles.judging import number_of
from profiles.replay.requests import RecordedRequest
from profiles.step_costs import StepCosts
from radixtop.replay.cache_config import recorded_config
from radixtop.replay.virtual_clock import VirtualClock
from radixtop.replay.virtual_engine import VirtualEngine

Settings = tuple[tuple[str, int | str | bool | None], ...]

_CACHE_FIELDS = frozenset(field.name for field in fields(CacheConfig))
_DECODE_NS = 1_000_000


@dataclass(frozen=True, slots=True)
class Serving:
    """An engine to serve recorded requests with; `is_paced` is whether they come at their own times."""

    cache: CacheConfig
    engine: EngineConfig
    costs: StepCosts
    is_paced: bool = False

    def changed(self, settings: Settings) -> Serving:
        """Return it with other settings of the cache, the engine or its schedule. Raises ConfigError."""
        cache = {name: value for name, value in settings if name in _CACHE_FIELDS}
        engine = {name: value for name, value in settings if name not in _CACHE_FIELDS}
        schedule = self.engine.schedule_config
        if "schedule_limit" in engine:
            schedule = replace(schedule, limit=engine.pop("schedule_limit"))  # type: ignore[arg-type]
        changed = replace(self.engine, schedule_config=schedule, **engine)  # type: ignore[arg-type]
        return replace(self, cache=replace(self.cache, **cache), engine=changed)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Served:
    """What so many requests came to: prompt tokens and hits, each request by its first admission."""

    requests: int
    prompt_tokens: int
    hit_tokens: int
    is_whole: bool

    @property
    def hit_rate(self) -> float:
        """The share (0..1) of the prompt tokens that was hit."""
        return self.hit_tokens / self.prompt_tokens if self.prompt_tokens else 0.0


def serving_of(config: Mapping[str, object], work: Work) -> Serving:
    """Return the engine of a recording. Raises RecordingError when it does not say what that was."""
    chunk, concurrency = number_of(config, "chunk_size"), number_of(config, "concurrency")
    if chunk is None or concurrency is None or not work.steps or not work.ns_per_token:
        raise RecordingError("the recording is of no engine of ours", "record one: radixtop live --record FILE")
    limit = config.get("schedule_limit", ScheduleConfig().limit)
    engine = EngineConfig(
        chunk_size=chunk,
        concurrency=concurrency,
        schedule=str(config.get("schedule", "fcfs")),
        schedule_config=ScheduleConfig(limit=limit if isinstance(limit, int) else None),
    )
    costs = StepCosts("measured in the recording", 1e9 / work.ns_per_token, work.decode_step_ns or _DECODE_NS, 0)
    return Serving(recorded_config(config), engine, costs, is_paced=bool(config.get("rate")))


def serve(requests: Sequence[RecordedRequest], serving: Serving, stop: Callable[[], bool]) -> Served:
    """Serve requests and return what they came to, or those that ended until `stop` says so."""
    clock = VirtualClock()
    cache = PrefixCache(serving.cache)

    def say(request_id: int, index: int) -> int:
        outputs = requests[request_id - 1].outputs
        return outputs[index] if index < len(outputs) else MAX_TOKEN - request_id

    engine = VirtualEngine(cache, serving.engine, serving.costs, clock=clock, voice=say)
    ended_requests = prompt_tokens = hit_tokens = 0
    submitted, began = 0, requests[0].at if requests else 0
    start = clock.now
    is_whole = True
    while submitted < len(requests) or engine.has_work:
        if stop():
            is_whole = False
            break
        while submitted < len(requests) and _is_due(requests[submitted], began, start, engine, serving):
            engine.submit(_asked(requests[submitted]))
            submitted += 1
        if not engine.has_work:
            clock.advance_to(start + requests[submitted].at - began)
            continue
        for ended in engine.step():
            ended_requests += 1
            if not ended.refused:
                prompt_tokens += ended.prompt_tokens
                hit_tokens += ended.hit_tokens
    try:
        engine.close()
    except CacheError as error:  # what the cache refuses at the end changes no count
        raise RecordingError(f"the recorded load cannot be served again: {error}") from None
    return Served(ended_requests, prompt_tokens, hit_tokens, is_whole)


def _is_due(request: RecordedRequest, began: int, start: int, engine: VirtualEngine, serving: Serving) -> bool:
    if serving.is_paced:
        return start + request.at - began <= engine.clock.now
    return engine.running + engine.waiting < serving.engine.concurrency


def _asked(request: RecordedRequest) -> GenerateRequest:
    return GenerateRequest(request.prompt, len(request.outputs) + 1, priority=request.priority)
