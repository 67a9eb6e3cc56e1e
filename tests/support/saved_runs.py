"""A recording on screen, taken to a moment."""

from __future__ import annotations

from radixtop.playing.saved_run import SavedRun


def go(run: SavedRun, at: int) -> None:
    """Go to a moment and wait until it is shown."""
    run.seek(at)
    for _ in range(50):
        run.tick(0)
        if run.moment is not None and run.moment.heading_for is None:
            break


def go_to_end(run: SavedRun) -> None:
    """Go to the last moment."""
    go(run, 1 << 62)


def middle(run: SavedRun) -> int:
    """Return the moment half-way."""
    assert run.moment is not None
    return (run.moment.start + run.moment.end) // 2
