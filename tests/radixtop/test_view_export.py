"""One key writes what is on screen: the tree as a flame graph, other views as their samples."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from probes.builtin.evictions import EvictionSample
from radixtop.view_export import View, document, export_view
from tests.support.full_disk import full_disk
from tests.support.screen import Dashboard, dashboard
from tests.support.watched import FakeSource

WHEN = datetime(2026, 1, 2, 3, 4, 5)


def run(scenario: Callable[[Dashboard], Coroutine[Any, Any, None]]) -> None:
    """Run a scenario in a dashboard."""

    async def main() -> None:
        async with dashboard() as running:
            await scenario(running)

    asyncio.run(main())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tree_becomes_a_flame_graph(here: Path) -> None:
    async def scenario(screen: Dashboard) -> None:
        await screen.press("2", "x")
        await screen.tick()
        (made,) = here.iterdir()
        assert made.name.startswith("radixtop-tree-2")
        assert "system prompt" in made.read_text("utf-8")
        assert "wrote" in screen.text()

    run(scenario)


def test_a_narrow_screen_names_the_key_and_the_file_in_one_piece_and_once(here: Path) -> None:
    async def main() -> None:
        async with dashboard(80, 24) as screen:
            assert "x save" in screen.text()
            for view in "34":
                await screen.press(view, "x")
                await screen.tick()
            made = sorted(path.name for path in here.iterdir())
            text = screen.text()
            assert [f"wrote {name}" in text for name in made] == [True, False]  # evictions came last

    asyncio.run(main())


def test_another_view_becomes_the_samples_of_its_panels(here: Path) -> None:
    async def scenario(screen: Dashboard) -> None:
        await screen.press("4", "x")
        await screen.tick()
        (made,) = here.iterdir()
        found = json.loads(made.read_text("utf-8"))
        assert found["view"] == "evictions"
        sample = found["samples"]["EvictionSample"]
        assert sample["calls"] == 812
        assert sample["freed_tokens"] == {"full": 91_200, "swa": 14_400}
        assert len(sample["recent"]) == 40

    run(scenario)


def test_a_folder_that_cannot_be_written_is_said(here: Path) -> None:
    async def scenario(screen: Dashboard) -> None:
        await screen.press("4")
        here.rmdir()
        await screen.press("x")
        await screen.tick()
        assert "not exported" in screen.text()

    run(scenario)


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    snapshot = FakeSource().tick(0)
    view = View("evictions", (EvictionSample,), snapshot)
    made = export_view(view, None, tmp_path, WHEN)
    assert made.name == "radixtop-evictions-20260102-030405.json"
    with pytest.raises(FileExistsError):
        export_view(view, None, tmp_path, WHEN)


def test_on_a_full_disk_no_part_of_a_file_is_left(tmp_path: Path) -> None:
    view = View("evictions", (EvictionSample,), FakeSource().tick(0))
    with full_disk(1_000), pytest.raises(OSError, match="File too large"):
        export_view(view, None, tmp_path, WHEN)
    assert list(tmp_path.iterdir()) == []


def test_a_sample_that_is_not_known_is_null() -> None:
    snapshot = FakeSource().tick(0)
    assert document(View("x", (str,), snapshot))["samples"] == {"str": None}
