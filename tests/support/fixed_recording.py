"""The recording that screens are shown from, and the dashboard as it stands at one moment of it."""

from __future__ import annotations

import lzma
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from radixtop.playing.saved_run import SavedRun
from radixtop.view import VIEW_KEYS
from tests.support.screen import Dashboard, dashboard

PACKED = Path(__file__).parents[1] / "data" / "recordings" / "mixed.rtrec.xz"

SECOND = 1_000_000_000
MOMENT_NS = 66 * SECOND
"""The moment that is shown: the hit rate is falling, requests wait, some run."""

SEEN_NS, MARK_NS = 30 * SECOND, 50 * SECOND
"""What was looked at before, and the moment that is marked to compare with: all is well."""


def unpacked(folder: Path) -> Path:
    """Unpack the recording into a folder and return the file."""
    path = folder / "mixed.rtrec"
    path.write_bytes(lzma.decompress(PACKED.read_bytes()))
    return path


@asynccontextmanager
async def fixed_dashboard(path: Path, width: int, height: int) -> AsyncIterator[Dashboard]:
    """Run the dashboard at the moment; nothing on it depends on when and where that is done."""
    run = SavedRun(path, clock=lambda: 0)
    run.begin(SEEN_NS, 1.0, is_paused=True)
    _arrive(run)
    try:
        async with dashboard(width, height, run, title=path.name) as running:
            await _go(running, run, MARK_NS)
            await running.press("m")
            running.app.clear_notifications()
            await _go(running, run, MOMENT_NS)
            yield running
    finally:
        run.close()


async def _go(running: Dashboard, run: SavedRun, after_ns: int) -> None:
    assert run.moment is not None
    run.seek(run.moment.start + after_ns)
    _arrive(run)
    await running.tick()


def _arrive(run: SavedRun) -> None:
    """Let the run get to the moment that it heads for, and read its timeline to the end."""
    for _ in range(2):  # the timeline is read from the second tick on
        run.tick(0)
    while run.is_busy:
        run.tick(0)


async def look_at(running: Dashboard, view: str) -> None:
    """Press the key of a view, and wait until its answer is whole."""
    await running.press(VIEW_KEYS[view])
    while running.poller._desk.is_busy:
        await running.tick()
