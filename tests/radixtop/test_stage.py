"""Only the view in sight is styled for the size of the screen, and only it keeps what it has painted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from radixtop.app import RadixtopApp
from radixtop.view import VIEW_KEYS, VIEWS
from radixtop.widgets.line_view import LineView
from radixtop.widgets.panel_view import PanelView
from radixtop.widgets.stage import Stage
from tests.support.fixed_recording import fixed_dashboard, unpacked
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
            for key in (*VIEW_KEYS.values(), "1"):
                await running.press(key)
                await running.tick()

    asyncio.run(main())
    assert told == list(VIEWS)


@pytest.mark.parametrize("size", [(80, 17), (100, 12), (120, 16), (180, 17)])
def test_in_few_rows_every_panel_has_seven_and_the_screen_scrolls(size: tuple[int, int]) -> None:
    async def main() -> None:
        async with dashboard(*size) as running:
            panels = [panel for panel in running.app.screen.query(PanelView) if panel.display]
            assert {panel.outer_size.height for panel in panels if panel.id != "overview-hit_rate"} == {7}
            overview = running.app.screen.query_one("#overview")
            assert overview.max_scroll_y > 0

    asyncio.run(main())


def test_the_timeline_is_not_turned_off_where_it_has_no_room(tmp_path: Path) -> None:
    async def main() -> None:
        async with fixed_dashboard(unpacked(tmp_path), 80, 24) as running:
            assert any(line.startswith(" evict ") for line in running.lines())
            await running.pilot.resize_terminal(80, 15)
            await running.press("t")
            assert "needs more rows" in running.text()
            await running.pilot.resize_terminal(80, 24)
            await running.settle()
            assert any(line.startswith(" evict ") for line in running.lines())

    asyncio.run(main())


def test_no_filter_is_drawn_where_nothing_is() -> None:
    async def main() -> None:
        async with dashboard(20, 5) as running:
            await running.press("2", "slash")
            assert not running.app.screen.query_one("#filter").display

    asyncio.run(main())


def test_a_tree_that_had_no_room_for_rows_is_where_it_was(tmp_path: Path) -> None:
    async def main() -> None:
        async with fixed_dashboard(unpacked(tmp_path), 80, 24) as running:
            await running.press("2", "b", "g", *["down"] * 18)
            before = running.lines()[3:-1]
            await running.pilot.resize_terminal(20, 5)
            for _ in range(3):
                await running.tick()
            await running.pilot.resize_terminal(80, 24)
            await running.tick()
            assert running.lines()[3:-1] == before

    asyncio.run(asyncio.wait_for(main(), 60))


def test_a_tree_with_room_for_its_head_alone_rests(tmp_path: Path) -> None:
    async def main() -> None:
        async with fixed_dashboard(unpacked(tmp_path), 80, 24) as running:
            await running.press("2", "b", "g", *["down"] * 20)
            await running.pilot.resize_terminal(40, 10)
            await running.press("slash", "s")
            await running.press("escape")

    asyncio.run(asyncio.wait_for(main(), 60))
