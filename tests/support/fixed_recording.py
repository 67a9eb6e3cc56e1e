"""The recording that screens are shown from, and the dashboard as it stands at one moment of it."""

from __future__ import annotations

import lzma
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from radixtop.saved_run import SavedRun
from radixtop.view import VIEWS
from tests.support.screen import Dashboard, dashboard

PACKED = Path(__file__).parents[1] / "data" / "recordings" / "mixed.rtrec.xz"

SECOND = 1_000_000_000
MOMENT_NS = 66 * SECOND
"""The moment that is shown: the hit rate is falling, requests wait, some run."""


def unpacked(folder: Path) -> Path:
    """Unpack the recording into a folder and return the file."""
    path = folder / "mixed.rtrec"
    path.write_bytes(lzma.decompress(PACKED.read_bytes()))
    return path


def held_at(path: Path, moment_ns: int = MOMENT_NS) -> SavedRun:
    """Return a recording as a source that stands still at a moment, its timeline read to the end."""
    run = SavedRun(path, clock=lambda: 0)
    run.begin(moment_ns, 1.0, is_paused=True)
    for _ in range(2):  # the timeline is read from the second tick on
        run.tick(0)
    while run.is_busy:
        run.tick(0)
    return run


@asynccontextmanager
async def fixed_dashboard(path: Path, width: int, height: int) -> AsyncIterator[Dashboard]:
    """Run the dashboard at the moment; nothing on it depends on when and where that is done."""
    run = held_at(path)
    try:
        async with dashboard(width, height, run, title=path.name) as running:
            yield running
    finally:
        run.close()


async def look_at(running: Dashboard, view: str) -> None:
    """Press the key of a view."""
    await running.press(str(list(VIEWS).index(view) + 1))
