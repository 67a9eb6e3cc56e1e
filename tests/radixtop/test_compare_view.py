"""Marking from anywhere, and looking at what changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from radixtop.view import VIEW_KEYS
from tests.radixtop.test_dashboard import run
from tests.support.screen import Dashboard
from tests.support.watched import SECOND, samples

KEY = VIEW_KEYS["compare"]


def test_a_moment_that_is_marked_in_one_view_is_compared_in_another() -> None:
    async def scenario(running: Dashboard) -> None:
        source: Any = running.source
        known: Any = samples()
        for second in range(1, 31):
            source.now += SECOND
            total = replace(known["hit_rate"].total, queried_tokens=2_654_334 + second * 100)
            hit = total.hit_tokens + (second * 80 if second <= 20 else 1_600)
            totals = replace(total, hit_tokens=hit)
            source.samples = known | {"hit_rate": replace(known["hit_rate"], total=totals)}
            running.poller.tick()
            if second == 20:
                await running.press("m")
                assert "marked" in running.text()
        await running.settle()
        await running.press(KEY)
        assert "since the mark 10s ago: hit rate 80.0% → 0.0% (-80 points)" in running.text()
        await running.press("end")
        assert "prefixes that grew or shrank most" in running.text() and "none did" in running.text()
        await running.press("escape")
        assert "hit rate" in running.text()

    run(scenario)
