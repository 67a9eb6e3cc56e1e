"""A replay as lines for a person. What is known from a cost model says that it is derived."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from probes.lives.gaps import lacking_of
from probes.lives.misses import MISS_CLASSES
from profiles.cost_model import DERIVED
from profiles.step_costs import StepCosts
from radixtop.render.miss_words import name_of
from radixtop.render.units import UNKNOWN, count, duration, grouped, pace, rate, share
from radixtop.replay.result import ReplayResult, Spread

_WIDTH = 13


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of a replay besides: what the cache had hit that was recorded, and a note."""

    recorded_hit_rate: float | None = None
    note: str = ""


def result_lines(name: str, result: ReplayResult, said: Said = Said()) -> Iterator[str]:
    """Yield the lines of the replay of a trace called `name`."""
    for topic, text in _topics(name, result, said):
        yield f"{topic:<{_WIDTH}}{text}"


def _topics(name: str, result: ReplayResult, said: Said) -> Iterator[tuple[str, str]]:
    yield "trace", f"{name}, {_granularity(result)}"
    if said.note:
        yield "note", said.note
    yield "cache", _cache(result)
    interrupted = ", interrupted before the end of the trace" if result.interrupted else ""
    retracted = f"{grouped(result.retractions)} retractions ({DERIVED})"
    yield (
        "requests",
        (f"{grouped(result.finished)} served, {grouped(result.refused)} refused, {retracted}{interrupted}"),
    )
    yield "hit rate", f"{share(result.hit_rate)}  {_hits(result)}"
    if said.recorded_hit_rate is not None and result.hit_rate is not None:
        points = 100 * (result.hit_rate - said.recorded_hit_rate)
        yield "recorded", f"{share(said.recorded_hit_rate)}: the replay is {points:+.1f} points off, changes included"
    if result.settings.config.components != ("full",):
        gap = result.full_hit_tokens - result.hit_tokens
        yield "full hit", f"{grouped(result.full_hit_tokens)}, a gap of {grouped(gap)} for want of windows or states"
    if result.settings.config.host_slots:
        yield "host hits", f"{grouped(result.host_hit_tokens)} tokens loaded"
    yield from _misses(result)
    yield "evicted", f"{grouped(result.evicted_tokens)} tokens in {grouped(result.evicted_nodes)} nodes"
    for pool in result.pools:
        unit = "states" if pool.name == "mamba" else "blocks" if result.settings.tokens == "blocks" else "slots"
        used = f"{grouped(pool.used_slots)} of {grouped(pool.total_slots)} {unit} used at most"
        yield f"pool {pool.name}", f"{used}, {grouped(pool.running_slots)} by running requests"
    yield "TTFT", _spread(result.ttft_ns)
    yield "queued", _spread(result.queued_ns)
    if result.inter_token_ns.count:
        yield "per token", _spread(result.inter_token_ns)
    speeds = (
        (result.finished, "requests"),
        (result.computed_tokens, "prompt tokens"),
        (result.output_tokens, "outputs"),
    )
    told = ", ".join(f"{what} {pace(result.per_s(amount))}" for amount, what in speeds)
    yield "throughput", f"{told}  ({DERIVED})"
    yield "costs", _costs(result.settings.costs)
    took = f"{duration(result.virtual_ns)} ({DERIVED}), replayed in {duration(result.wall_ns)}"
    yield "time", f"{took}: requests {pace(result.requests_per_wall_s)}, {grouped(result.steps)} steps"


def _costs(costs: StepCosts) -> str:
    """Say what steps take."""
    prefill = f"prefill {rate(costs.prefill_tokens_per_s)}"
    decode = f"a decode step {duration(costs.decode_step_ns)} and {duration(costs.decode_request_ns)} a request"
    load = "" if costs.load_tokens_per_s is None else f", loads {rate(costs.load_tokens_per_s)}"
    return f"{costs.name}: {prefill}, {decode}, any step {duration(costs.overhead_ns)}{load}"


def _granularity(result: ReplayResult) -> str:
    settings = result.settings
    if settings.tokens == "blocks":
        return f"in blocks of {grouped(result.slot_tokens)} tokens, no outputs"
    return f"all tokens, {'with' if settings.outputs else 'no'} outputs"


def _cache(result: ReplayResult) -> str:
    settings, config = result.settings, result.settings.config
    window = "" if config.window is None else f" (window {grouped(config.window)})"
    host = f", {grouped(config.host_slots)} host slots" if config.host_slots else ""
    return (
        f"{settings.cache}: {' + '.join(config.components)}{window}, page {grouped(config.page_size)}, "
        f"{grouped(config.full_slots)} slots{host}, {config.policy}; chunks of {grouped(settings.chunk_size)}, "
        f"{grouped(settings.concurrency)} at once, {settings.schedule}"
    )


def _hits(result: ReplayResult) -> str:
    whose = f"{grouped(result.hit_tokens)} of {grouped(result.asked_tokens)} prompt tokens"
    warm_up = result.settings.warm_up
    return whose + (f", after a warm-up of {grouped(warm_up)} requests" if warm_up else "")


def _misses(result: ReplayResult) -> Iterator[tuple[str, str]]:
    misses = result.misses
    if misses is None:
        yield "missed", f"{grouped(result.asked_tokens - result.hit_tokens)} tokens, not told apart by cause"
        return
    topic = "missed"
    lacking = lacking_of(result.settings.config.components)
    told = [(misses.of(miss), name_of(miss, True, lacking)) for miss in MISS_CLASSES]
    told.append((result.refused_tokens, "of refused requests"))
    asked = misses.prompt + result.refused_tokens
    for tokens, name in sorted(told, key=lambda each: -each[0]):
        if tokens:
            yield topic, f"{share(tokens / asked if asked else None):>5}  {grouped(tokens)} {name}"
            topic = ""
    if not topic:
        return
    yield topic, "nothing"


def _spread(times: Spread) -> str:
    if not times.count:
        return f"{UNKNOWN}  ({DERIVED})"
    p50, p90, p99, most = (duration(each) for each in (times.p50, times.p90, times.p99, times.most))
    return f"p50 {p50}, p90 {p90}, p99 {p99}, at most {most}  ({DERIVED}, {count(times.count)} requests)"
