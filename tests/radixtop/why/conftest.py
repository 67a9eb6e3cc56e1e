"""A recording that several of these tests read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from radixtop.playing.saved_run import SavedRun
from tests.support.faults.make import make
from tests.support.saved_runs import go_to_end


@pytest.fixture(scope="session")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording of a cache that is too small."""
    return make(("capacity",), 1, "clear", tmp_path_factory.mktemp("why") / "small.rtrec")


@pytest.fixture
def run(path: Path) -> Iterator[SavedRun]:
    """Return the recording on screen, standing still at its end."""
    shown = SavedRun(path, clock=lambda: 0)
    shown.begin(0, 1.0, is_paused=True)
    go_to_end(shown)
    yield shown
    shown.close()
