"""A storm of evictions against everything that looks a little like one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cache_core.events import Evict, Insert
from probes.mirror import Mirror
from probes.triggers.eviction_storm import EvictionStorm
from probes.window import SECOND_NS
from tests.support.records import record

Load = Callable[[int], tuple[int, int, int]]
"""Second -> tokens taken in, tokens evicted, ns spent on that."""


def fired_at(load: Load, seconds: int = 120, calls: int = 4, **levels: float) -> list[int]:
    """Return the seconds at whose end the trigger fired."""
    trigger = EvictionStorm(Mirror(("full", "swa")), levels)
    folds = trigger.folds()
    fired = []
    for second in range(1000, 1000 + seconds):
        taken, evicted, spent_ns = load(second - 1000)
        for call in range(calls):
            at = second * SECOND_NS + call
            folds[Insert](record(Insert, at=at, new_tokens=taken // calls))
            if evicted:
                freed = (evicted // calls, evicted // calls)
                folds[Evict](record(Evict, at=at, duration_ns=spent_ns // calls, freed_tokens=freed))
        if trigger.reason((second + 1) * SECOND_NS - 1):
            fired.append(second - 1000)
    return fired


QUIET = 1_000_000


def test_a_storm_fires_within_its_window() -> None:
    fired = fired_at(lambda second: (2000, 2000 if second < 60 else 20_000, QUIET))
    assert 60 <= fired[0] <= 63


def test_it_says_how_much_of_what_was_evicted() -> None:
    trigger = EvictionStorm(Mirror(("full", "swa")))
    for second in range(1000, 1060):
        tokens = 50_000 if second >= 1055 else 1_000
        trigger.folds()[Evict](record(Evict, at=second * SECOND_NS, duration_ns=1, freed_tokens=(0, tokens)))
    said = "50,000 tokens a second evicted of swa, at most 1,000 in the minute before"
    assert trigger.reason(1060 * SECOND_NS - 1) == said


@pytest.mark.parametrize(
    "load",
    [
        pytest.param(lambda second: (2000, 2000, QUIET), id="steady"),
        pytest.param(lambda second: (2000, 40_000 * (second % 20 == 0), QUIET), id="bursts now and then"),
        pytest.param(lambda second: (2000, 2000 * (second > 50), QUIET), id="a pool that is full from then on"),
        pytest.param(lambda second: (10 * second, 10 * second, QUIET), id="a load that grows"),
        pytest.param(lambda second: (20, 20 if second < 60 else 200, QUIET), id="next to nothing"),
        pytest.param(lambda second: (5000 * (second > 70), 5000 * (second > 70), QUIET), id="after a pause"),
    ],
)
def test_what_is_no_storm_does_not_fire(load: Load) -> None:
    assert fired_at(load) == []


def test_time_spent_is_a_storm_as_well() -> None:
    fired = fired_at(lambda second: (2000, 2000, 5_000_000 if second < 60 else 400_000_000))
    assert 60 <= fired[0] <= 63


def test_time_that_was_not_measured_is_not_judged() -> None:
    assert fired_at(lambda second: (2000, 2000, 0 if second < 60 else 400_000_000)) == []


def test_thresholds_can_be_set() -> None:
    load: Load = lambda second: (2000, 2000 if second < 60 else 5000, QUIET)  # noqa: E731
    assert fired_at(load) == []
    assert fired_at(load, factor=2) != []
    assert fired_at(load, factor=2, tokens=6000) == []


def test_it_learns_before_it_judges() -> None:
    early: Load = lambda second: (100, 100 if second < 10 else 50_000, QUIET)  # noqa: E731
    assert fired_at(early, seconds=15) == []
    assert fired_at(early, seconds=15, learn=2) != []
