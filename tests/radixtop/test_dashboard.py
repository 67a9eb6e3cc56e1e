"""The dashboard as a whole: every key, every size, and what it shows when things go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cache_core.events import NodeRemoved
from radixtop.app import RadixtopApp
from radixtop.messages import Frame
from radixtop.screens.help import HelpScreen
from radixtop.screens.node import NodeScreen
from radixtop.settings.setting import Settings
from radixtop.tree.rows import TreePage
from radixtop.view import VIEW_KEYS
from radixtop.views.tree import Tree
from radixtop.widgets.tree_view import TreeView
from tests.support.golden import assert_golden
from tests.support.screen import Dashboard, dashboard
from tests.support.watched import NOW, FakeSource, mirror, node, reuse

GOLDENS = Path(__file__).parent / "goldens" / "screens"
SIZES = [(80, 24), (120, 40), (200, 60), (40, 12)]

Scenario = Callable[[Dashboard], Coroutine[Any, Any, None]]


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")


def run(scenario: Scenario, width: int = 80, height: int = 24, source: FakeSource | None = None) -> None:
    """Run a scenario in a dashboard of that size."""

    async def main() -> None:
        async with dashboard(width, height, source) as running:
            await scenario(running)

    asyncio.run(main())


def tree_of(running: Dashboard) -> TreeView:
    view = running.app._main.view
    assert isinstance(view, Tree)
    return view.rows


TOP = 6
"""The line of the first row of the tree."""


def first_row(running: Dashboard) -> str:
    return running.lines()[TOP]


def cursor_label(running: Dashboard) -> str:
    tree = tree_of(running)
    row = tree._row(tree._cursor)
    return row.label if row is not None else ""


# ---- looks


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_view_looks_as_accepted(size: tuple[int, int]) -> None:
    """One run of the app for all of them; what differs is told of all."""
    differing: list[str] = []

    async def scenario(running: Dashboard) -> None:
        for view, key in VIEW_KEYS.items():
            await running.press(key)
            try:
                assert_golden(running.text(), GOLDENS / f"{view}-{size[0]}x{size[1]}.txt")
            except AssertionError as difference:
                differing.append(str(difference))

    run(scenario, *size)
    assert not differing, "\n".join(differing)


@pytest.mark.parametrize("size", [(20, 5), (39, 24), (80, 9), (3, 1)])
def test_a_terminal_that_is_too_small_says_so(size: tuple[int, int]) -> None:
    async def scenario(running: Dashboard) -> None:
        assert running.lines()[0].strip() == "terminal too small"[: size[0]]
        await running.pilot.resize_terminal(80, 24)
        await running.settle()
        assert "hit rate" in running.text()

    run(scenario, *size)


def test_every_view_gives_way_to_the_message_and_survives_the_smallest_terminals() -> None:
    async def scenario(running: Dashboard) -> None:
        for size in ((20, 5), (1, 1), (40, 10), (80, 24)):
            await running.pilot.resize_terminal(*size)
            for view, key in VIEW_KEYS.items():
                await running.press(key)
                shown = [line.strip() for line in running.lines()]
                if size == (20, 5):
                    assert shown == ["terminal too small", "20x5, needs 40x10", "q quits", "", ""], view
                elif size[0] >= 80:
                    assert view in shown[1]

    run(scenario)


@pytest.mark.parametrize("size", [(76, 10), (80, 16), (200, 12)])
def test_a_panel_of_a_low_terminal_has_room_for_figures(size: tuple[int, int]) -> None:
    async def scenario(running: Dashboard) -> None:
        assert "│ device   85.7%  82.0%  75.0%" in running.text()
        await running.press("5")
        assert "#602" in running.text() and "hits" in running.text()

    run(scenario, *size)


def test_before_the_first_record_everything_is_unknown() -> None:
    async def scenario(running: Dashboard) -> None:
        assert "◌ starting" in running.text()
        assert "device       -      -      -" in running.text()

    source = FakeSource(samples={})
    source.state = replace(source.state, state="starting")
    run(scenario, source=source)


def test_sixteen_colours_keep_the_terminals_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "")
    monkeypatch.setenv("TERM", "xterm")

    async def scenario(running: Dashboard) -> None:
        assert running.app.current_theme.ansi
        for strip in running.app.screen._compositor.render_strips():
            assert all(
                segment.style is None or segment.style.bgcolor is None or segment.style.bgcolor.is_default
                for segment in strip
            )

    run(scenario)


# ---- keys


def test_q_quits_with_success() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.pilot.press("q")
        await running.pilot.pause()
        assert running.app.return_code == 0

    run(scenario)


def test_ctrl_c_quits_as_interrupted() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.pilot.press("ctrl+c")
        await running.pilot.pause()
        assert running.app.return_code == 130

    run(scenario)


@pytest.mark.parametrize("back", ["escape", "q", "enter"])
def test_help_shows_every_key_and_closes(back: str) -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("question_mark")
        assert isinstance(running.app.screen, HelpScreen)
        assert "filter rows by a text" in running.text() and "signs and words" in running.text()
        await running.press(back)
        assert "hit rate" in running.text()

    run(scenario, 100, 60)


def test_plus_and_minus_change_the_refresh_rate() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("plus", "plus")
        assert running.poller.hz == 4.0 and "4 Hz" in running.lines()[0]
        await running.press("minus", "minus", "minus")
        assert running.poller.hz == 0.5 and "0.5 Hz" in running.lines()[0]

    run(scenario)


def test_digits_show_views_and_escape_goes_back_to_the_first() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("3")
        assert "both boundaries" in running.text() and "hit rate" not in running.text()
        await running.press("5")
        assert "requests one by one" in running.text() and "both boundaries" not in running.text()
        await running.press("escape")
        assert "hit rate" in running.text()

    run(scenario)


def test_a_click_on_a_view_shows_it() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.pilot.click("#header", offset=(12, 1))
        await running.settle()
        assert "prefix" in running.text()

    run(scenario)


def test_enter_enlarges_a_panel_and_escape_shrinks_it() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("tab", "enter")
        assert "hit rate" in running.text() and "nodes over 60 s" not in running.text()
        await running.press("escape")
        assert "nodes over 60 s" in running.text()
        await running.press("enter", "2")
        assert "prefix" in running.text()

    run(scenario)


def test_enter_on_the_branching_feed_opens_the_node_of_its_first_row() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("3", *["tab"] * 4, "enter")
        assert isinstance(running.app.screen, NodeScreen)
        assert "node #2" in running.text() and "pages from the root" in running.text()

    run(scenario, 120, 40)


# ---- the tree


def test_the_cursor_moves_by_rows_pages_and_to_the_ends() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "minus", "down", "j", "k", "down")
        assert tree_of(running)._cursor == 2
        await running.press("end")
        assert tree_of(running)._cursor == 23 and running.text().count("system prompt 3") == 1
        await running.press("pageup")
        assert tree_of(running)._cursor == 8
        await running.press("home", "pagedown")
        assert tree_of(running)._cursor == 15

    run(scenario)


def test_enter_opens_and_closes_a_node() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "a", "minus", "down", "enter")
        assert "2,151..+16" in running.text()
        await running.press("enter")
        assert "2,151..+16" not in running.text()

    run(scenario)


def test_arrows_open_step_in_close_and_go_up() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "a", "minus", "down", "right", "right")
        assert cursor_label(running).startswith("2,151..+16")
        await running.press("left")
        assert tree_of(running)._cursor == 1
        await running.press("left")
        assert "2,151..+16" not in running.text()
        await running.press("left")
        assert cursor_label(running) == "system prompt 0"

    run(scenario)


def test_enter_on_a_leaf_shows_everything_about_it_and_keeps_it_fresh() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "minus", "down", "down", "enter")
        assert isinstance(running.app.screen, NodeScreen)
        number = running.app.screen.node
        assert f"node #{number}" in running.text()
        tree = running.source.mirror
        assert tree is not None
        reuse(tree, number)
        await running.tick()
        assert "reused 1 times since you opened it" in running.text()
        tree.apply(NodeRemoved(NOW, number))
        await running.tick()
        assert "has left the tree" in running.text() and "content key" in running.text()
        await running.press("escape")
        assert "prefix" in running.text()

    run(scenario)


def test_plus_and_minus_change_the_depth_of_the_tree() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2")
        assert "depth 3" in running.text() and "24 rows" in running.text()
        await running.press("minus", "minus")
        assert "depth 1" in running.text() and "4 rows" in running.text()
        assert running.poller.hz == 1.0

    run(scenario, 120, 40)


def test_s_and_a_click_on_a_title_sort_and_capital_s_turns_the_order_round() -> None:
    async def scenario(running: Dashboard) -> None:
        assert running.source.mirror is not None
        reuse(running.source.mirror, 13)
        await running.press("2", "minus", "s")
        assert "by hits ▾" in running.text() and "hits▾" in running.text()
        assert "system prompt 2" in first_row(running)
        await running.press("S")
        assert "by hits ▴" in running.text() and "system prompt 0" in first_row(running)
        await running.pilot.click("#tree-rows", offset=(running.lines()[TOP - 1].index("age"), 1))
        await running.settle()
        assert "by age ▾" in running.text() and "system prompt 3" in first_row(running)

    run(scenario, 118, 40)


def test_b_goes_through_the_lists_and_a_click_chooses_one() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "b")
        assert "3 nodes of 28 hold 60.8% of all tokens" in running.text() and "big   by tokens ▾" in running.text()
        await running.press("enter")
        assert isinstance(running.app.screen, NodeScreen)
        await running.press("escape", "b")
        assert "nothing was reused yet" in running.text()
        await running.pilot.click("#tree-answer", offset=(22, 1))
        await running.settle()
        assert "dead   by subtree ▾" in running.text()
        await running.press("escape")
        assert "biggest: system prompt 0" in running.text()

    run(scenario, 100, 30)


def test_n_goes_to_the_next_match_and_c_drops_the_filter() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "slash", *"#1002", "enter", "n")
        assert cursor_label(running).startswith("2,151..+16") and tree_of(running)._cursor == 2
        await running.press("N")
        assert tree_of(running)._cursor == 2
        await running.press("c")
        assert "/#1002" not in running.text() and cursor_label(running).startswith("2,055..+112")

    run(scenario, 100, 30)


def test_a_wide_screen_shows_the_node_under_the_cursor_beside_the_rows() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "minus", "down")
        assert "node #1002" in running.text() and "full   FFFF" in running.text()
        await running.pilot.resize_terminal(100, 40)
        await running.settle()
        assert "node #1002" not in running.text()

    run(scenario, 120, 40)


def test_the_filter_works_while_one_types_enter_keeps_it_escape_drops_it() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("slash", *"prompt", "space", "2")
        assert "1 row " in running.text() and "system prompt 1" not in running.text()
        await running.press("enter")
        assert "/prompt 2" in running.text()
        await running.press("escape")
        assert "system prompt 1" in running.text() and "/prompt" not in running.text()
        await running.press("slash", "slash")
        assert "0 rows" in running.text() and "no node matches the filter; c drops it" in running.text()
        await running.press("escape")
        assert "system prompt 1" in running.text() and "no node matches" not in running.text()

    run(scenario, 100, 30)


def test_the_cursor_stays_on_its_node_when_rows_come_above_it() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "minus", "end")
        label, lines = cursor_label(running), running.lines()
        assert running.source.mirror is not None
        running.source.mirror.apply(node(900, 0, 0, 9_000))
        await running.tick()
        assert cursor_label(running) == label
        assert [line for line in running.lines() if label in line] == [line for line in lines if label in line]

    run(scenario)


def test_the_wheel_takes_the_cursor_along() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "minus")
        tree = tree_of(running)
        tree.scroll_to(y=4, animate=False)
        await running.settle()
        assert tree._cursor == 4
        await running.tick()
        assert tree.scroll_offset.y == 4

    run(scenario)


def test_a_click_moves_the_cursor_and_a_second_one_opens() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "a", "minus")
        await running.pilot.click("#tree-rows", offset=(6, 3))
        await running.settle()
        assert tree_of(running)._cursor == 1
        await running.pilot.click("#tree-rows", offset=(6, 3))
        await running.settle()
        assert "2,151..+16" in running.text()

    run(scenario)


def test_a_large_tree_is_never_built_beyond_its_window() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2", "minus", "end")
        tree = tree_of(running)
        assert tree._page.total == 4_000 * 4 and len(tree._page.rows) <= 3 * 40
        assert cursor_label(running)

    run(scenario, 100, 40, FakeSource(mirror=mirror(prompts=4_000, questions=3)))


def test_the_tree_is_not_cut_while_it_is_out_of_sight() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("2")
        assert running.app._scene.frame.answer(TreePage) is not None
        await running.press("1")
        await running.tick()
        assert running.app._scene.frame.answer(TreePage) is None

    run(scenario)


# ---- trouble


def test_a_dead_engine_is_named_and_its_figures_are_kept() -> None:
    async def scenario(running: Dashboard) -> None:
        running.source.die("lost", "engine was killed (signal 9)")
        await running.tick()
        assert "✕ lost: engine was killed (signal 9)  last sign of life 3.2s ago" in running.text()
        assert "85.7%" in running.text()
        await running.press("2")
        assert "system prompt 0" in running.text()
        await running.pilot.press("q")
        await running.pilot.pause()
        assert running.app.return_code == 0

    run(scenario)


def test_a_stale_source_is_shown_as_stale_until_it_lives_again() -> None:
    async def scenario(running: Dashboard) -> None:
        running.source.die("stale", "no heartbeat for 3 s")
        await running.tick()
        assert "▲ stale: no heartbeat for 3 s" in running.text() and "▲ stale" in running.lines()[0]
        running.source.die("live", "")
        await running.tick()
        assert "stale" not in running.text()

    run(scenario)


def test_dropped_records_are_shown_as_dropped() -> None:
    async def scenario(running: Dashboard) -> None:
        running.source.state = replace(running.source.state, dropped_records=1_234)
        await running.tick()
        assert "1,234 records dropped" in running.lines()[0]

    run(scenario)


def test_a_source_that_raises_ends_the_polling_and_not_the_screen() -> None:
    async def scenario(running: Dashboard) -> None:
        running.source.error = OSError("ring is gone")
        await running.tick()
        assert "✕ lost: OSError: ring is gone" in running.text() and "85.7%" in running.text()

    run(scenario)


def test_frames_that_wait_are_replaced_by_newer_ones() -> None:
    from radixtop.messages import FrameReady

    older, newer = FrameReady(Frame()), FrameReady(Frame(failure="x"))
    assert older.can_replace(newer)


def test_the_real_thread_feeds_the_screen() -> None:
    async def main() -> None:
        app = RadixtopApp(FakeSource(), title="threaded", settings=Settings(interval=0.02))
        async with app.run_test(size=(80, 24)) as pilot:
            while app._scene.frame.snapshot is None:
                await pilot.pause()
            await pilot.pause()
            assert "85.7%" in "\n".join(strip.text for strip in app.screen._compositor.render_strips())

    asyncio.run(main())
