"""The checks that need a GPU, each a function of a bench: it returns figures and raises CheckFailedError.

They need Python, torch and this repository, nothing else.
"""

from __future__ import annotations

import copy
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from cache_core import CacheConfig, PrefixCache, check_integrity
from cache_core.engine import SHAPES, Engine, EngineConfig, ModelShape
from cache_core.engine.bench import SpeedFigures, compare_outputs, measure_speed, run_load
from cache_core.engine.dense import dense_logits
from cache_core.engine.weights import Weights
from probes.recorder import FlightRecorder, RecorderOptions
from tests.support.checked_engine import CheckedEngine
from tests.support.requests import WORKLOADS, forks, random_requests

Figures = dict[str, float | int | str]

TOLERANCE = 1e-4
PROBE_RATIO = 0.97
GEOMETRIES = ((1, 5, 32), (1, 16, 512), (4, 6, 64), (16, 37, 512), (64, 100, 64))
"""Page size, window, chunk size."""

CHECKED = ModelShape("checked", vocabulary=256, hidden=64, layers=4, heads=4, kv_heads=2, head_width=32, mlp=128)


class CheckFailedError(Exception):
    """A figure is not what it must be; the message says which one and why."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the checks run and how large: the sizes that are measured, the first one also under the probes."""

    device: str
    models: tuple[str, ...]
    prompt_tokens: int = 4096
    rounds: int = 6


def require(condition: bool, message: str) -> None:
    """Raise CheckFailedError unless `condition` holds."""
    if not condition:
        raise CheckFailedError(message)


def logits_float32(bench: Bench) -> Figures:
    """Logits through the cache equal the dense ones, free slots holding NaN and slots shuffled."""
    worst, positions = 0.0, 0
    for page, window, chunk in GEOMETRIES:
        for name, workload in WORKLOADS.items():
            engine = _checked(bench, "float32", _windowed(page, window), chunk)
            requests = workload(seed=page + window)
            engine.drain([*requests, *requests])
            difference = engine.worst_difference()
            require(difference <= TOLERANCE, f"{name}, {page=}, {window=}, {chunk=}: {difference} > {TOLERANCE}")
            worst, positions = max(worst, difference), positions + engine.computed_tokens
    return {"worst": worst, "positions": positions}


def logits_bfloat16(bench: Bench) -> Figures:
    """In bfloat16 the cache is as close to the float32 model as a dense bfloat16 pass is."""
    engine = _checked(bench, "bfloat16", _windowed(16, 37), 64)
    engine.drain(forks(seed=1, system=300, output=8))
    exact = _in_float32(engine.model.weights)
    cached_errors, dense_errors = [], []
    for request_id, tokens in engine.sequences.items():
        parts = [part for part in engine.computed if part.request_id == request_id]
        known = tokens[: max(part.start + len(part.logits) for part in parts)]
        arguments = (engine.kinds, engine.cache.config.window, known)
        truth = dense_logits(engine.model.shape, exact, *arguments)
        dense_errors.append((dense_logits(engine.model.shape, engine.model.weights, *arguments) - truth).abs())
        cached_errors += [(part.logits - truth[part.start : part.start + len(part.logits)]).abs() for part in parts]
    cached, dense = float(torch.cat(cached_errors).mean()), float(torch.cat(dense_errors).mean())
    require(cached <= 1.5 * dense, f"mean error {cached} through the cache, {dense} dense")
    return {"mean_error_cached": cached, "mean_error_dense": dense}


def logits_recurrent(bench: Bench) -> Figures:
    """Logits through cached recurrent states equal the dense ones, and states are reused."""
    worst, reused = 0.0, 0
    for page, window, chunk in GEOMETRIES[:4]:
        for name, workload in WORKLOADS.items():
            engine = _checked(bench, "float32", _recurrent(page, window, full_slots=1024, mamba_slots=128), chunk)
            requests = workload(seed=page + window)
            engine.drain([*requests, *requests])
            difference = engine.worst_difference()
            require(difference <= TOLERANCE, f"{name}, {page=}, {window=}, {chunk=}: {difference} > {TOLERANCE}")
            worst, reused = max(worst, difference), reused + len(engine.reused_states)
    require(reused > 0, "no state was reused")
    return {"worst": worst, "reused_states": reused}


def host_tier(bench: Bench) -> Figures:
    """What comes back from the host is what went there, while other requests run; on CUDA through pinned memory."""
    figures: Figures = {}
    for policy in ("write_through", "write_through_selective", "write_back"):
        cache = replace(_recurrent(4, 37, full_slots=448, mamba_slots=16), host_slots=2048, write_policy=policy)
        engine = _checked(bench, "float32", cache, 96)
        pinned = all(pool.rows.is_pinned() for pool in engine.copier.host_pools.values())
        require(pinned == (bench.device == "cuda"), f"{pinned=} on {bench.device}")
        requests = [request for seed in range(3) for request in forks(seed, system=200, output=12)]
        ends = engine.drain([*requests, *requests, *requests])
        engine.close()
        loaded, difference = sum(end.host_hit_tokens for end in ends), engine.worst_difference()
        require(loaded > 0, f"{policy}: nothing came from the host")
        require(difference <= TOLERANCE, f"{policy}: {difference} > {TOLERANCE}")
        figures |= {f"{policy}_loaded_tokens": loaded, f"{policy}_worst": difference}
    return figures


def greedy_tokens(bench: Bench) -> Figures:
    """Greedy outputs are those of the CPU, and equal with branching on and off, up to near ties."""
    requests = forks(seed=2, system=700, questions=12, output=24)
    weights = Engine(_cache(), EngineConfig("tiny", "cpu", "float32")).model.weights
    ends = []
    for device, branching in (("cpu", True), (bench.device, True), (bench.device, False)):
        engine = Engine(_cache(branching=branching), EngineConfig("tiny", device, "float32", chunk_size=4096))
        _copy(weights, engine.model.weights)
        ends.append(run_load(engine, requests, in_flight=4).ends)
        check_integrity(engine.cache)
    devices, switches = compare_outputs(ends[0], ends[1]), compare_outputs(ends[1], ends[2])
    require(devices.equal, f"requests {devices.differing} differ between cpu and {bench.device}")
    require(switches.equal, f"requests {switches.differing} differ between branching on and off")
    return {
        "compared_tokens": devices.compared_tokens + switches.compared_tokens,
        "ties": devices.ties + switches.ties,
    }


def throughput(bench: Bench) -> Figures:
    """Prompt and output tokens per second of each size; the first must beat the same size on the CPU, if on CUDA."""
    figures: Figures = {}
    for model in bench.models:
        speed = measure_speed(EngineConfig(model, bench.device, chunk_size=2048), bench.prompt_tokens, 32, (1, 16))
        figures[f"{model}_prefill_tokens_per_s"] = round(speed.prefill_tokens_per_s)
        figures |= {f"{model}_decode_{n}_tokens_per_s": round(rate) for n, rate in speed.decode_tokens_per_s.items()}
        if bench.device == "cuda":
            figures[f"{model}_peak_bytes"] = torch.cuda.max_memory_allocated()
            torch.cuda.reset_peak_memory_stats()
    if bench.device == "cuda":
        model = bench.models[0]
        ours, cpu = figures[f"{model}_prefill_tokens_per_s"], _cpu_speed(model).prefill_tokens_per_s
        figures[f"{model}_cpu_prefill_tokens_per_s"] = round(cpu)
        require(float(ours) > cpu, f"{model}: {ours} prompt tokens per second on CUDA, {cpu} on the CPU")
    return figures


def probe_cost(bench: Bench) -> Figures:
    """Tokens per second with a flight recorder, as a share of those without, in interleaved rounds."""
    model = bench.models[0]
    seconds: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(2 * bench.rounds):
            watched = number % 2 == 1
            seconds[watched].append(_serve(bench, model, Path(folder) if watched else None, seed=number // 2))
    # The first pair pays for kernels and buffers; a median is not moved by a neighbour's burst.
    off, on = (statistics.median(seconds[watched][1:]) for watched in (False, True))
    require(off / on >= PROBE_RATIO, f"{off / on:.3f} of the speed without a recorder, at least {PROBE_RATIO} needed")
    return {"ratio": round(off / on, 4), "seconds_off": round(off, 4), "seconds_on": round(on, 4)}


CHECKS: dict[str, Callable[[Bench], Figures]] = {
    check.__name__: check
    for check in (
        logits_float32,
        logits_bfloat16,
        logits_recurrent,
        greedy_tokens,
        host_tier,
        throughput,
        probe_cost,
    )
}
"""The checks by name."""


def _cache(branching: bool = True, slots: int = 8192) -> PrefixCache:
    return PrefixCache(CacheConfig(window=128, full_slots=slots, swa_slots=slots, branching=branching))


def _windowed(page_size: int, window: int) -> CacheConfig:
    return CacheConfig(page_size=page_size, window=window, full_slots=1024, swa_slots=1024)


def _recurrent(page_size: int, window: int, full_slots: int, mamba_slots: int) -> CacheConfig:
    return CacheConfig(
        page_size=page_size,
        components=("full", "swa", "mamba"),
        window=window,
        full_slots=full_slots,
        mamba_slots=mamba_slots,
        mamba_chunk_tokens=8,
    )


def _checked(bench: Bench, dtype: str, cache: CacheConfig, chunk_size: int) -> CheckedEngine:
    SHAPES.setdefault(CHECKED.name, CHECKED)
    return CheckedEngine(PrefixCache(cache), EngineConfig(CHECKED.name, bench.device, dtype, chunk_size=chunk_size))


def _in_float32(weights: Weights) -> Weights:
    exact = copy.deepcopy(weights)
    for tensor in exact.tensors():
        tensor.data = tensor.data.float()
    return exact


def _copy(source: Weights, target: Weights) -> None:
    """Give `target` the values of `source`: each kind of device draws its own from a seed."""
    for value, place in zip(source.tensors(), target.tensors(), strict=True):
        place.copy_(value)


def _cpu_speed(model: str) -> SpeedFigures:
    config = EngineConfig(model, "cpu", "float32", threads=torch.get_num_threads())
    return measure_speed(config, prompt_tokens=256, output_tokens=1, at_once=(1,))


def _serve(bench: Bench, model: str, folder: Path | None, seed: int) -> float:
    """Serve one load, watched when there is a folder for the ring, and return the seconds it took."""
    cache = _cache(slots=65_536)
    recorder = None if folder is None else _watch(cache, folder)
    engine = Engine(cache, EngineConfig(model, bench.device, chunk_size=2048, concurrency=16))
    load = random_requests(seed, count=32, tokens=bench.prompt_tokens // 4, output=32, vocabulary=engine.vocabulary)
    half = load[0].tokens[: bench.prompt_tokens // 8]
    requests = [replace(request, tokens=half + request.tokens[len(half) :]) for request in load]
    run_load(engine, requests[:1], in_flight=1)
    began = time.perf_counter()
    run_load(engine, requests, in_flight=16)
    seconds = time.perf_counter() - began
    if recorder is not None:
        recorder.close()
    return seconds


def _watch(cache: PrefixCache, folder: Path) -> FlightRecorder:
    recorder = FlightRecorder(cache.config.describe(), RecorderOptions(folder=folder))
    recorder.follow(cache)
    cache.attach_sink(recorder)
    return recorder
