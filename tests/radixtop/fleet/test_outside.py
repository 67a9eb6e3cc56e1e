"""What a server that is seen from outside does not tell is said in one sentence, and nothing is claimed of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from radixtop.view import VIEW_KEYS
from tests.support.fleets import FleetSource, fleet_source
from tests.support.screen import Dashboard, dashboard

Scenario = Callable[[Dashboard], Awaitable[None]]


def source(*kept: str) -> FleetSource:
    """Return servers of whose ranks some samples of a cache are told, too."""
    watched = fleet_source(8, 8)
    every = FleetSource().samples
    watched.samples = {**watched.samples, **{name: every[name] for name in kept}}
    return watched


def run(scenario: Scenario, watched: FleetSource, size: tuple[int, int] = (120, 40)) -> None:
    async def main() -> None:
        async with dashboard(*size, watched, title="sglang://gpu1:30000") as running:
            await scenario(running)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("swa", "which windows are lost too early is not told from outside: start the server with `radixtop run"),
        ("evictions", "what an eviction costs is not told from outside: start the server with `radixtop run"),
        ("requests", "what a request hit, missed and took is not told from outside: start the server with"),
        ("ages", "and how soon it is reused, is not told from outside: start the server with `radixtop run"),
    ],
)
def test_a_view_says_what_would_fill_it_and_shows_no_empty_panels(view: str, said: str) -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(VIEW_KEYS[view])
        text = " ".join(running.text().split())
        assert said in text
        for claimed in (
            "newest 0",
            "no sliding window",
            "no request was matched",
            "no pool has",
            "a victim",
            "running",
        ):
            assert claimed not in text
        await running.press("escape")
        assert running.app.view_name == "overview"

    run(scenario, source("ghosts"))


def test_what_events_tell_is_shown_and_hits_are_told_by_the_metrics() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(VIEW_KEYS["evictions"])
        assert "came back within" in running.text() and "ghosts: evicted" in running.text()
        await running.press(VIEW_KEYS["requests"])
        assert "all 8 ranks, last 60s: 66.3% of prompt tokens were hits" in running.text()

    run(scenario, source("ghosts"))


def test_keys_of_time_are_not_offered_where_nothing_is_kept_and_say_so_when_pressed() -> None:
    async def scenario(running: Dashboard) -> None:
        assert "pause" not in running.lines()[-1] and "time" not in running.lines()[-1]
        await running.press("question_mark")
        assert "this screen" in running.text() and "stop the moment" not in running.text()
        await running.press("escape", "space")
        assert "servers are not kept" in running.text()

    run(scenario, source())


def test_kinds_of_events_that_no_server_tells_are_not_offered() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(VIEW_KEYS["events"])
        kinds = next(line for line in running.lines() if "evictions" in line and "follows" in line)
        assert kinds.split()[1:-2] == ["all", "inserts", "evictions"]
        await running.press("f", "f", "f")
        assert "inserts" in running.text() and "locks" not in running.text()

    run(scenario, source("event_log"))
