"""Only the view in sight is styled for the size of the screen, and only it keeps what it has painted."""

from __future__ import annotations

import asyncio

from radixtop.app import RadixtopApp
from radixtop.view import VIEWS
from radixtop.widgets.line_view import LineView
from radixtop.widgets.stage import Stage
from tests.support.screen import Dashboard, dashboard
from tests.support.watched import FakeSource, SteppedPoller


def stage_of(running: Dashboard, view: str) -> Stage:
    """Return what a view stands on."""
    return next(stage for stage in running.app.screen.query(Stage) if stage.query(f"#{view}"))


def sizes_of(stage: Stage) -> set[str]:
    """Return the classes that tell of the size."""
    return {name for name in stage.classes if name not in ("stage", "-away")}


def test_a_view_takes_the_size_of_the_screen_when_it_comes_in_sight() -> None:
    async def main() -> None:
        async with dashboard(80, 24) as running:
            overview = stage_of(running, "overview")
            assert sizes_of(overview) == {"-normal", "-short"}
            await running.press("2")
            await running.pilot.resize_terminal(200, 60)
            await running.settle()
            assert sizes_of(stage_of(running, "tree")) == {"-huge", "-towering"}
            assert sizes_of(overview) == {"-normal", "-short"}  # nobody looks at it
            await running.press("1")
            assert sizes_of(overview) == {"-huge", "-towering"}

    asyncio.run(main())


def test_a_view_that_is_left_in_a_terminal_too_small_for_it_is_out_of_sight_in_a_larger_one() -> None:
    async def main() -> None:
        async with dashboard(80, 24) as running:
            await running.pilot.resize_terminal(30, 8)
            await running.press("2")
            await running.pilot.resize_terminal(80, 24)
            await running.settle()
            assert [stage.display for stage in running.app.screen.query(Stage)] == [True, False]
            assert stage_of(running, "tree").display

    asyncio.run(main())


def test_what_a_view_has_painted_is_let_go_when_it_is_left_and_painted_again_when_it_is_back() -> None:
    async def main() -> None:
        async with dashboard(120, 40) as running:
            before = running.lines()
            await running.press("2")
            await running.tick()
            lines = stage_of(running, "overview").query(LineView)
            assert lines
            assert not any(view._strips or view._styles_cache._cache for view in lines)
            await running.press("1")
            assert running.lines()[2:-1] == before[2:-1]

    asyncio.run(main())


def test_rest_is_told_once_a_view() -> None:
    told: list[str] = []

    async def main() -> None:
        app = RadixtopApp(
            FakeSource(), title="at rest", poller=SteppedPoller, at_rest=lambda: told.append(app.view_name)
        )
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            running = Dashboard(app, pilot, app._poller)
            for number in (*range(1, len(VIEWS) + 1), 1):
                await running.press(str(number))
                await running.tick()

    asyncio.run(main())
    assert told == list(VIEWS)
