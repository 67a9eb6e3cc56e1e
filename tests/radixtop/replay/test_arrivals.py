"""Everybody arrives once, in time, and nobody before the one before him in his session ended."""

from __future__ import annotations

from random import Random

import pytest

from cache_core import CacheConfig
from radixtop.replay import arrivals
from radixtop.replay.arrivals import Arrivals
from radixtop.replay.settings import ReplaySettings
from tests.support.trace_requests import MS, asks

SETTINGS = ReplaySettings(CacheConfig(components=("full",)))


@pytest.mark.parametrize("closed_loop", [None, 1, 3])
@pytest.mark.parametrize("most_parked", [1, 1_000])
@pytest.mark.parametrize("seed", range(4))
def test_arrivals_keep_their_order(
    closed_loop: int | None, most_parked: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "MOST_PARKED", most_parked)
    rng = Random(seed)
    requests = [asks([n], at_ms=5 * n, session=rng.choice(["a", "b", "c", None])) for n in range(60)]
    coming = Arrivals(requests, SETTINGS.changed(closed_loop=closed_loop), start_ns=0)
    outstanding: list[int] = []
    arrived: list[int] = []
    now = 0
    while (at := coming.next_at(now)) is not None or outstanding:
        if at is None or (outstanding and rng.random() < 0.5):
            now += rng.randint(0, 20) * MS
            ended = outstanding.pop(rng.randrange(len(outstanding)))
            coming.ended(requests[ended], now)
            continue
        now = max(now, at)
        number, request = coming.take(now)
        assert request is requests[number]
        assert closed_loop is not None or now >= request.at_ns
        assert closed_loop is None or len(outstanding) < closed_loop
        assert request.session is None or all(requests[each].session != request.session for each in outstanding)
        outstanding.append(number)
        arrived.append(number)
    assert sorted(arrived) == [*range(60)]
    for session in ("a", "b", "c"):
        own = [number for number in arrived if requests[number].session == session]
        assert own == sorted(own)


def test_requests_without_a_session_arrive_when_they_come() -> None:
    coming = Arrivals([asks([1]), asks([2], at_ms=7)], SETTINGS, start_ns=100)
    assert coming.next_at(100) == 100
    coming.take(100)
    assert coming.next_at(100) == 100 + 7 * MS


def test_sessions_of_two_tenants_are_two() -> None:
    turns = [asks([1], session="s", namespace="x"), asks([2], session="s", namespace="y")]
    coming = Arrivals(turns, SETTINGS, start_ns=0)
    assert [coming.take(0)[0], coming.next_at(0)] == [0, 0]
