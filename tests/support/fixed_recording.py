"""The recording that screens are shown from, and the dashboard as it stands at one moment of it."""

from __future__ import annotations

import lzma
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from probes.adapters.recording import RecordingAdapter
from radixtop.session import Session
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


def held_at(path: Path, moment_ns: int = MOMENT_NS) -> Session:
    """Return a recording as a source that stands still at a moment, seen second by second until then."""
    recording = RecordingAdapter(path, clock=lambda: 0)
    recording.pause()
    session = Session(recording)
    for at in range(0, moment_ns, SECOND):
        recording.seek(at)
        session.tick(0)
    recording.seek(moment_ns)
    return session


@asynccontextmanager
async def fixed_dashboard(path: Path, width: int, height: int) -> AsyncIterator[Dashboard]:
    """Run the dashboard at the moment; nothing on it depends on when and where that is done."""
    session = held_at(path)
    try:
        async with dashboard(width, height, session, title=path.name) as running:
            yield running
    finally:
        session.close()


async def look_at(running: Dashboard, view: str) -> None:
    """Press the key of a view."""
    await running.press(str(list(VIEWS).index(view) + 1))
