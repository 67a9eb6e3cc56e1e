"""A process with a real cache on a clock of its own: what takes a minute there is over at once here.

As a program it obeys lines on its standard input: `load S N` lets S seconds pass in which N tokens a second come that
nobody saw before, in prompts of a hundred; `reuse S N` the same with a prompt that came before. Each is answered with
a line once all of it was published.
"""

from __future__ import annotations

import subprocess
import sys
from array import array

from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.recorder import FlightRecorder, RecorderOptions

PROMPT = 100
SECOND_NS = 1_000_000_000


class Clock:
    """Stands still unless it is told."""

    def __init__(self) -> None:
        self.now = 1_000 * SECOND_NS

    def __call__(self) -> int:
        return self.now


def main() -> None:
    """Run the process."""
    clock = Clock()
    config = CacheConfig(components=("full",), full_slots=20_000)
    cache = PrefixCache(config, clock=clock)
    recorder = FlightRecorder(config.describe(), RecorderOptions(budget=1e9), clock)
    cache.attach_sink(recorder)
    recorder.follow(cache)
    recorder.flush()
    print("ready", flush=True)
    token = 0
    for line in sys.stdin:
        kind, seconds, rate = line.split()
        prompts = int(rate) // PROMPT
        for number in range(int(seconds) * prompts):
            clock.now += SECOND_NS // prompts
            token += kind == "load"
            request = cache.admit(RadixKey(array("i", [token if kind == "load" else token - 1] * PROMPT)))
            request.prefill(PROMPT)
            request.finish()
            if number % prompts == prompts - 1:
                recorder.flush()
        print("done", flush=True)
    recorder.close("told to end")


class StormProcess:
    """The test's end of the process."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.support.storm_process"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._hear()

    @property
    def target(self) -> str:
        """What names its ring."""
        return f"shm:{self.process.pid}"

    def load(self, seconds: int, rate: int, kind: str = "load") -> None:
        """Let seconds of load pass and wait for their end."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{kind} {seconds} {rate}\n")
        self._hear()

    def end(self) -> None:
        """Let it end in order."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline()


if __name__ == "__main__":
    main()
