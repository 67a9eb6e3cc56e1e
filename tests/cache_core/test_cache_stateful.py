"""Random operations on the cache and on the naive model: after every step both agree and the cache is sound.

Hypothesis looks for short histories and shrinks them; the random walks are long. `soak.py` is the same walk for
as long as one likes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from cache_core import CacheConfig
from tests.support.random_walk import CHOICE_LIMIT, OPERATIONS, Operation, apply, walk
from tests.support.setups import SETUPS, TOGETHER, name_of
from tests.support.twin import Twin

choice = st.integers(0, CHOICE_LIMIT - 1)

SHRINKING = settings(
    max_examples=40,
    stateful_step_count=60,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)


class CacheAgreesWithTheModel(RuleBasedStateMachine):
    """Every operation of the random walk as a rule, each followed by a full comparison."""

    covered: ClassVar[Counter[str]] = Counter()

    @initialize(config=st.sampled_from([*SETUPS, *TOGETHER]))
    def build(self, config: object) -> None:
        """Start with one of the configurations."""
        self.twin = Twin(config)

    def teardown(self) -> None:
        """Count what this history covered."""
        if hasattr(self, "twin"):
            self.covered.update(self.twin.seen + self.twin.naive.seen)


def _rule(operation: Operation) -> object:
    """Return a rule that runs one operation of the twin."""

    @rule(choices=st.tuples(*[choice] * operation.choices))
    def step(self: CacheAgreesWithTheModel, choices: tuple[int, ...]) -> None:
        self.covered["steps"] += 1
        apply(self.twin, operation.name, *choices)

    step.__name__ = operation.name
    return step


for _operation in OPERATIONS:
    setattr(CacheAgreesWithTheModel, _operation.name, _rule(_operation))


def test_short_histories_agree_with_the_model() -> None:
    CacheAgreesWithTheModel.covered.clear()
    run_state_machine_as_test(CacheAgreesWithTheModel, settings=SHRINKING)
    assert CacheAgreesWithTheModel.covered["steps"] >= 1_500


@pytest.mark.parametrize("config", [*SETUPS, *TOGETHER], ids=name_of)
def test_long_histories_agree_with_the_model(config: object) -> None:
    walked = walk(config, seed=1, steps=60)
    assert walked.steps == 60


def missed(setups: Sequence[CacheConfig], seed: int, rare: Sequence[str]) -> list[str]:
    """Walk one configuration after the other until all that is rare has happened; return what has not."""
    seen: Counter[str] = Counter()
    for config in setups:
        seen += walk(config, seed, steps=200).seen
        if all(seen[what] for what in rare):
            break
    return [what for what in rare if not seen[what]]


RARE = (
    "recovery",
    "recovery under lock",
    "split under lock",
    "branch written",
    "finish at a branch",
    "tombstone",
    "out of slots",
    "stale node",
)


@pytest.mark.one_backend("driver")
def test_the_random_walk_covers_what_is_rare() -> None:
    assert missed(SETUPS, 2, RARE) == []


RARE_TOGETHER = (
    "state at a branch",
    "state dropped",
    "state dropped with its window",
    "no slot for a checkpoint",
    "host hit",
    "host hit and a branch",
    "load",
    "restored by an insert",
    "demoted",
    "written back",
    "stuck leaf",
    "incremental backup",
    "split of a pending node",
    "split on the host",
    "host leaf evicted",
    "redundant copy dropped",
    "host window evicted",
    "host state evicted",
    "no room on the host",
    "failed allocation",
)


@pytest.mark.one_backend("driver")
def test_the_random_walk_covers_what_is_rare_of_all_together() -> None:
    count = len(TOGETHER)
    across = [TOGETHER[-1 - 16 * number % count] for number in range(count)]  # each way to write comes early
    assert sorted(map(name_of, across)) == sorted(map(name_of, TOGETHER))
    assert missed(across, 1, RARE_TOGETHER) == []
