"""Runs the dashboard on a terminal that is not there, and reads its screen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from rich.segment import Segment
from textual.pilot import Pilot

from radixtop.app import RadixtopApp
from radixtop.settings.setting import DEFAULTS, Settings
from radixtop.source import Source
from tests.support.watched import FakeSource, SteppedPoller


class Dashboard:
    """A running dashboard."""

    def __init__(self, app: RadixtopApp, pilot: Pilot[None], source: Any) -> None:
        self.app = app
        self.pilot = pilot
        self.source = source

    @property
    def poller(self) -> SteppedPoller:
        """The poller that ticks when told."""
        poller = self.app._poller
        assert isinstance(poller, SteppedPoller)
        return poller

    async def press(self, *keys: str) -> None:
        """Press keys and wait until nothing more changes."""
        await self.pilot.press(*keys)
        await self.settle()

    async def tick(self) -> None:
        """Let the poller tick once and the screen catch up."""
        self.poller.tick()
        await self.settle()

    async def settle(self) -> None:
        """Wait until all messages are handled; a request and its answer take a few rounds."""
        for _ in range(4):
            await self.pilot.pause()

    def lines(self) -> list[str]:
        """Return the text of the screen."""
        return [strip.text.rstrip() for strip in self.app.screen._compositor.render_strips()]

    def styled(self) -> list[list[Segment]]:
        """Return the screen as rows of text with styles, as they go to the terminal."""
        return [list(strip) for strip in self.app.screen._compositor.render_strips()]

    def text(self) -> str:
        """Return the text of the screen as one string."""
        return "\n".join(self.lines())


@asynccontextmanager
async def dashboard(
    width: int = 80,
    height: int = 24,
    source: Source | None = None,
    settings: Settings = DEFAULTS,
    title: str = "live shared_prompt",
) -> AsyncIterator[Dashboard]:
    """Run the dashboard in `width` x `height` cells; the first tick is shown."""
    source = source or FakeSource()
    app = RadixtopApp(source, title=title, settings=settings, poller=SteppedPoller)
    async with app.run_test(size=(width, height), notifications=True) as pilot:
        running = Dashboard(app, pilot, source)
        await running.settle()
        yield running
