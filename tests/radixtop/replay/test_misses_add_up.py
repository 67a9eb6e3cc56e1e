"""Every missed token of a replayed trace is of exactly one class: in every format, on every setup of a cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.lives.misses import MISS_CLASSES, PromptTokens
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.trace_format import TRACE_FORMATS, open_trace
from radixtop.replay.result import ReplayResult
from radixtop.replay.settings import ReplaySettings
from radixtop.replay.trace_replay import replay_trace
from tests.support.made_traces import MADE, public_trace
from tests.support.setups import SETUPS, TOGETHER
from tests.support.trace_requests import COSTS, random_requests

FORMATS = [name for name in TRACE_FORMATS if name != "azure"]
"""Those of whose prompts it is known what they have in common."""

ROOMY = ReplaySettings(CacheConfig(components=("full",), full_slots=1 << 20), costs=COSTS, misses=True)
CUTS = {
    "mooncake_fast25_conversation_dev6000.jsonl.gz": 60,
    "ragpulse_trace_dev3500.jsonl.gz": 60,
    "weka_agentic_dev.jsonl.gz": 15,
}
"""The public cuts, and of how many requests they are replayed here."""

CACHES = {
    "tokens": CacheConfig(components=("full",), full_slots=400_000),
    "pages and windows": CacheConfig(window=1024, full_slots=400_000 // 64 * 64, swa_slots=100_032, page_size=64),
    "states": CacheConfig(
        components=("full", "mamba"), full_slots=400_000, page_size=16, mamba_slots=600, mamba_chunk_tokens=64
    ),
}


def checked(result: ReplayResult) -> PromptTokens:
    """Check the sums of a replay, to the token, and return them."""
    misses = result.misses
    assert misses is not None
    assert (misses.requests, misses.prompt, misses.hit) == (result.measured, result.prompt_tokens, result.hit_tokens)
    assert sum(map(misses.of, MISS_CLASSES)) == misses.missed
    assert misses.missed - misses.retracted == result.prompt_tokens - result.hit_tokens
    assert min(map(misses.of, MISS_CLASSES)) >= 0
    return misses


@given(st.sampled_from([*SETUPS, *TOGETHER]), st.integers(0, 2**32), st.sampled_from(["fcfs", "lpm"]))
@settings(max_examples=60, deadline=None)
def test_classes_add_up_on_every_setup(config: CacheConfig, seed: int, schedule: str) -> None:
    replayed = ROOMY.changed(config=config, chunk_size=1 + seed % 90, concurrency=1 + seed % 7, schedule=schedule)
    requests = random_requests(seed, 40, block=1 + seed % 9, namespaces=1 + seed % 3)
    checked(replay_trace(requests, replayed))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a cache that is too small for its two tenants."""
    folder = tmp_path_factory.mktemp("run")
    config = CacheConfig(components=("full",), full_slots=160, page_size=16)
    recorder = FlightRecorder(
        config.describe(), RecorderOptions(folder=folder / "rings", recording=folder / "run.rtrec")
    )
    cache = PrefixCache(config, sink=recorder)
    recorder.follow(cache)
    for number in range(12):
        request = cache.admit(
            RadixKey([*range(40), *range(100 * (number % 3), 100 * (number % 3) + 40)], f"{number % 2}")
        )
        request.prefill(80)
        request.finish()
    recorder.close("done")
    return folder / "run.rtrec"


@pytest.mark.parametrize("cache", ["prefix", "chunk", "block_hash"])
@pytest.mark.parametrize("format", FORMATS)
def test_classes_add_up_in_every_format(format: str, cache: str, recording: Path) -> None:
    trace = open_trace(recording if format == "recording" else MADE / f"{format}.jsonl", format)
    assert len(trace) > 0
    assert not checked(replay_trace(trace, ROOMY.changed(cache=cache, page_size=16))).unknown
    least = max(request.prompt_tokens + request.output_tokens for request in trace)
    assert not checked(replay_trace(trace, ROOMY.changed(cache=cache, full_slots=least + 64))).unknown


@pytest.mark.needs("traces")
@pytest.mark.parametrize("cache", CACHES)
@pytest.mark.parametrize("cut", CUTS)
def test_classes_add_up_on_public_cuts(cut: str, cache: str) -> None:
    assert not checked(
        replay_trace(open_trace(public_trace(cut)), ROOMY.changed(config=CACHES[cache], limit=CUTS[cut]))
    ).unknown
