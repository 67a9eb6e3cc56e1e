"""What goes wrong around the dashboard is said, loses nothing that was flushed, and leaves nothing behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from probes.recordings.recording import RecordingReader
from radixtop import cli
from radixtop.bench.terminal import Terminal
from tests.support.processes import child_of, is_running, rings_of, until

RADIXTOP = (sys.executable, "-m", "radixtop")
MODELLESS = (sys.executable, "-m", "tests.support.modelless_live")
"""Radixtop whose worker has no model, for what does not depend on one."""
SIZE = (120, 40)
START_S = 60.0
ORPHAN_S = 2.0


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Where a run is recorded."""
    return tmp_path / "run.radixtop"


@pytest.fixture
def live(recording: Path) -> Iterator[Terminal]:
    """A dashboard on a live workload that records, once the recording grows."""
    with Terminal([*MODELLESS, "live", "--record", str(recording)], SIZE) as terminal:
        terminal.read_until("● live", START_S)
        until(lambda: recording.exists() and recording.stat().st_size > 20_000, START_S, "a recording")
        yield terminal


def records_in(path: Path) -> int:
    """Return how many records can be read from a recording."""
    reader = RecordingReader(path)
    records = sum(1 for block in reader.blocks() for _ in block.records())
    reader.close()
    return records


def most_of(whole: bytes) -> bytes:
    """Return two thirds of a recording, cut inside a block: those are whole words, so no odd cut is between two."""
    return whole[: len(whole) * 2 // 3 | 1]


@pytest.mark.needs("torch")  # or radixtop starts no worker at all
class TestKilled:
    """Processes that are killed without a chance to say anything."""

    def test_a_dead_engine_is_explained_and_its_figures_stay(self, live: Terminal) -> None:
        worker = child_of(live.process.pid)
        os.kill(worker, signal.SIGKILL)
        live.read_until("ended by SIGKILL", 10)
        assert is_running(live.process.pid)
        live.type("q")
        assert live.wait(10) == 1
        assert "radixtop: the engine process was ended by SIGKILL" in live.text

    def test_a_dead_dashboard_takes_its_engine_along(self, live: Terminal) -> None:
        worker = child_of(live.process.pid)
        live.process.kill()
        until(lambda: not is_running(worker), ORPHAN_S, "the end of the worker")
        assert rings_of(worker) == []

    def test_a_recording_outlives_them_both_and_the_next_start_sweeps_their_ring(
        self, live: Terminal, recording: Path
    ) -> None:
        worker = child_of(live.process.pid)
        flushed = records_in(recording)
        assert rings_of(worker) != []
        live.process.kill()
        os.kill(worker, signal.SIGKILL)
        until(lambda: not is_running(worker), ORPHAN_S, "the end of the worker")
        assert records_in(recording) >= flushed > 0
        subprocess.run(
            [*MODELLESS, "live", "--headless", "--requests", "1"], capture_output=True, timeout=60, check=True
        )
        assert rings_of(worker) == []


@pytest.mark.needs("torch")
@pytest.mark.parametrize(
    ("leave", "command"),
    [("q", RADIXTOP), ("\x03", MODELLESS), (signal.SIGTERM, MODELLESS)],
    ids=["q", "ctrl-c", "SIGTERM"],
)
def test_leaving_ends_the_engine_and_removes_its_ring(leave: str | signal.Signals, command: tuple[str, ...]) -> None:
    code = 128 + leave if isinstance(leave, signal.Signals) else 130 if leave == "\x03" else 0
    with Terminal([*command, "live"], SIZE) as terminal:
        terminal.read_until("● live", START_S)
        worker = child_of(terminal.process.pid)
        if isinstance(leave, str):
            terminal.type(leave)
        else:
            terminal.process.send_signal(leave)
        assert terminal.wait(10) == code
        assert not is_running(worker)
        assert rings_of(worker) == []


@pytest.mark.needs("torch")
def test_leaving_before_the_engine_is_up_leaves_nothing() -> None:
    with Terminal([*RADIXTOP, "live"], SIZE) as terminal:
        terminal.read_until("radixtop", START_S)
        worker = child_of(terminal.process.pid)
        terminal.type("q")
        assert terminal.wait(10) == 0
        assert not is_running(worker)
        assert rings_of(worker) == []


@pytest.mark.needs("torch")
def test_a_full_disk_stops_the_recording_and_not_the_run(live: Terminal, recording: Path) -> None:
    worker = child_of(live.process.pid)
    size = recording.stat().st_size
    resource.prlimit(worker, resource.RLIMIT_FSIZE, (size + 5000, size + 5000))
    live.read_until("the recording stopped", 30)
    assert is_running(worker)
    live.type("q")
    assert live.wait(10) == 1
    assert "radixtop: the recording stopped" in live.text
    assert records_in(recording) > 0


@pytest.mark.needs("torch")
@pytest.mark.parametrize("size", [(1, 1), (80, 24)])
def test_a_terminal_of_any_size_will_do(size: tuple[int, int]) -> None:
    with Terminal([*MODELLESS, "live", "--requests", "4"], size) as terminal:
        worker = child_of(terminal.process.pid)
        until(lambda: rings_of(worker), START_S, "a ring to watch")
        terminal.type("q")
        assert terminal.wait(10) == 0
        assert "Traceback" not in terminal.text


@pytest.fixture
def whole(recorded: Path) -> bytes:
    """The bytes of a whole recording."""
    return recorded.read_bytes()


unreadable = pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda raw: b"PK\x03\x04" + raw[4:], "is no radixtop recording"),
        (lambda raw: raw[:8] + (99).to_bytes(4, "little") + raw[12:], "version 99"),
        (lambda raw: raw[:20], "cut short"),
        (lambda raw: b"", "cut short"),
    ],
    ids=["foreign", "newer", "cut in its header", "empty"],
)


class TestUnreadableFiles:
    """Recordings that are cut short, foreign, or newer than this radixtop."""

    @unreadable
    @pytest.mark.needs("torch")
    def test_what_cannot_be_read_is_not_played(self, whole, change, words, recording) -> None:  # type: ignore[no-untyped-def]
        recording.write_bytes(change(whole))
        with Terminal([*RADIXTOP, "play", str(recording)], SIZE) as terminal:
            assert terminal.wait(20) == 1
            assert words in terminal.text
            assert "Traceback" not in terminal.text

    @unreadable
    @pytest.mark.needs("torch")
    def test_what_cannot_be_read_is_not_exported(self, whole, change, words, recording, capsys) -> None:  # type: ignore[no-untyped-def]
        recording.write_bytes(change(whole))
        assert cli.main(["profile", "flame", str(recording)]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert words in shown.err

    @pytest.mark.needs("torch")
    def test_what_is_whole_of_a_truncated_one_is_played(self, whole: bytes, recording: Path) -> None:
        recording.write_bytes(most_of(whole))
        with Terminal([*RADIXTOP, "play", str(recording), "--speed", "100"], SIZE) as terminal:
            terminal.read_until("cut short", 20)
            terminal.type("q")
            assert terminal.wait(10) == 0

    @pytest.mark.needs("torch")
    def test_what_is_whole_of_a_truncated_one_is_exported(
        self, whole: bytes, recording: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        recording.write_bytes(most_of(whole))
        assert cli.main(["profile", "flame", str(recording), "--format", "collapsed"]) == 0
        shown = capsys.readouterr()
        assert "system prompt" in shown.out
        assert "cut short" in shown.err

    @pytest.mark.needs("torch")
    def test_an_export_over_its_own_recording_is_refused(
        self, whole: bytes, recording: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        recording.write_bytes(whole)
        assert cli.main(["profile", "flame", str(recording), "-o", str(recording)]) == 2
        assert recording.read_bytes() == whole
        assert "the recording itself" in capsys.readouterr().err

    @pytest.mark.needs("torch")
    def test_an_export_is_utf_8_whatever_stdout_is_said_to_be(self, whole: bytes, recording: Path) -> None:
        recording.write_bytes(whole)
        command = [*RADIXTOP, "profile", "flame", str(recording), "--format", "collapsed"]
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        ran = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert "·" in ran.stdout.decode("utf-8")

    def test_a_file_that_is_not_there_is_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert cli.main(["profile", "flame", "no-such-file.radixtop"]) == 1
        assert "no-such-file.radixtop" in capsys.readouterr().err
