"""The icicle on screen: selecting, zooming, clicking, and what stays when the tree changes."""

from __future__ import annotations

from cache_core.events import NodeRemoved
from radixtop.flame.answerer import CALM_NS
from radixtop.screens.node import NodeScreen
from radixtop.view import VIEW_KEYS
from radixtop.views.flame import Flame
from radixtop.widgets.flame_view import FlameView
from tests.radixtop.test_dashboard import run
from tests.support.screen import Dashboard
from tests.support.watched import FakeSource, mirror, node

KEY = VIEW_KEYS["flame"]


def frames(running: Dashboard) -> FlameView:
    view = running.app._main.view
    assert isinstance(view, Flame)
    return view.frames


def selected(running: Dashboard) -> int:
    box = frames(running)._selected
    assert box is not None
    return box.node


def test_keys_walk_the_frames_and_zoom() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY)
        assert selected(running) == 1 and "4 prefixes hold 100%" in running.text()
        await running.press("right", "right", "left")
        assert selected(running) == 7
        await running.press("up", "up")
        assert selected(running) == 0
        await running.press("down", "enter")
        assert "all › system prompt 0" in running.text() and selected(running) == 1
        await running.press("down", "enter", "i")
        assert isinstance(running.app.screen, NodeScreen) and running.app.screen.node == 2
        await running.press("escape", "escape")
        assert "all › system prompt 0 ─" in running.text()
        await running.press("down", "enter", "0")
        assert "all ─" in running.text()
        await running.press("escape")
        assert "hit rate" in running.text()

    run(scenario)


def test_the_weight_goes_through_those_that_are_known() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY, "w")
        assert "by reused tokens" in running.text() and "no reused tokens here" in running.text()
        await running.press("w", "w")
        assert "by nodes" in running.text() and "system prompt 0" in running.text()
        await running.press("w")
        assert "by idle token seconds" in running.text() and "system prompt 0" in running.text()
        await running.press("w")
        assert "by tokens" in running.text()

    run(scenario)


def test_a_fold_zooms_into_what_it_is_part_of() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY, "down")
        assert "+5 prefixes, each narrower than a cell" in running.text()
        await running.press("enter")
        assert "all › system prompt 0" in running.text()

    run(scenario)


def test_a_click_selects_and_a_second_one_zooms() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY)
        y = next(i for i, line in enumerate(running.lines()) if "▏system prompt 1" in line)
        x = running.lines()[y].index("system prompt 1")
        await running.pilot.click(offset=(x, y))
        await running.settle()
        assert selected(running) == 7
        await running.pilot.click(offset=(x, y), times=2)
        await running.settle()
        assert "all › system prompt 1" in running.text()

    run(scenario)


def test_the_selection_stays_on_its_node_when_the_tree_changes() -> None:
    tree = mirror()

    async def scenario(running: Dashboard) -> None:
        await running.press(KEY, "right")
        assert selected(running) == 7
        tree.apply(node(900, 0, 0, 9_000))
        running.source.now += CALM_NS  # type: ignore[attr-defined]
        await running.tick()
        assert selected(running) == 7 and "heaviest: 0..+9,000" in running.text()
        for number in (1_008, *range(8, 13), 7):
            tree.apply(NodeRemoved(0, number))
        running.source.now += CALM_NS  # type: ignore[attr-defined]
        await running.tick()
        assert selected(running) in (1, 13, 900)

    run(scenario, source=FakeSource(tree))


def test_without_a_tree_it_says_so() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY, "down", "right", "up", "enter", "w", "i", "0")
        assert "- the tree is not known" in running.text()

    run(scenario, source=FakeSource(mirror=None))


def test_levels_that_have_no_row_are_told_in_the_frame() -> None:
    tree = mirror(prompts=1, questions=0)
    for number in range(50, 80):
        tree.apply(node(number, number - 1 if number > 50 else 1, number * 100, 100))

    async def scenario(running: Dashboard) -> None:
        await running.press(KEY)
        assert "16 levels more below" in running.text()

    run(scenario, source=FakeSource(tree))
