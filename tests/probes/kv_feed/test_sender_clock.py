"""When batches were flushed, told by our clock: that of their sender may be off by any amount."""

from __future__ import annotations

import math

import pytest

from probes.kv_feed.frame import Frame
from probes.kv_feed.sender_clock import SenderClock

S = 1_000_000_000
SKEWS = (0.0, -3_600.0, 1.7e9)


def answer(ts: float, came_s: float) -> Frame:
    return Frame(0, ts, b"", int(came_s * S), is_answer=True)


def live(ts: float, came_s: float) -> Frame:
    return Frame(0, ts, b"", int(came_s * S))


@pytest.mark.parametrize("skew_s", SKEWS)
def test_what_was_asked_for_is_as_old_as_a_live_batch_says(skew_s: float) -> None:
    clock = SenderClock()
    old = answer(skew_s + 400, came_s=1_000)
    for frame in (old, live(skew_s + 1_000, came_s=1_000.5), live(skew_s + 1_001, came_s=1_001)):
        clock.learn(frame)
    assert clock.is_known
    assert clock.flushed_at(old) == pytest.approx(400 * S, abs=1_000)


@pytest.mark.parametrize("skew_s", SKEWS)
def test_without_a_live_batch_the_newest_one_is_of_now_and_others_are_older(skew_s: float) -> None:
    clock = SenderClock()
    old, newest = answer(skew_s + 400, came_s=1_000), answer(skew_s + 700, came_s=1_000)
    for frame in (old, newest):
        clock.learn(frame)
    assert not clock.is_known
    found = [clock.flushed_at(old), clock.flushed_at(newest)]
    assert found == pytest.approx([700 * S, 1_000 * S], abs=1_000)


def test_a_live_batch_is_of_when_it_came() -> None:
    clock = SenderClock()
    for frame in (live(5, came_s=10), live(6, came_s=20)):
        clock.learn(frame)
    assert clock.flushed_at(live(6, came_s=20)) == 20 * S


@pytest.mark.parametrize("ts", [math.nan, math.inf, -math.inf, -1e300, 1e300, 2_000.0])
def test_a_time_that_cannot_be_is_when_it_came(ts: float) -> None:
    clock = SenderClock()
    clock.learn(live(1_000, came_s=1_000))
    clock.learn(answer(ts, came_s=1_000))
    assert clock.flushed_at(answer(ts, came_s=1_000)) == 1_000 * S


def test_nothing_is_older_than_our_clock() -> None:
    clock = SenderClock()
    clock.learn(live(5_000, came_s=10))
    assert clock.flushed_at(answer(1_000, came_s=10)) == 1


def test_another_process_has_another_clock() -> None:
    clock = SenderClock()
    clock.learn(live(0, came_s=1_000))
    clock.begin()
    clock.learn(live(2_000, came_s=1_000))
    assert clock.flushed_at(answer(1_900, came_s=1_000)) == 900 * S
