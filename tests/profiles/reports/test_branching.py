"""Branching points from their opening to their end, and what they earn in between."""

from __future__ import annotations

from functools import partial

import pytest

from cache_core import CacheConfig
from cache_core.events import (
    EngineStep,
    Insert,
    Label,
    Match,
    NodeLabelled,
    NodeRemoved,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestRetracted,
    Tombstoned,
)
from probes.builtin.branching import Branching, BranchingSample
from profiles.reports.branching import BranchingPoints
from profiles.tallies.branch_sums import BranchingReport
from tests.support.cache_runs import CONFIGS, HOSTED
from tests.support.observing import S, probe_of
from tests.support.records import added, record
from tests.support.reporting import random_run, report_of

WINDOW = {"window": 8}


def tree() -> list[Record]:
    """A stored prefix of 20 tokens, `system prompt`, with 10 behind it."""
    return [
        Label(5, "system prompt"),
        added(1, 0, 20, live=1, at=S),
        NodeLabelled(1, 0, 5),
        added(2, 1, 10, start=20, live=3, at=S),
    ]


def opening(request: int, at: int) -> list[Record]:
    """A request that finds 20 stored tokens and can use none."""
    return [
        record(Match, at=at, request=request, queried_tokens=40, full_hit_tokens=20, branching_point=20, full_node=1),
        record(RequestAdmitted, at=at, request=request, prompt_tokens=40, recomputed_tokens=20, new_tokens=20),
    ]


def filling(request: int, at: int) -> Insert:
    return record(Insert, at=at, request=request, key_tokens=20, branch_inserted=1, node=1)


def landing(request: int, node: int, hit: int, at: int) -> list[Record]:
    """A request that hits `hit` tokens."""
    return [
        record(Match, at=at, request=request, device_hit_tokens=hit, full_hit_tokens=hit, node=node, full_node=node),
        record(RequestAdmitted, at=at, request=request, prompt_tokens=50, device_hit_tokens=hit),
    ]


def report(records: list[Record], **options: object) -> BranchingReport:
    return report_of(partial(BranchingPoints, **options), records, config=WINDOW)  # type: ignore[arg-type]


def test_a_point_is_followed_from_its_opening_to_its_end() -> None:
    found = report([
        *tree(), *opening(7, 2 * S), filling(7, 3 * S), *landing(8, 1, 20, 4 * S),
        Tombstoned(9 * S, 1, 1), record(RequestFinished, at=10 * S, request=7),
    ])  # fmt: skip
    (point,) = found.points
    assert (point.request, point.label, point.position, point.gap_tokens) == (7, "system prompt", 20, 20)
    assert (point.fill_delay_ns, point.outcome) == (S, "window evicted")
    assert point.ended_ns is not None and point.filled_ns is not None
    assert point.ended_ns - point.filled_ns == 6 * S
    assert (point.later_requests, point.saved_tokens) == (1, 20)


@pytest.mark.parametrize(
    ("node", "hit", "earned"), [(1, 20, 1), (3, 27, 1), (3, 28, 0), (3, 19, 0)], ids=["on", "near", "far", "before"]
)
def test_a_hit_earns_while_its_window_reaches_back_to_the_point(node: int, hit: int, earned: int) -> None:
    behind = [added(3, 1, hit - 20, start=20, live=3, at=S)] if hit > 20 else []
    found = report([*tree(), *opening(7, S), filling(7, S), *behind, *landing(8, node, hit, 2 * S)])
    assert (found.later_requests, found.saved_tokens) == (earned, 20 * earned)


def test_neither_the_one_who_opened_it_nor_a_return_earns() -> None:
    found = report([
        *tree(), *opening(7, S), filling(7, S), *landing(7, 1, 20, S), *landing(8, 1, 20, S),
        record(RequestRetracted, at=S, request=8, reason=1), *landing(8, 1, 20, S),
    ])  # fmt: skip
    assert found.later_requests == 1


def test_nothing_is_earned_after_the_end() -> None:
    found = report([*tree(), *opening(7, S), filling(7, S), Tombstoned(2 * S, 1, 1), *landing(8, 1, 20, 3 * S)])
    assert found.later_requests == 0


@pytest.mark.parametrize(
    ("ends", "outcome"),
    [
        ([record(RequestFinished, request=7)], "request ended"),
        ([record(RequestRetracted, request=7, reason=1)], "request ended"),
        (opening(7, 2 * S)[:1], "met again"),
        ([filling(7, S), NodeRemoved(S, 2), NodeRemoved(S, 1)], "evicted"),
        ([filling(7, S), *opening(8, S), filling(8, S)], "filled again"),
    ],
)
def test_it_says_what_became_of_a_point(ends: list[Record], outcome: str) -> None:
    assert report([*tree(), *opening(7, S), *ends]).outcomes[outcome] == 1


def test_the_prefill_rate_is_that_of_steps_that_only_prefilled() -> None:
    steps = [
        record(EngineStep, duration_ns=S, prefill_tokens=100),
        record(EngineStep, duration_ns=S, prefill_tokens=10, decode_tokens=3),
        record(EngineStep, duration_ns=0, prefill_tokens=9999),
    ]
    found = report([*tree(), *opening(7, S), filling(7, S), *landing(8, 1, 20, S), *steps])
    assert (found.prefill_tokens_per_s, found.prefill_steps, found.prefill_alone) == (100.0, 1, True)
    assert found.saved_ms == pytest.approx(200.0)


def test_without_a_step_saved_time_is_not_known() -> None:
    found = report([*tree(), *opening(7, S)])
    assert found.saved_ms is None
    assert found.points[0].saved_ms is None


def test_points_are_sorted_and_the_rest_counted() -> None:
    small = record(
        Match, at=3 * S, request=9, full_hit_tokens=20, device_hit_tokens=15, branching_point=20, full_node=1
    )
    records = [*tree(), *opening(7, 2 * S), small]
    assert [point.request for point in report(records, sort="gap").points] == [7, 9]
    assert [point.request for point in report(records, sort="time").points] == [7, 9]
    cut = report(records, sort="gap", top=1)
    assert ([point.request for point in cut.points], cut.points_left_out, cut.opened) == ([7], 1, 2)


@pytest.mark.parametrize("config", [config for config in (*CONFIGS, *HOSTED) if "swa" in config.components])
@pytest.mark.parametrize("seed", range(4))
def test_the_sums_are_those_of_the_probe(config: CacheConfig, seed: int) -> None:
    _, records = random_run(config, seed, steps=500)
    found = report_of(BranchingPoints, records, config.components, config.describe())
    probe = probe_of(Branching, [], config.components)
    probe.mirror.grid_tokens = 1 if "mamba" not in config.components else 4
    for each in records:
        probe.mirror.apply(each)
        probe.observe(each)
    sample = probe.sample(0)
    assert isinstance(sample, BranchingSample)
    assert (found.opened, found.filled, found.lost, found.open_now, found.recomputed_tokens) == (
        sample.opened, sample.filled, sample.lost, sample.open_now, sample.recomputed_tokens,
    )  # fmt: skip
    assert sum(found.outcomes.values()) == found.opened
    assert sum(point.later_requests for point in found.points) == found.later_requests
