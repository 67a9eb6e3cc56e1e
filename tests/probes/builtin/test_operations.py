"""What operations cost, and how fast records come."""

from __future__ import annotations

from cache_core.events import INSERT, LOCK, MATCH, SPLIT, WHOLE, Evict, Insert, Match, Timing
from probes.builtin.operations import Operations, OperationsSample, OperationSum
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
    sums = {
        "match": OperationSum(2, 40),
        "insert": OperationSum(1, 40),
        "evict": OperationSum(1, 50),
        "split": OperationSum(0, 0),
        "lock": OperationSum(0, 0),
        "unlock": OperationSum(0, 0),
    }
    assert probe.sample(5 * S) == OperationsSample(cost, 40, 10.0, sums)


def test_splits_of_matches_and_inserts_are_one_sum() -> None:
    splits = [(MATCH, SPLIT, 2, 900), (INSERT, SPLIT, 1, 300), (LOCK, WHOLE, 4, 800), (9, 9, 1, 1)]
    records = [record(Timing, at=S, operation=o, phase=p, calls=n, duration_ns=ns) for o, p, n, ns in splits]
    sums = probe_of(Operations, records).sample(S).sums
    assert (sums["split"], sums["lock"], sums["unlock"]) == (
        OperationSum(3, 1_200), OperationSum(4, 800), OperationSum(0, 0),
    )  # fmt: skip


def test_what_was_not_timed_is_no_duration_of_zero() -> None:
    probe = probe_of(Operations, [record(cls, at=S, duration_ns=0) for cls in (Match, Insert, Evict)])
    assert {quantiles.p50 for quantiles in probe.sample(S).cost.values()} == {None}
