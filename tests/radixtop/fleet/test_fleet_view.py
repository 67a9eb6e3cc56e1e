"""The view of the fleet on a screen: its pages, its keys, and the rank that is followed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from radixtop.view import VIEW_KEYS
from tests.support.fleets import FleetSource, fleet, fleet_source
from tests.support.golden import assert_golden
from tests.support.screen import Dashboard, dashboard

GOLDENS = Path(__file__).parent.parent / "goldens" / "fleet"
KEY = VIEW_KEYS["fleet"]
Scenario = Callable[[Dashboard], Awaitable[None]]


def run(scenario: Scenario, source: FleetSource, size: tuple[int, int] = (80, 24)) -> None:
    async def main() -> None:
        async with dashboard(*size, source, title="4 servers") as running:
            await running.press(KEY)
            await scenario(running)

    asyncio.run(main())


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_page_looks_as_accepted(size: tuple[int, int]) -> None:
    async def scenario(running: Dashboard) -> None:
        for page in ("ranks", "overlap", "prefixes"):
            assert_golden(running.text(), GOLDENS / f"{page}-{size[0]}x{size[1]}.txt")
            await running.press("o")

    run(scenario, fleet_source(is_one_away=True, unlike=3), size)


def test_64_ranks_scroll_and_the_cursor_stays_in_sight() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("G")
        assert "gpu8/7" in running.text() and "gpu1/0 " not in running.text()
        await running.press("o")
        assert "gpu8/7" in running.text()
        assert_golden(running.text(), GOLDENS / "overlap-64-80x24.txt")

    run(scenario, fleet_source(64, 8))


def test_enter_follows_the_rank_under_the_cursor_and_says_so() -> None:
    source = fleet_source()

    async def scenario(running: Dashboard) -> None:
        await running.press("down", "down", "enter")
        assert source.followed == ("sglang://gpu2.prod.example:30000", 0)
        assert "following rank 0 of sglang://gpu2" in running.text()

    run(scenario, source)


def test_the_cursor_stays_on_its_rank_when_the_order_changes() -> None:
    source = fleet_source(unlike=5)

    async def scenario(running: Dashboard) -> None:
        await running.press(*["down"] * 5, "s", "enter")
        assert source.followed == ("sglang://gpu3.prod.example:30000", 1)
        await running.press("S", "g", "enter")  # the least hit rate first
        assert source.followed == ("sglang://gpu3.prod.example:30000", 1)

    run(scenario, source)


def test_escape_leads_back_to_the_ranks_and_then_to_the_overview() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("o", "o", "escape")
        assert "[ranks]" in running.text()
        await running.press("escape")
        assert running.app.view_name == "overview"

    run(scenario, fleet_source())


def test_a_rank_that_goes_leaves_the_cursor_on_one_that_is_there() -> None:
    source = fleet_source()

    async def scenario(running: Dashboard) -> None:
        await running.press("G")
        source.samples = {**source.samples, "fleet": fleet(2)}
        await running.tick()
        await running.press("enter")
        assert source.followed == ("sglang://gpu1.prod.example:30000", 0)

    run(scenario, source)


def test_what_is_in_common_of_one_rank_is_not_asked_for() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("o")
        assert "one rank is watched" in running.text()

    run(scenario, fleet_source(1, 1))


def test_ranks_whose_overlap_is_not_known_yet_say_so() -> None:
    source = fleet_source()
    source.samples = {**source.samples, "fleet": replace(fleet(), overlap=None)}

    async def scenario(running: Dashboard) -> None:
        await running.press("o", "o", "down", "enter")
        assert "is not known yet" in running.text()

    run(scenario, source)


def test_its_key_leads_there_from_the_flame_graph_too_as_does_a_click_on_its_name() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press(VIEW_KEYS["flame"], KEY)
        assert running.app.view_name == "fleet"
        await running.press("1")
        await running.pilot.click("#header", offset=(running.lines()[1].index("0"), 1))
        await running.settle()
        assert running.app.view_name == "fleet"

    run(scenario, fleet_source())


def test_a_cache_of_this_machine_imports_nothing_of_servers() -> None:
    code = """
import asyncio, sys
from radixtop.view import VIEW_KEYS
from tests.support.screen import dashboard

async def main():
    async with dashboard(120, 40) as running:
        for key in (*VIEW_KEYS.values(), VIEW_KEYS["fleet"]):
            await running.press(key)
        await running.press(VIEW_KEYS["fleet"])
        assert "one cache is watched" in running.text()

asyncio.run(main())
parts = ("radixtop.fleet.", "radixtop.widgets.fleet", "radixtop.render.rank_lines", "probes.fleet.imbalance")
print([name for name in sys.modules if name.startswith(parts)])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", done.stdout
