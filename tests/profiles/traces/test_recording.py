"""Recordings as traces: a request for each prompt, with what it had in common with others."""

from __future__ import annotations

from array import array
from itertools import combinations
from pathlib import Path

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.key import common_tokens
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.trace import ID_BYTES, TraceError, TraceRequest
from profiles.trace_format import open_trace
from profiles.workload import Prompt
from tests.support.made_traces import ids_of
from tests.support.modelless_engine import ModellessEngine
from tests.support.recorded import record_run

SYSTEM = list(range(1, 101))
OTHER = list(range(201, 261))


def prompt(tokens: list[int], extra_key: str | None = None) -> Prompt:
    return Prompt(array("i", tokens), 5, ((0, "all"),), extra_key)


PROMPTS = [
    prompt([*SYSTEM, 500, 501]),
    prompt([*SYSTEM, 510, 511, 512]),
    prompt([*SYSTEM[:40], 520]),
    prompt([*OTHER, 530]),
    prompt([*OTHER, 530, 540, 541]),
    prompt([*SYSTEM, 500, 501], "anna"),
]


def served(path: Path, prompts: list[Prompt], slots: int) -> ModellessEngine:
    """Record how a cache serves prompts that come all at once."""
    config = CacheConfig(components=("full",), full_slots=slots)
    recorder = FlightRecorder(config.describe(), RecorderOptions(folder=path.parent / "ring", recording=path))
    cache = PrefixCache(config, sink=recorder)
    recorder.bind(snapshot=cache.snapshot_records, pools=cache.emit_pools)
    engine = ModellessEngine(cache, concurrency=3)
    for each in prompts:
        engine.submit(each)
    while engine.has_work:
        engine.step()
    recorder.close("done")
    return engine


def shared(one: TraceRequest, other: TraceRequest) -> int:
    pairs = zip(ids_of(one), ids_of(other), strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(one.blocks, other.blocks))


def test_prompts_share_what_they_shared(tmp_path: Path) -> None:
    served(tmp_path / "run", PROMPTS, 4_000)
    requests = list(open_trace(tmp_path / "run"))
    assert [request.prompt_tokens for request in requests] == [len(each.tokens) for each in PROMPTS]
    keys = [RadixKey(each.tokens, each.extra_key) for each in PROMPTS]
    for (one, first), (other, second) in combinations(zip(keys, requests, strict=True), 2):
        assert shared(first, second) == (common_tokens(one, other) if one.namespace == other.namespace else 0)


def test_namespaces_and_outputs_are_kept(tmp_path: Path) -> None:
    engine = served(tmp_path / "run", PROMPTS, 4_000)
    requests = list(open_trace(tmp_path / "run"))
    assert [request.namespace for request in requests[:5]] == [None] * 5
    assert "anna" in str(requests[5].namespace)
    assert {request.output_tokens for request in requests} == {5}
    assert {len(request.answer) // ID_BYTES for request in requests} == {4}
    assert engine.retractions == 0


def test_a_request_that_was_retracted_and_came_back_asked_once(tmp_path: Path) -> None:
    engine = served(tmp_path / "run", [prompt([number] * (40 + number)) for number in range(1, 9)], 120)
    assert engine.retractions > 0
    requests = list(open_trace(tmp_path / "run"))
    assert sorted(request.prompt_tokens for request in requests) == [*range(41, 49)]
    assert len({request.path[:8] for request in requests}) == 8


def test_calls_that_no_request_made_are_no_trace(tmp_path: Path) -> None:
    config = CacheConfig(components=("full",), full_slots=400)
    record_run(tmp_path / "run", config, lambda run: run.cache.match(RadixKey(SYSTEM)))
    with pytest.raises(TraceError, match="run records no requests, only what a cache was asked or said; record the"):
        open_trace(tmp_path / "run")


def test_a_recording_that_cannot_be_read_is_told_as_a_trace(tmp_path: Path) -> None:
    served(tmp_path / "run", PROMPTS, 4_000)
    whole = (tmp_path / "run").read_bytes()
    (tmp_path / "cut").write_bytes(whole[:20])
    with pytest.raises(TraceError, match="cut"):
        open_trace(tmp_path / "cut")
