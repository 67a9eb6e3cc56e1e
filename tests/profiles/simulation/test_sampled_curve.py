"""The sampled curve against the exact one, and the error that it gives against the one it has."""

from __future__ import annotations

import pytest
from hypothesis import given

from cache_core.errors import ConfigError
from profiles.simulation import SampledCurve, capacity_curve, sampled_curve
from profiles.simulation.made_up import MadeUpChats
from profiles.simulation.sample import Sample, sampled
from profiles.trace import ID_BYTES, TraceRequest
from tests.support.drawn_traces import REQUESTS, request

CHATS = list(MadeUpChats(3_000))
CAPACITY = 8_000


def estimate(seed: int) -> SampledCurve:
    return sampled_curve(CHATS, rate=0.05, exact_blocks=500, seed=seed)


@given(requests=REQUESTS)
def test_a_sample_of_everything_is_the_exact_curve(requests: list[TraceRequest]) -> None:
    whole = capacity_curve(requests)
    found = sampled_curve(requests, rate=1.0, exact_blocks=2)
    for capacity in range(20):
        assert found.hit_tokens(capacity) == whole.hit_tokens(capacity)


def test_estimates_are_as_far_off_as_they_say() -> None:
    right = capacity_curve(CHATS).hit_tokens(CAPACITY)
    found = [estimate(seed) for seed in range(1, 13)]
    off = [abs(each.hit_tokens(CAPACITY) - right) / each.error_tokens(CAPACITY) for each in found]
    assert sum(1 for each in off if each < 2.5) >= 10
    assert sum(1 for each in off if each > 0.1) >= 6, "an error that is never reached says nothing"


def test_the_mean_of_many_estimates_is_right() -> None:
    curve = capacity_curve(CHATS)
    found = [estimate(seed).hit_tokens(CAPACITY) for seed in range(1, 13)]
    assert sum(found) / len(found) == pytest.approx(curve.hit_tokens(CAPACITY), rel=0.05)


def test_up_to_the_exact_part_there_is_no_error() -> None:
    found, right = estimate(1), capacity_curve(CHATS)
    assert (found.hit_tokens(400), found.error_tokens(400)) == (right.hit_tokens(400), 0)
    assert found.hit_rate_error(400) == 0
    assert found.hit_rate_error(CAPACITY) == pytest.approx(found.error_tokens(CAPACITY) / right.queried_tokens)


def test_the_sample_is_about_as_large_as_its_rate() -> None:
    taken = sum(len(pieces[0].path) for _, pieces in sampled(CHATS, Sample(0.1, 4)) if pieces and pieces[0])
    assert taken / sum(len(each.path) for each in CHATS) == pytest.approx(0.1, rel=0.2)


def test_every_block_of_the_sample_is_in_one_part() -> None:
    for _, pieces in sampled(CHATS[:200], Sample(0.3, 4)):
        sizes = [len(piece.path) if piece else 0 for piece in pieces]
        assert not sizes or sizes[0] == sum(sizes[1:])


def test_blocks_are_told_apart_by_all_that_is_before_them_and_by_namespace() -> None:
    requests = [request([1, 2]), request([3, 2]), request([1, 2], namespace="a"), request([1, 2, 4])]
    pieces = [found[0] for _, found in sampled(requests, Sample(1.0, 1))]
    paths = [each.path if each else b"" for each in pieces]
    assert len({path[ID_BYTES:] for path in paths[:3]}) == 3
    assert paths[3].startswith(paths[0])


def test_warm_up_is_not_counted() -> None:
    found = sampled_curve([request([1, 2], rest=3)] * 3, rate=1.0, warm_up_requests=1)
    assert (found.exact.requests, found.hit_tokens(10), found.hit_rate(10)) == (2, 14, 1.0)


def test_of_nothing_there_is_no_rate() -> None:
    found = sampled_curve([])
    assert (found.hit_rate(5), found.hit_rate_error(5)) == (None, None)


@pytest.mark.parametrize("rate", [0.0, -1.0, 1.5])
def test_a_rate_that_is_no_share_is_refused(rate: float) -> None:
    with pytest.raises(ConfigError, match="rate is"):
        sampled_curve([], rate)
