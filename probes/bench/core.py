"""What watching costs the bare cache: the same requests on it with no sink, and with a recorder bound.

    python -m probes.bench.core

A bare cache does nothing but its own operations, no model runs: the ratio is the worst that a program can see.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count
from pathlib import Path

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.events import EventSink, RawRecord
from probes.recorder import FlightRecorder, RecorderOptions

SYSTEM_TOKENS = 2055
QUESTION_TOKENS = 96
OUTPUT_TOKENS = 16
BATCH_REQUESTS = 40


@dataclass(frozen=True, slots=True)
class CoreFigures:
    """Time of a request on a bare cache in ns, the best of batches taken in turns, and its ratio, off over on.

    `records` is how many records a request emits: the two times differ by what those cost.
    """

    off_ns: float
    on_ns: float
    ratio: float
    records: float


def core_figures(batches: int = 30) -> CoreFigures:
    """Measure for a few seconds: shared system prompts, questions of their own, short outputs, steady eviction."""
    with tempfile.TemporaryDirectory() as place:
        recorder = FlightRecorder({}, RecorderOptions(folder=Path(place) / "rings"))
        try:
            off, on = _Load(None), _Load(recorder)
            recorder.follow(on.cache)
            costs = [(off.batch(), on.batch()) for _ in range(batches)]
            off_ns, on_ns = (min(column) for column in zip(*costs, strict=True))
        finally:
            recorder.close()
    return CoreFigures(off_ns, on_ns, off_ns / on_ns, _records_of_a_request())


def bare_load(sink: EventSink) -> Iterator[Callable[[], None]]:
    """Yield what serves the next request of the load, on a cache that tells `sink`."""
    load = _Load(sink)
    for key in _keys():
        yield partial(load.serve, key)
        load.cache.emit_pools()


class _Load:
    """One cache and its seeded requests."""

    def __init__(self, sink: EventSink | None) -> None:
        self.cache = PrefixCache(CacheConfig(window=128, full_slots=60_000, swa_slots=20_000), sink=sink)
        self._requests = _keys()

    def batch(self) -> float:
        """Serve BATCH_REQUESTS requests and return ns a request."""
        keys = [next(self._requests) for _ in range(BATCH_REQUESTS)]
        began = time.perf_counter_ns()
        for key in keys:
            self.serve(key)
        return (time.perf_counter_ns() - began) / BATCH_REQUESTS

    def serve(self, key: RadixKey) -> None:
        """Take one request from admission to its end."""
        request = self.cache.admit(key)
        request.prefill(len(key))
        for token in range(OUTPUT_TOKENS):
            request.decode(token)
        request.finish()


def _keys() -> Iterator[RadixKey]:
    rng = random.Random(1)
    systems = [[rng.randrange(32_000) for _ in range(SYSTEM_TOKENS)] for _ in range(8)]
    for number in count():
        system = rng.randrange(len(systems))
        question = [rng.randrange(32_000) for _ in range(QUESTION_TOKENS)]
        segments = ((0, f"system prompt {system}"), (SYSTEM_TOKENS, f"question {number}"))
        yield RadixKey(systems[system] + question, segments=segments)


class _Counter:
    """Counts what it is given."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []
        self.count = 0

    def flush(self) -> None:
        """Count and drop what waits."""
        self.count += len(self.records)
        self.records.clear()


def _records_of_a_request(requests: int = 300) -> float:
    counter = _Counter()
    load = _Load(counter)
    for _, key in zip(range(requests), _keys(), strict=False):
        load.serve(key)
    counter.flush()
    return counter.count / requests


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(core_figures()), indent=1) + "\n")
