"""What operations cost, and how fast records come."""

from __future__ import annotations

from cache_core.events import Evict, Insert, Match
from probes.builtin.operations import Operations, OperationsSample
from probes.histogram import Quantiles
from tests.support.observing import S, probe_of
from tests.support.records import record


def test_the_sample_of_a_few_operations() -> None:
    probe = probe_of(
        Operations,
        [
            record(Match, at=1 * S, duration_ns=10),
            record(Match, at=1 * S, duration_ns=30, request=1),
            record(Insert, at=2 * S, duration_ns=40),
            record(Evict, at=3 * S, duration_ns=50),
        ],
    )
    probe.advance(40, 1 * S, 5 * S)
    cost = {
        "match": Quantiles(2, 20.0, 10.0, 30.0),
        "insert": Quantiles(1, 40, 40, 40),
        "evict": Quantiles(1, 50, 50, 50),
    }
    assert probe.sample(5 * S) == OperationsSample(cost, 40, 10.0)
