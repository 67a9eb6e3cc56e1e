"""A drop of the hit rate against everything that looks a little like one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cache_core.events import RequestAdmitted
from probes.mirror import Mirror
from probes.triggers.hit_drop import HitDrop
from probes.window import SECOND_NS
from tests.support.records import record

Rate = Callable[[int], float]
"""Second -> share of the prompt tokens that hit."""


def fired_at(share: Rate, requests: int = 4, prompt_tokens: int = 400, **levels: float) -> list[int]:
    """Return the seconds at whose end the trigger fired, of two minutes with so many requests a second."""
    trigger = HitDrop(Mirror(), levels)
    fired = []
    for second in range(120):
        for number in range(requests):
            trigger.folds()[RequestAdmitted](
                record(
                    RequestAdmitted,
                    at=(1000 + second) * SECOND_NS + number,
                    request=second * requests + number,
                    prompt_tokens=prompt_tokens,
                    device_hit_tokens=int(share(second) * prompt_tokens),
                )
            )
        if trigger.reason((1001 + second) * SECOND_NS - 1):
            fired.append(second)
    return fired


def dropped(second: int) -> float:
    return 0.8 if second < 60 else 0.1


def test_a_drop_fires_within_ten_seconds() -> None:
    assert 60 < fired_at(dropped)[0] <= 68


@pytest.mark.parametrize(
    "rate",
    [
        pytest.param(lambda second: 0.8, id="steady"),
        pytest.param(lambda second: 0.8 - 0.2 * (second % 2), id="up and down"),
        pytest.param(lambda second: min(0.8, second / 60), id="a cache that warms up"),
        pytest.param(lambda second: 0.15 if second < 60 else 0.0, id="there was not much to lose"),
        pytest.param(lambda second: 0.8 if second < 60 else 0.6, id="a little less"),
    ],
)
def test_what_is_no_drop_does_not_fire(rate: Rate) -> None:
    assert fired_at(rate) == []


def test_a_few_requests_or_tokens_prove_nothing() -> None:
    assert fired_at(dropped, requests=1) == []
    assert fired_at(dropped, prompt_tokens=40) == []


def test_thresholds_can_be_set() -> None:
    assert fired_at(lambda second: 0.8 if second < 60 else 0.6, factor=0.9) != []
    assert fired_at(dropped, rate=0.9) == []


def test_it_says_both_rates() -> None:
    trigger = HitDrop(Mirror())
    for second in range(60):
        for number in range(4):
            hit = 80 if second < 50 else 10
            trigger.folds()[RequestAdmitted](
                record(
                    RequestAdmitted,
                    at=(1000 + second) * SECOND_NS,
                    request=second * 4 + number,
                    prompt_tokens=100,
                    device_hit_tokens=hit,
                )
            )
    assert trigger.reason(1060 * SECOND_NS - 1) == "hit rate 10.0% of the last 10 s, 80.0% before"
