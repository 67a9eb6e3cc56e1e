"""Requests of made-up traces: by hand, and at random with a lot in common."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from random import Random

from profiles.step_costs import StepCosts
from profiles.trace import TraceRequest

MS = 1_000_000

COSTS = StepCosts("made up", 1_000.0, 10 * MS, 2 * MS, 1 * MS)
"""A prefilled token takes 1 ms, a step that decodes 10 ms and 2 ms for each request, every step 1 ms more."""


def asks(ids: Sequence[int], at_ms: int = 0, block: int = 10, outputs: int = 1, **more: object) -> TraceRequest:
    """Return a request whose prompt is whole blocks, unless `prompt_tokens` says otherwise."""
    tokens = more.pop("prompt_tokens", block * len(ids))
    path = array("q", ids).tobytes()
    return TraceRequest(at_ms * MS, path, block, tokens, outputs, **more)  # type: ignore[arg-type]


def random_requests(seed: int, requests: int, block: int = 8, namespaces: int = 1) -> list[TraceRequest]:
    """Return requests that repeat, extend and branch off earlier ones; the last block may be cut short."""
    rng = Random(seed)
    paths: list[list[int]] = []
    made = []
    fresh = at_ms = 0
    for _ in range(requests):
        base = rng.choice(paths)[:] if paths and rng.random() < 0.8 else []
        del base[rng.randint(0, len(base)) :]
        for _ in range(rng.randint(0 if base else 1, 6)):
            fresh += 1
            base.append(fresh)
        paths.append(base)
        at_ms += rng.randint(0, 200)
        tokens = block * len(base) - rng.choice((0, 0, rng.randint(0, block - 1)))
        name = None if namespaces == 1 else f"tenant {rng.randrange(namespaces)}"
        made.append(asks(base, at_ms, block, rng.randint(1, 12), prompt_tokens=tokens, namespace=name))
    return made
