"""What the tests of consumers share: a recording of a busy cache, and its exports."""

from __future__ import annotations

from pathlib import Path

import pytest

from cache_core import CacheConfig, PrefixCache
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.driving.drive import drive
from profiles.driving.pace import Pace
from profiles.exporter import EXPORTERS, ExportOptions, export
from profiles.profile import RecordedProfile
from profiles.workload import WORKLOADS, WorkloadConfig
from tests.support.exporting import Exported
from tests.support.modelless_engine import ModellessEngine


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that evicts, splits, tombstones and rebuilds its queues."""
    folder = tmp_path_factory.mktemp("recording")
    config = CacheConfig(window=128, full_slots=3_000, swa_slots=1_800, evictor="rebuild")
    options = RecorderOptions(folder=folder / "ring", recording=folder / "run.radixtop")
    recorder = FlightRecorder({**config.describe(), "workload": "mixed"}, options)
    cache = PrefixCache(config, sink=recorder)
    recorder.follow(cache)
    workload = WORKLOADS.load("mixed")(WorkloadConfig(seed=5))
    drive(workload, ModellessEngine(cache), lambda prompt: prompt, Pace(requests=120))
    recorder.close("done")
    return folder / "run.radixtop"


@pytest.fixture
def exported(recording: Path, tmp_path: Path) -> Exported:
    """Return the file of the recording in a format."""

    def made(format: str, **options: object) -> Path:
        path = tmp_path / f"run{EXPORTERS.load(format).suffix}"
        with RecordedProfile(recording) as profile, path.open("wb") as out:
            export(profile, format, ExportOptions(**options), out)  # type: ignore[arg-type]
        return path

    return made
