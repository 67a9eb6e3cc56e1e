"""The events on screen: following, stopping, filtering, and opening what an event is about."""

from __future__ import annotations

from probes.builtin.event_log import EventLogSample, Gone
from radixtop.screens.node import NodeScreen
from radixtop.view import VIEW_KEYS
from radixtop.views.events import Events
from tests.radixtop.test_dashboard import run
from tests.support.screen import Dashboard
from tests.support.watched import NOW

KEY = VIEW_KEYS["events"]


def rows(running: Dashboard) -> list[int]:
    view = running.app._main.view
    assert isinstance(view, Events) and view.rows._page is not None
    return [row.number for row in view.rows._page.rows]


async def more(running: Dashboard, count: int) -> None:
    """Let more events happen, and a tick."""
    sample = running.source.samples["event_log"]
    assert isinstance(sample, EventLogSample)
    sample.log.extend([Gone(NOW, 7_000 + i, 0, 1, 0, ()) for i in range(count)])
    await running.tick()


def test_events_are_followed_until_the_cursor_leaves_and_again_on_demand() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY)
        newest = rows(running)[-1]
        await more(running, 5)
        assert rows(running)[-1] == newest + 5 and "follows" in running.text()
        top = rows(running)[0]
        await running.press(*["up"] * len(rows(running)))
        assert rows(running)[0] == top - 1 and "held" in running.text()
        await more(running, 5)
        assert rows(running)[0] == top - 1
        await running.press("pagedown")
        assert rows(running)[0] > top
        await running.press("g")
        assert rows(running)[0] == 212 and "… 212 events not kept" in running.text()
        await running.press("pageup", "G")
        assert rows(running)[-1] == newest + 10
        await running.press("F")
        await more(running, 1)
        assert rows(running)[-1] == newest + 10 and "held" in running.text()
        await running.press("escape")
        assert rows(running)[-1] == newest + 11

    run(scenario)


def test_a_kind_and_a_text_narrow_the_stream_and_escape_widens_it() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY, "f", "f")
        assert "insert" in running.text() and "finished" not in running.text()
        await running.press("slash", *"#3", "enter")
        assert "/#3" in running.text() and "#3 2,055" in running.text() and "#1 " not in running.text()
        await running.press("enter")
        assert isinstance(running.app.screen, NodeScreen) and running.app.screen.node == 3
        await running.press("escape", "escape", "escape")
        assert "finished" in running.text()
        await running.press("t")
        assert "0.5s ▸ finished" in running.text()

    run(scenario)


def test_a_click_chooses_a_kind_and_a_row() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(KEY)
        y = next(i for i, line in enumerate(running.lines()) if " evictions " in line and "engine" in line)
        await running.pilot.click(offset=(running.lines()[y].index("evictions"), y))
        await running.settle()
        assert "finished" not in running.text() and "evict " in running.text()
        y = next(i for i, line in enumerate(running.lines()) if "#1098" in line)
        await running.pilot.click(offset=(30, y))
        await running.settle()
        assert "removed #1098" in running.lines()[-3] and "held" in running.text()

    run(scenario)
