"""A picture of a screen that shows text of prompts holds none of it, whatever is in sight."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from textual.app import App

from probes.mirror import Mirror
from probes.node_texts.hushed import HushedTexts
from probes.node_texts.node_texts import NodeTexts
from radixtop.messages import NodeChosen
from radixtop.tree.index import TreeIndex
from radixtop.tree.request import TreeRequest
from radixtop.view import VIEWS
from tests.support.screen import Dashboard, dashboard
from tests.support.watched import FakeSource, mirror

SECRET = "SECRET"


class Spoken(NodeTexts):
    """Every node says the same."""

    is_on = True
    version = 1

    def beginning(self, node: int, start: int) -> str:
        return f"{SECRET} {node}"

    def whole(self, node: int, start: int) -> str:
        return f"{SECRET} {node}"

    def matching(self, text: str) -> dict[int, int]:
        return dict.fromkeys(range(1, 9), 0)

    def search(self, nodes: Iterable[tuple[int, int]]) -> None:
        """All is known."""


def spoken() -> FakeSource:
    tree: Mirror = mirror()
    tree.texts = Spoken()
    return FakeSource(mirror=tree)


async def pictured(running: Dashboard, folder: Path) -> str:
    """Take a picture, and return it; the screen is as it was."""
    before = set(folder.iterdir())
    shown = SECRET in running.text()
    await running.press("ctrl+s")
    (file,) = set(folder.iterdir()) - before
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert (SECRET in running.text()) is shown
    return file.read_text()


def test_no_view_and_nothing_that_lies_over_it_puts_text_into_a_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = []

    async def main() -> None:
        async with dashboard(120, 30, spoken()) as running:
            for name in VIEWS:
                await running.app.show_view(name)
                await running.settle()
                shown.append(SECRET in running.text())
                assert SECRET not in await pictured(running, tmp_path), name
            await running.app.show_view("tree")
            await running.settle()
            running.app.post_message(NodeChosen(1))
            await running.settle()
            assert SECRET in running.text()
            assert SECRET not in await pictured(running, tmp_path)
            await running.press("question_mark")
            assert SECRET not in await pictured(running, tmp_path)
            await running.press("ctrl+p")
            assert SECRET not in await pictured(running, tmp_path)

    asyncio.run(main())
    assert sum(shown) >= 3  # overview, tree, flame


def test_of_a_node_that_left_no_text_is_kept_for_the_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    async def main() -> None:
        source = spoken()
        async with dashboard(140, 44, source) as running:
            running.app.post_message(NodeChosen(1))
            await running.settle()
            source.mirror = Mirror()
            source.mirror.texts = Spoken()
            await running.tick()
            assert "has left the tree" in running.text() and SECRET in running.text()
            assert SECRET not in await pictured_once(running, tmp_path)

    asyncio.run(main())


async def pictured_once(running: Dashboard, folder: Path) -> str:
    await running.press("ctrl+s")
    (file,) = folder.iterdir()
    return file.read_text()


def test_a_browser_gets_no_text_either(monkeypatch: pytest.MonkeyPatch) -> None:
    delivered: list[str] = []

    def deliver(self: App[Any], *_: object) -> None:
        delivered.append(self.export_screenshot())

    monkeypatch.setattr(App, "is_web", True)
    monkeypatch.setattr(App, "action_screenshot", deliver)

    async def main() -> None:
        async with dashboard(100, 40, spoken()) as running:
            await running.press("2", "ctrl+s")
            assert SECRET in running.text()

    asyncio.run(main())
    assert len(delivered) == 1 and SECRET not in delivered[0]


def test_rows_that_rest_and_what_they_amount_to_are_named_anew() -> None:
    tree = spoken().mirror
    assert tree is not None
    index, request = TreeIndex(clock=count(0, 10_000_000).__next__), TreeRequest(count=5)
    assert SECRET in str(index.page(tree, request))
    tree.texts = HushedTexts(tree.texts)
    assert SECRET not in str(index.page(tree, request))


@pytest.mark.parametrize("view", VIEWS)
def test_a_picture_of_a_view_that_is_only_just_there_has_no_text_either(
    view: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    async def main() -> None:
        async with dashboard(100, 40, spoken()) as running:
            await running.app.show_view(view)
            running.app.action_screenshot()
            for _ in range(3):
                await running.settle()
            assert [SECRET in file.read_text() for file in tmp_path.iterdir()] == [False]

    asyncio.run(main())


def test_when_the_screen_changes_meanwhile_the_picture_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    async def main() -> None:
        async with dashboard(140, 44, spoken()) as running:
            await running.press("7", "2")
            running.app.action_screenshot()
            running.app.call_later(running.app.show_view, "flame")
            await running.settle()
            await running.settle()
            (file,) = tmp_path.iterdir()
            assert "-flame-" in file.name and SECRET not in file.read_text()
            assert SECRET in running.text()

    asyncio.run(main())


def test_where_an_answer_is_missing_no_picture_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    async def main() -> None:
        async with dashboard(100, 30, spoken()) as running:
            await running.press("2")
            poller = running.poller
            answers = type(poller)._hushed
            monkeypatch.setattr(poller, "_hushed", lambda asked: replace(answers(poller, asked), answers=()))
            await running.press("ctrl+s", "ctrl+s")
            for _ in range(10):
                await running.settle()
            assert [*tmp_path.iterdir()] == []
            assert "not everything in sight" in running.text() and SECRET in running.text()
            monkeypatch.setattr(poller, "_hushed", lambda asked: answers(poller, asked))
            await running.press("ctrl+s")
            assert SECRET not in "".join(file.read_text() for file in tmp_path.iterdir())
            assert [*tmp_path.iterdir()] != []

    asyncio.run(main())


def test_a_message_that_was_up_is_not_in_the_picture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)

    async def main() -> None:
        for source in (FakeSource(), spoken()):
            async with dashboard(100, 40, source) as running:
                running.app.notify("in the way")
                await running.settle()
                assert "in the way" in running.text()
                before = set(tmp_path.iterdir())
                await running.press("ctrl+s")
                (file,) = set(tmp_path.iterdir()) - before
                assert "in the way" not in file.read_text().replace("&#160;", " ")
                assert f"wrote {file.name}" in running.text()

    asyncio.run(main())
