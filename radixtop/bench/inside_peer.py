"""Runs in a peer's interpreter: requests on SGLang's own cache, plainly, with our probes, and with the tree besides.

What is measured is the time of the thread alone, so that other work of the machine is in no figure; what probes do
later than the call that they tell of (records are published and the tree is settled in batches) is part of the whole
request, not of one of its steps.
"""

from __future__ import annotations

import gc
import json
import os
import random
import sys
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from time import thread_time_ns
from typing import Any

from cache_core.bench.sglang.modules import load
from cache_core.bench.sglang.pools import Shape, build
from cache_core.bench.sglang.requests import scheduler
from probes.inside import allowance, attaching, plugin
from probes.inside.event_tap import TREE

Figures = dict[str, dict[str, dict[str, float]]]
"""Kind of cache -> mode -> step -> us a request."""

PROMPT_TOKENS = 2_000
SHARED_TOKENS = 1_024
FAMILIES = 8
"""Each prompt begins with what one of so many families shares."""

OUTPUT_TOKENS = 32
MODES = ("plain", "probes", "tree")
STEPS = ("match", "room", "write_back", "finish")
"""The steps of a request: match and lock, evict and allocate, write back what was prefilled, end."""


@dataclass(slots=True)
class Spent:
    """Thread time of a run: of its steps and of the requests as a whole, in ns, and how many there were."""

    steps: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STEPS, 0))
    whole_ns: int = 0
    requests: int = 0

    def describe(self) -> dict[str, float]:
        """Return us a request, by step, and `request` of the whole."""
        each = max(1, self.requests) * 1e3
        return {**{name: ns / each for name, ns in self.steps.items()}, "request": self.whole_ns / each}


class Load:
    """Requests of one cache, one after the other."""

    def __init__(self, life: Any, seed: int = 1) -> None:
        self._life = life
        self._dice = random.Random(seed)
        self._families = [self._fresh(SHARED_TOKENS) for _ in range(FAMILIES)]

    def run(self, requests: int) -> Spent:
        """Serve so many."""
        spent = Spent(requests=requests)
        prompts = [self._prompt() for _ in range(requests)]
        gc.collect()
        gc.disable()
        began = thread_time_ns()
        for prompt in prompts:
            self._serve(prompt, spent.steps)
        spent.whole_ns = thread_time_ns() - began
        gc.enable()
        return spent

    def _serve(self, prompt: array[int], steps: dict[str, int]) -> None:
        life = self._life
        request = life.request(prompt)
        calls: tuple[tuple[str, Callable[[], object]], ...] = (
            ("match", lambda: life.start(request)),
            ("room", lambda: life.extend(request, len(prompt))),
            ("write_back", lambda: life.write_back(request)),
            ("finish", lambda: life.finish(request)),
        )
        for name, call in calls:
            if name == "finish":
                life.decode(request, [1] * OUTPUT_TOKENS)
            began = thread_time_ns()
            call()
            steps[name] += thread_time_ns() - began

    def _prompt(self) -> array[int]:
        return self._dice.choice(self._families) + self._fresh(PROMPT_TOKENS - SHARED_TOKENS)

    def _fresh(self, tokens: int) -> array[int]:
        return array("q", [self._dice.randrange(1, 100_000) for _ in range(tokens)])


def measure(mode: str, core: str, page: int, requests: int) -> Spent:
    """Serve requests on a new cache that is watched as a mode says; the first, which fill it, do not count."""
    os.environ[TREE] = "1" if mode == "tree" else "0"
    sglang = load()
    slots = 64 * PROMPT_TOKENS
    built = build(sglang, Shape(page, None, slots // page * page, slots), core)
    seat = attaching.seat_of(built.cache)
    assert (seat is not None) == (mode != "plain"), f"{mode=} and {seat=}"
    served = Load(scheduler(sglang, built))
    served.run(slots // PROMPT_TOKENS * 2)
    spent = served.run(requests)
    if seat is not None:
        assert mode != "tree" or not seat.faults, seat.faults
        attaching.detach(id(built.cache))
        seat.close("measured")
    return spent


def figures(cores: list[str], pages: list[int], requests: int, runs: int) -> Figures:
    """Measure every mode of every kind of cache; what probes wrap stays wrapped, so the plain ones come first."""
    found: Figures = {}
    for mode in MODES:
        if mode != "plain":
            os.environ[plugin.SWITCH] = "1"
            plugin.load()
        for core in cores:
            for page in pages:
                spent = [measure(mode, core, page, requests) for _ in range(runs)]
                best = min(spent, key=lambda run: run.whole_ns)
                found.setdefault(f"{core}, pages of {page}", {})[mode] = best.describe()
    return found


def main() -> None:
    """Read an order from the standard input, print what was found as the last line."""
    order = json.load(sys.stdin)
    for name in (attaching.SHARE, allowance.TREE_SHARE):
        os.environ[name] = "0.999"  # what is measured must be done
    sys.stdout.write(json.dumps({"version": load().version, "us_per_request": figures(**order)}) + "\n")


if __name__ == "__main__":
    main()
