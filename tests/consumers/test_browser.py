"""The SVG in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from profiles.icicle import layout
from profiles.profile import RecordedProfile
from tests.support.chromium import Chromium
from tests.support.exporting import Exported

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.timeout(300)]


@pytest.mark.parametrize("weight", ["tokens", "evicted"])
def test_every_bar_is_drawn_where_it_belongs(
    weight: str, recording: Path, exported: Exported, tmp_path: Path
) -> None:
    with RecordedProfile(recording) as profile:
        bars = layout(profile.forest, weight).bars
    path = exported("svg", weight=weight)
    with Chromium() as chromium:
        tab = chromium.open(path.as_uri(), 1_280, 900)
        assert tab.complaints == []
        assert tab.requested == [path.as_uri()]
        boxes = tab.evaluate(
            "[...document.querySelectorAll('.bar > rect:first-of-type')].map((r) => r.getBBox().width)"
        )
        assert len(boxes) == len(bars)
        assert sum(width for width, bar in zip(boxes, bars, strict=True) if bar.depth == 0) <= 1_152
        too_wide = """[...document.querySelectorAll('.bar')].filter((bar) => [...bar.querySelectorAll('text')].some(
            (text) => text.getBBox().width > bar.querySelector('rect').getBBox().width)).length"""
        assert tab.evaluate(too_wide) == 0
        tab.screenshot(tmp_path / "shot.png")
        assert (tmp_path / "shot.png").stat().st_size > 10_000
