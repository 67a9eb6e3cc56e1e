"""What watching is said to cost."""

from __future__ import annotations

import pytest

from cache_core.events import UNTIMED, ProbeCost
from probes.builtin.overhead import Overhead
from tests.support.observing import S, probe_of
from tests.support.records import record


def test_the_last_judgement_and_the_mean_of_all() -> None:
    costs = [record(ProbeCost, at=S, spent_ns=40, elapsed_ns=1_000, detail=0),
             record(ProbeCost, at=2 * S, spent_ns=20, elapsed_ns=2_000, detail=UNTIMED)]  # fmt: skip
    sample = probe_of(Overhead, costs).sample(3 * S)
    assert sample.ratio == pytest.approx(0.01)
    assert sample.mean_ratio == pytest.approx(0.02)
    assert sample.detail == "untimed"


def test_nothing_is_known_before_the_first_judgement() -> None:
    sample = probe_of(Overhead, []).sample(S)
    assert (sample.ratio, sample.mean_ratio, sample.detail) == (None, None, "unknown")


@pytest.mark.parametrize("elapsed_ns", [0, -5])
def test_a_judgement_of_no_time_is_none(elapsed_ns: int) -> None:
    assert probe_of(Overhead, [record(ProbeCost, at=S, spent_ns=1, elapsed_ns=elapsed_ns)]).sample(S).ratio is None
