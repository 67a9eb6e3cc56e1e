"""`python -m radixtop.bench.published NODES RATE`: a process with a published cache, for a screen to attach to.

It serves RATE requests a second, says `ready` once it can be attached to, and ends with its standard input.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.readiness import readable
from radixtop import attach

_TOKENS = 32
"""Of a prompt, behind the texts that prompts have in common."""

_MOST_AT_ONCE = 100
"""Requests until it looks again whether it should end."""

_COMMON = tuple(tuple(range(1_000 * text, 1_000 * text + 64)) for text in range(1, 21))


@contextmanager
def published(nodes: int, requests_per_s: float = 0.0) -> Iterator[int]:
    """Run such a process and yield its PID once it is ready."""
    command = [sys.executable, "-m", __name__, str(nodes), str(requests_per_s)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError("the published cache did not start")
        yield process.pid
        process.communicate()


def main(nodes: int, requests_per_s: float) -> None:
    """Grow the tree, then serve until standard input ends."""
    rng = random.Random(0)
    cache = PrefixCache(CacheConfig(window=128, full_slots=(nodes + 100) * 2 * _TOKENS, swa_slots=200_000))
    for _ in range(nodes - len(_COMMON)):
        _serve(cache, rng)
    recorder = attach(cache)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    due_ns = time.perf_counter_ns()
    while not readable([sys.stdin.fileno()], _pause_s(recorder.snapshot_pending, requests_per_s)):
        for _ in range(_MOST_AT_ONCE if requests_per_s else 0):
            if time.perf_counter_ns() < due_ns:
                break
            due_ns += round(1e9 / requests_per_s)
            _serve(cache, rng)
        recorder.flush()
    recorder.close("done")


def _pause_s(is_asked: bool, requests_per_s: float) -> float:
    return 0.001 if is_asked else min(0.1, 1 / requests_per_s if requests_per_s else 0.1)


def _serve(cache: PrefixCache, rng: random.Random) -> None:
    common = rng.choice(_COMMON)
    prompt = [*common, *(rng.randrange(30_000) for _ in range(_TOKENS))]
    request = cache.admit(RadixKey(prompt, segments=((0, f"text {common[0] // 1_000}"), (len(common), "question"))))
    request.prefill(len(prompt))
    request.finish()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
