"""A process whose cache publishes KV events under random load, and the test's hold on it.

As a program it obeys lines on its standard input: `run N` makes N random steps and publishes after each, `blocks`
states the blocks of the tree. Each is answered with one line of JSON that has the number of the next batch.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import Any

from cache_core import CacheConfig
from probes.kv.publisher import PublisherOptions
from radixtop.serving.kv_feed import KVFeed
from tests.support.cache_runs import CacheRun
from tests.support.kv_naive import blocks

ANY_PORT = "tcp://127.0.0.1:0"
CONFIG = CacheConfig(page_size=4, window=16, full_slots=400, swa_slots=200)


def main(buffer_batches: str, layout: str) -> None:
    """Run the process."""
    run = CacheRun(CONFIG, None, seed=5)
    options = PublisherOptions(ANY_PORT, ANY_PORT, buffer_batches=int(buffer_batches))
    feed = KVFeed(run.cache, options, layout=layout)
    say(feed.describe())
    for line in sys.stdin:
        command, *numbers = line.split()
        for _ in range(int(numbers[0]) if numbers else 0):
            run.step()
            feed.step()
        found = dict(blocks(run.cache)) if command == "blocks" else {}
        say({"next": feed.publisher.published_batches, "blocks": list(found.items())})
    feed.close()


def say(answer: object) -> None:
    """Write one answer."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


class KVProcess:
    """The test's end of the process. A context manager."""

    def __init__(self, buffer_batches: int = 10_000, layout: str = "0.5.22") -> None:
        command = [sys.executable, "-m", "tests.support.kv_process", str(buffer_batches), layout]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        said = self._answer()
        self.live, self.replay = said["endpoint"], said["replay_endpoint"]

    def __enter__(self) -> KVProcess:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, steps: int) -> int:
        """Make random steps; return the number of the last batch that was published."""
        return int(self._ask(f"run {steps}")["next"]) - 1

    def blocks(self) -> Counter[int]:
        """Return how often each block is in the tree."""
        return Counter(dict(self._ask("blocks")["blocks"]))

    def _ask(self, command: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


if __name__ == "__main__":
    main(*sys.argv[1:])
