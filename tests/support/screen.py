"""Runs the dashboard on a terminal that is not there, and reads its screen."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from rich.segment import Segment
from textual import events
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot

from radixtop.app import RadixtopApp
from radixtop.settings.setting import DEFAULTS, Settings
from radixtop.source import Source
from tests.support.watched import FakeSource, SteppedPoller

ROUNDS = 4


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
        """Press keys, each when nothing more changes for the one before."""
        for key in keys:
            self.app.post_message(_key_event(key))
            await self.settle()

    async def tick(self) -> None:
        """Let the poller tick once and the screen catch up."""
        self.poller.tick()
        await self.settle()

    async def settle(self) -> None:
        """Wait until all messages are handled; a request and its answer take a few rounds."""
        for _ in range(ROUNDS):
            await self.pilot.pause(0)  # nothing but this loop works, so that messages need no time
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


def _key_event(key: str) -> events.Key:
    """Return what a terminal sends for a key, or for a character."""
    name = _character_to_key(key) if len(key) == 1 else key
    try:
        typed = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
    except KeyError:
        typed = key if len(key) == 1 else None
    return events.Key(name, typed)


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
    app.animation_level = "none"
    async with app.run_test(size=(width, height), notifications=True) as pilot:
        running = Dashboard(app, pilot, source)
        await running.settle()
        yield running
