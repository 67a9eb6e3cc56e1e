"""Keys that act whatever lies over the view: a file of the screen, the palette of actions."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from textual.command import CommandList

from radixtop.screens.help import HelpScreen
from radixtop.screenshot import saved
from tests.support.screen import Dashboard, dashboard

WHEN = datetime(2026, 11, 30, 15, 30, 1)


def run(scenario: Callable[[Dashboard], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        async with dashboard(100, 40) as running:
            await scenario(running)

    asyncio.run(main())


async def choose(running: Dashboard, words: str, wanted: str) -> None:
    """Type words into the palette and take what they find, once the wanted line is the first."""
    await running.press(*words)
    options = running.app.screen.query_one(CommandList)
    for _ in range(500):
        await running.pilot.pause(0.01)
        if options.option_count and wanted in str(options.get_option_at_index(0).prompt):
            break
    await running.press("enter")


def test_a_screenshot_is_a_new_file_that_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    async def scenario(running: Dashboard) -> None:
        await running.press("2", "ctrl+s")
        (file,) = tmp_path.iterdir()
        assert re.fullmatch(r"radixtop-tree-\d{8}-\d{6}\.svg", file.name)
        assert f"wrote {file.name}" in running.text()
        drawn = ElementTree.fromstring(file.read_bytes())
        assert drawn.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve"
        text = "".join(drawn.itertext()).replace("\xa0", " ")
        assert "system prompt 0" in text
        assert "@font-face" not in file.read_text() and "url(http" not in file.read_text()
        await running.press("question_mark", "ctrl+s")
        assert len([*tmp_path.iterdir()]) == 2

    run(scenario)


def test_no_file_is_overwritten_and_a_fault_is_said(tmp_path: Path) -> None:
    names = [saved("<svg/>", "tree", tmp_path, WHEN).name for _ in range(3)]
    assert names == [f"radixtop-tree-20261130-153001{end}.svg" for end in ("", "-2", "-3")]
    assert "No such file" in saved("<svg/>", "tree", tmp_path / "missing", WHEN).fault


def test_the_palette_finds_actions_views_and_themes() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("ctrl+p")
        assert "view overview" in running.text()
        await choose(running, "cached", "view tree")
        assert running.app._main.current == "tree"
        await running.press("ctrl+p")
        await choose(running, "light:", "theme light")
        assert running.app._looks.name == "light"
        await running.press("ctrl+p")
        await choose(running, "next column", "sort by the next column")
        assert "by hits" in running.text()

    run(scenario)


def test_the_palette_opens_over_an_overlay_once() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("question_mark", "ctrl+p", "ctrl+p")
        assert len(running.app.screen_stack) == 3
        await running.press("escape")
        assert isinstance(running.app.screen, HelpScreen)

    run(scenario)
