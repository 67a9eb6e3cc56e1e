"""Every view in colour, as SVG, at one moment of the fixed recording (`tests/data/recordings`)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from radixtop.view import VIEWS
from tests.support.fixed_recording import fixed_dashboard, look_at, unpacked
from tests.support.golden import assert_golden
from tests.support.svg_screen import svg_of

GOLDENS = Path(__file__).parent / "goldens" / "svg"


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_view_looks_as_accepted(size: tuple[int, int], tmp_path: Path) -> None:
    """One run of the app for all of them; what differs is told of all."""
    differing: list[str] = []

    async def main() -> None:
        async with fixed_dashboard(unpacked(tmp_path), *size) as running:
            for view in VIEWS:
                await look_at(running, view)
                try:
                    assert_golden(svg_of(running.app), GOLDENS / f"{view}-{size[0]}x{size[1]}.svg")
                except AssertionError as difference:
                    differing.append(str(difference).partition("\n")[0])

    asyncio.run(main())
    assert not differing


def test_every_view_has_its_goldens_and_no_golden_lacks_its_view() -> None:
    assert {path.name.partition("-")[0] for path in GOLDENS.glob("*.svg")} == set(VIEWS)
