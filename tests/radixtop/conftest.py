"""What the tests of the product share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main

from tests.support.publishing import EMBEDDING
from tests.support.recorder_process import Record, RecorderProcess


@pytest.fixture(scope="session", autouse=True)
def _parsers_are_made_once() -> Iterator[None]:
    """A process has one command to parse; the tests of many would spend more time on parsers than on commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def publisher() -> Iterator[subprocess.Popen[bytes]]:
    """Another process with a cache of 300 tokens that was there before it was published."""
    with subprocess.Popen([sys.executable, "-c", EMBEDDING], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole recording of a few requests. Needs torch; read it, do not write to it."""
    path = tmp_path_factory.mktemp("recorded") / "run.radixtop"
    flags = [
        "--headless",
        "--requests",
        "6",
        "--rate",
        "20",
        "--record",
        str(path),
    ]  # long enough to be played slowly
    command = [sys.executable, "-m", "tests.support.modelless_live", "live", *flags]
    subprocess.run(command, capture_output=True, timeout=60, check=True)
    return path


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    """Starts recorders in a folder and ends them."""
    started: list[RecorderProcess] = []

    def start(*arguments: str) -> RecorderProcess:
        started.append(RecorderProcess(tmp_path, *arguments))
        return started[-1]

    yield start
    for recorder in started:
        recorder.close()
