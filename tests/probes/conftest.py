"""What the tests of the recorder share: a private folder in memory, and recorders that are closed at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from probes.recorder import FlightRecorder, RecorderOptions

MakeRecorder = Callable[..., FlightRecorder]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory that is gone after the test."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as path:
        yield Path(path) / "radixtop-test"


@pytest.fixture
def make_recorder(folder: Path) -> Iterator[MakeRecorder]:
    """Returns recorders in `folder`, made with the options named, and closes them."""
    made: list[FlightRecorder] = []

    def make(**options: object) -> FlightRecorder:
        recorder = FlightRecorder({"page_size": 1}, RecorderOptions(folder=folder, **options))  # type: ignore[arg-type]
        made.append(recorder)
        return recorder

    yield make
    for recorder in made:
        recorder.close()
