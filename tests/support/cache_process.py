"""A process with a real cache under random load, published through a ring, and the test's hold on it.

As a program it obeys lines on its standard input: `run N` makes N random steps, `flush` is an idle loop's flush,
`tree` states the tree. Each is answered with one line of JSON.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from cache_core import CacheConfig, OutOfSlotsError, PrefixCache, RadixKey, Request
from cache_core.events import RawRecord
from cache_core.view import walk
from probes.readiness import readable
from probes.recorder import FlightRecorder, RecorderOptions
from probes.rings.ring import RingShape

MOST_REQUESTS = 6


class Load:
    """Random requests on a cache: prompts that fork off a few stems, prefilled, decoded, and ended in every way."""

    def __init__(self, cache: PrefixCache, seed: int) -> None:
        self.cache = cache
        self.rng = random.Random(seed)
        self.stems = [self._tokens(self.rng.randrange(10, 120)) for _ in range(6)]
        self.running: list[Request] = []

    def step(self) -> None:
        """Do one random thing."""
        rng = self.rng
        if not self.running and rng.random() < 0.2:
            self.cache.reset()
        if not self.running or (len(self.running) < MOST_REQUESTS and rng.random() < 0.3):
            self._admit()
            return
        request = rng.choice(self.running)
        try:
            self._advance(request, rng.random())
        except OutOfSlotsError:
            request.retract()
            self.running.remove(request)

    def _admit(self) -> None:
        rng = self.rng
        stem = rng.randrange(len(self.stems))
        kept = self.stems[stem][: rng.randrange(1, len(self.stems[stem]) + 1)]
        segments = ((0, f"stem {stem}"), (len(kept), f"question {rng.randrange(5)}"))
        key = RadixKey(
            kept + self._tokens(rng.randrange(1, 40)), rng.choice([None, None, "tenant"]), segments=segments
        )
        self.running.append(self.cache.admit(key, priority=rng.randrange(3)))

    def _advance(self, request: Request, luck: float) -> None:
        if luck < 0.05:
            request.retract()
            self.running.remove(request)
        elif request.length < len(request.key):
            request.prefill(min(request.length + self.rng.randrange(1, 60), len(request.key)))
        elif luck < 0.7:
            request.decode(self.rng.randrange(50))
        else:
            request.finish()
            self.running.remove(request)

    def _tokens(self, count: int) -> list[int]:
        return [self.rng.randrange(50) for _ in range(count)]


def rows(cache: PrefixCache) -> list[list[Any]]:
    """Return what `cache_core.view` shows of each node, as JSON can hold it."""
    return [
        [row.id, row.parent, row.start, row.end, list(row.live), row.locks[0], row.hits, row.priority]
        for row in walk(cache)
    ]


def main(folder: str, recording: str, slots: str, seed: str) -> None:
    """Run the process."""
    config = CacheConfig(page_size=4, window=16, full_slots=1200, swa_slots=400)
    cache = PrefixCache(config)
    options = RecorderOptions(
        folder=Path(folder),
        recording=Path(recording) if recording else None,
        shape=RingShape(slots=int(slots)),
        slice_ns=0,
        slice_share=1.0,
    )
    recorder = FlightRecorder(config.describe(), options)
    cache.attach_sink(recorder)
    recorder.follow(cache)
    load = Load(cache, int(seed))
    for line in sys.stdin:
        command, *numbers = line.split()
        for _ in range(int(numbers[0]) if numbers else 0):
            load.step()
        recorder.flush()
        answer: object = None
        if command == "tree":
            answer = [rows(cache), [list(record) for record in cache.snapshot_records()]]
        print(json.dumps(answer), flush=True)
    recorder.close("told to end")


class TrueTree(NamedTuple):
    """What the process says its tree is: the rows of `cache_core.view`, and the records of a walk."""

    rows: list[list[Any]]
    records: list[RawRecord]


class CacheProcess:
    """The test's end of the process."""

    def __init__(self, folder: Path, *, slots: int = 1024, seed: int = 1, recording: Path | None = None) -> None:
        command = [sys.executable, "-m", "tests.support.cache_process"]
        arguments = [str(folder), str(recording or ""), str(slots), str(seed)]
        self.process = subprocess.Popen(
            [*command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.ask("flush")

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.process.pid

    def ask(self, command: str) -> Any:
        """Give a command and wait for its answer."""
        self.tell(command)
        return self.answer()

    def tell(self, command: str) -> None:
        """Give a command and go on."""
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")

    def answer(self) -> Any:
        """Wait for the answer to a command."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def is_busy(self) -> bool:
        """Say whether the last command still runs."""
        return not readable([self.process.stdout.fileno()], 0)

    def tree(self) -> TrueTree:
        """Ask for the tree."""
        shown, records = self.ask("tree")
        return TrueTree(shown, [tuple(record) for record in records])

    def end(self) -> None:
        """Let the process end in order."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def kill(self) -> None:
        """Kill the process outright."""
        self.process.kill()
        self.end()


def while_busy(process: CacheProcess) -> Iterator[None]:
    """Repeat until the last command is answered, and take its answer."""
    while process.is_busy():
        yield
    process.answer()


if __name__ == "__main__":
    main(*sys.argv[1:])
