"""Recorded runs of known prompts, and what is known of their curve: live, and afterwards."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from cache_core import CacheConfig, PrefixCache
from probes.builtin.capacity import Capacity, CapacitySample
from probes.curves.prompt import BlockPrompt
from probes.mirror import Mirror
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.profile import RecordedProfile
from profiles.trace import ID_BYTES, TraceRequest
from profiles.workload import Prompt
from tests.support.modelless_engine import ModellessEngine
from tests.support.observing import feed


def recorded_run(path: Path, prompts: Iterable[Prompt], config: CacheConfig, concurrency: int) -> None:
    """Record how a cache serves prompts."""
    recorder = FlightRecorder(config.describe(), RecorderOptions(folder=path.parent / "ring", recording=path))
    cache = PrefixCache(config, sink=recorder)
    recorder.bind(snapshot=cache.snapshot_records, pools=cache.emit_pools)
    serve(cache, prompts, concurrency)
    recorder.close("done")


def serve(cache: PrefixCache, prompts: Iterable[Prompt], concurrency: int) -> None:
    """Serve prompts that come all at once."""
    engine = ModellessEngine(cache, concurrency=concurrency)
    for each in prompts:
        engine.submit(each)
    while engine.has_work:
        engine.step()
    cache.emit_pools()
    if cache.sink is not None:
        cache.sink.flush()


def live_curve(path: Path) -> CapacitySample:
    """Return what the probe says at the end of a recording."""
    with RecordedProfile(path) as profile:
        probe = Capacity(Mirror(profile.components))
        probe.configured(profile.config)
        feed(probe, profile.records())
        return probe.sample(0)


def in_blocks(requests: Iterable[TraceRequest], block_tokens: int) -> Iterator[BlockPrompt]:
    """Yield requests of single tokens as those of whole blocks: the last token names all before it, too."""
    for request in requests:
        ids = array("q", request.path)
        whole = ids[block_tokens - 1 :: block_tokens].tobytes()
        assert len(request.path) == ID_BYTES * request.prompt_tokens
        yield BlockPrompt(whole, block_tokens, request.prompt_tokens, request.namespace)


def page_prompts(seed: int, count: int, page: int, answer_tokens: int = 1) -> list[Prompt]:
    """Return prompts of whole pages that leave each other between pages, and come back after a while."""
    draw, fresh = Random(seed), iter(range(1, 1 << 20))
    paths: list[list[int]] = [[next(fresh) for _ in range(draw.randrange(1, 6))] for _ in range(3)]
    prompts = []
    for _ in range(count):
        old = draw.choice(paths)
        path = old[: draw.randint(1, len(old))] + [next(fresh) for _ in range(draw.choice([0, 1, 3]))]
        paths = [*paths[-12:], path]
        prompts.append(Prompt(array("i", spelled(path, page)), answer_tokens, ((0, "all"),)))
    return prompts


def spelled(path: Sequence[int], page: int) -> Iterator[int]:
    """Yield the tokens of pages, of which the first one names the page."""
    for number in path:
        yield number
        yield from range(1, page)
