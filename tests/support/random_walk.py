"""A seeded random driver of the twin: which operations it knows, how often it picks each, and how to run it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cache_core import CacheConfig
from tests.support.setups import name_of
from tests.support.twin import Twin


@dataclass(frozen=True)
class Operation:
    """A method of the twin: how many choices it takes, its weight in a random walk, and what must be there for it."""

    name: str
    choices: int
    weight: int
    needs: str = ""

    def suits(self, twin: Twin) -> bool:
        """Say whether it can do anything in a twin's configuration."""
        return not self.needs or bool({"swa": twin.window, "mamba": twin.mamba, "host": twin.naive.host}[self.needs])


OPERATIONS = (
    Operation("match", 5, 6),
    Operation("lock", 1, 4),
    Operation("unlock", 1, 4),
    Operation("allocate", 1, 3),
    Operation("free", 1, 2),
    Operation("free_window", 2, 2, "swa"),
    Operation("allocate_state", 0, 3, "mamba"),
    Operation("free_state", 1, 1, "mamba"),
    Operation("fail", 1, 1),
    Operation("insert", 6, 3),
    Operation("insert_behind_hit", 5, 6),
    Operation("evict", 3, 4),
    Operation("admit", 5, 9),
    Operation("prefill", 3, 14),
    Operation("decode", 3, 7),
    Operation("release_window", 1, 1, "swa"),
    Operation("finish", 2, 9),
    Operation("reset", 0, 1),
    Operation("admit_and_load", 5, 9, "host"),
    Operation("load_back", 1, 1, "host"),
    Operation("take_transfers", 0, 4, "host"),
    Operation("complete", 2, 6, "host"),
    Operation("evict_host", 3, 1, "host"),
)
CHOICE_LIMIT = 400
"""Choices are drawn below this number; the twin reads them modulo what they choose from."""


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
    operations = [operation for operation in OPERATIONS if operation.suits(twin)]
    weights = [operation.weight for operation in operations]
    done: list[tuple[str, list[int]]] = []
    for _ in range(steps):
        operation = dice.choices(operations, weights)[0]
        choices = [dice.randrange(CHOICE_LIMIT) for _ in range(operation.choices)]
        done.append((operation.name, choices))
        try:
            apply(twin, operation.name, *choices)
        except BaseException as error:
            error.add_note(f"{name_of(config)}, seed {seed}, step {len(done)}: {done[-1]}")
            raise
    return Walked(steps, twin.seen + twin.naive.seen)


def walk_all(setups: Sequence[CacheConfig], seed: int, steps: int, steps_each: int = 400) -> Walked:
    """Take at least `steps` random steps, going round the configurations with a new seed each time."""
    total, seen = 0, Counter[str]()
    while total < steps:
        config = setups[total // steps_each % len(setups)]
        walked = walk(config, seed + total // steps_each // len(setups), min(steps_each, steps - total))
        total += walked.steps
        seen += walked.seen
    return Walked(total, seen)
