"""A seeded random driver of the twin: which operations it knows, how often it picks each, and how to run it."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from cache_core import CacheConfig
from tests.support.setups import SETUPS, name_of
from tests.support.twin import Twin


@dataclass(frozen=True)
class Operation:
    """A method of the twin: how many choices it takes, and its weight in a random walk."""

    name: str
    choices: int
    weight: int


OPERATIONS = (
    Operation("match", 5, 6),
    Operation("lock", 1, 4),
    Operation("unlock", 1, 4),
    Operation("allocate", 1, 3),
    Operation("free", 1, 2),
    Operation("free_window", 2, 2),
    Operation("insert", 6, 3),
    Operation("insert_behind_hit", 5, 6),
    Operation("evict", 2, 3),
    Operation("admit", 5, 9),
    Operation("prefill", 3, 14),
    Operation("decode", 3, 7),
    Operation("release_window", 1, 1),
    Operation("finish", 2, 6),
    Operation("reset", 0, 1),
)
CHOICE_LIMIT = 400
"""Choices are drawn below this number; the twin reads them modulo what they choose from."""

_NAMES = {operation.name: operation for operation in OPERATIONS}
_WEIGHTS = [operation.weight for operation in OPERATIONS]


def apply(twin: Twin, name: str, *choices: int) -> None:
    """Run one operation on both sides and compare them."""
    getattr(twin, name)(*choices)
    twin.check()


@dataclass(frozen=True)
class Walked:
    """What a random walk did: steps, and how often each thing of interest happened."""

    steps: int
    seen: Counter[str]


def walk(config: CacheConfig, seed: int, steps: int) -> Walked:
    """Take `steps` random steps on one configuration. A failure names the configuration and the seed."""
    dice = random.Random(f"{name_of(config)} {seed}")
    twin = Twin(config)
    done: list[tuple[str, list[int]]] = []
    for _ in range(steps):
        operation = dice.choices(OPERATIONS, _WEIGHTS)[0]
        choices = [dice.randrange(CHOICE_LIMIT) for _ in range(operation.choices)]
        done.append((operation.name, choices))
        try:
            apply(twin, operation.name, *choices)
        except BaseException as error:
            error.add_note(f"{name_of(config)}, seed {seed}, step {len(done)}: {done[-1]}")
            raise
    return Walked(steps, twin.seen + twin.naive.seen)


def walk_all(seed: int, steps: int, steps_each: int = 400) -> Walked:
    """Take at least `steps` random steps, going round the configurations with a new seed each time."""
    total, seen = 0, Counter[str]()
    while total < steps:
        config = SETUPS[total // steps_each % len(SETUPS)]
        walked = walk(config, seed + total // steps_each // len(SETUPS), min(steps_each, steps - total))
        total += walked.steps
        seen += walked.seen
    return Walked(total, seen)
