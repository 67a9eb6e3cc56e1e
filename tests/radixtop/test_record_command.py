"""`radixtop record -- COMMAND`: finds the cache of what it starts, keeps out of its way, tells how it ended."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from probes.errors import RecordingError
from radixtop import cli
from radixtop.bench.terminal import Terminal
from radixtop.target import Target, ring_below
from tests.support.processes import child_of, dead_pid, is_running, until
from tests.support.recorded_tree import recorded_mirror
from tests.support.recorder_process import OWN_TERMINAL, Record

PUBLISHES = """
import signal, sys, time
from array import array
import radixtop
from cache_core import CacheConfig, PrefixCache, RadixKey

stopped = []
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: stopped.append(number))
code, seconds = int(sys.argv[1]), float(sys.argv[2])
cache = PrefixCache(CacheConfig(components=("full",), full_slots=1000))
recorder = radixtop.attach(cache)
cache.insert(RadixKey(array("i", range(300))), cache.allocate(300))
print("published", flush=True)
until = time.monotonic() + seconds
while time.monotonic() < until and not stopped:
    recorder.flush()
    time.sleep(0.02)
time.sleep(0.2)
print("stopped by", stopped, flush=True)
recorder.close("the command is done")
sys.exit(code)
"""


def publishing(code: int = 0, seconds: float = 0.5) -> list[str]:
    """Return a command that publishes a cache of one node for so long."""
    return ["--", sys.executable, "-c", PUBLISHES, str(code), str(seconds)]


def test_a_command_is_recorded_until_it_ends(record: Record, tmp_path: Path) -> None:
    ended = record("-o", "run.rtrec", *publishing()).ended()
    assert (ended.code, ended.document["fault"]) == (0, "")
    assert ended.document["ended_by"].endswith("ended: the command is done")
    mirror = recorded_mirror(tmp_path / "run.rtrec", ("full",))
    assert (mirror.census.nodes, mirror.census.tokens) == (1, 300)


def test_what_a_command_starts_is_found_as_well(record: Record, tmp_path: Path) -> None:
    inner = [sys.executable, "-c", PUBLISHES, "0", "0.5"]
    outer = f"import subprocess, sys; sys.exit(subprocess.call({inner!r}))"
    assert record("-o", "run.rtrec", "--", sys.executable, "-c", outer).ended().code == 0
    assert recorded_mirror(tmp_path / "run.rtrec", ("full",)).census.nodes == 1


def test_a_cache_that_is_gone_before_it_is_opened_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = [Target(dead_pid(), 0)]
    monkeypatch.setattr("radixtop.recording.command.ring_below", lambda pid: gone.pop() if gone else ring_below(pid))
    assert cli.main(["record", "-o", str(tmp_path / "run.rtrec"), *publishing()]) == 0
    assert recorded_mirror(tmp_path / "run.rtrec", ("full",)).census.nodes == 1


def test_a_command_that_fails_fails_the_recording(record: Record, tmp_path: Path) -> None:
    ended = record("-o", "run.rtrec", *publishing(code=7)).ended()
    assert ended.code == 1
    assert "the command ended with exit code 7" in ended.said
    assert recorded_mirror(tmp_path / "run.rtrec", ("full",)).census.nodes == 1


def test_a_command_that_publishes_nothing_is_told_how_to(record: Record, tmp_path: Path) -> None:
    ended = record("-o", "run.rtrec", "--", sys.executable, "-c", "print('hello')").ended()
    assert ended.code == 1
    assert "ended with exit code 0 and published no cache" in ended.said
    assert "radixtop.attach(cache)" in ended.said
    assert not (tmp_path / "run.rtrec").exists()


def test_a_command_that_is_none_is_an_error_with_a_hint(record: Record) -> None:
    ended = record("no-such-command").ended()
    assert ended.code == 1
    assert "cannot start no-such-command: No such file or directory" in ended.said
    assert "shm:PID" in ended.said


def test_a_command_goes_on_when_its_recording_cannot_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise RecordingError("cannot write run.rtrec: No space left on device", "make room")

    monkeypatch.setattr("radixtop.recording.record.RecordingRun", refuse)
    assert cli.main(["record", "-o", str(tmp_path / "run.rtrec"), *publishing(code=3)]) == 1
    out, said = capfd.readouterr()
    assert "stopped by []" in out
    assert "nothing is recorded: cannot write run.rtrec: No space left on device" in said
    assert said.index("the command goes on as process") < said.index("the command ended with exit code 3")
    assert said.endswith("radixtop: cannot write run.rtrec: No space left on device\nhint: make room\n")


def test_a_place_that_takes_no_file_is_refused_before_the_command_starts(record: Record, tmp_path: Path) -> None:
    touch = f"open({str(tmp_path / 'started')!r}, 'w')"
    assert record("-o", "missing/run.rtrec", "--", sys.executable, "-c", touch).ended().code == 1
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_goes_to_the_command_once_and_its_end_is_recorded(
    number: signal.Signals, record: Record, tmp_path: Path
) -> None:
    recorder = record("-o", "run.rtrec", *publishing(code=128 + number, seconds=60)).begun()
    recorder.process.send_signal(number)
    out, _ = recorder.process.communicate(timeout=30)
    assert recorder.process.returncode == 0  # it was asked to end
    assert f"stopped by [{int(number)}]".encode() in out
    assert b'"fault": ""' in out
    assert recorded_mirror(tmp_path / "run.rtrec", ("full",)).census.nodes == 1


def test_ctrl_c_at_the_terminal_reaches_the_command_once(tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    command = [sys.executable, "-m", "radixtop", "record", "-o", str(path), *publishing(seconds=60)]
    with Terminal([sys.executable, "-c", OWN_TERMINAL, *command], (100, 30)) as terminal:
        terminal.read_until("published", 20)
        until(path.exists, 20, "a recording")
        terminal.type("\x03")
        assert terminal.wait(20) == 0
    assert "stopped by [2]" in terminal.text
    assert terminal.text.index("stopped by") < terminal.text.index("wrote ")
    assert "records  " not in terminal.text  # the command may draw there: nothing is told before it is done


def test_a_third_signal_ends_the_recording_and_not_the_command(record: Record, tmp_path: Path) -> None:
    deaf = PUBLISHES.replace("and not stopped", "")
    recorder = record("-o", "run.rtrec", "--", sys.executable, "-c", deaf, "0", "30").begun()
    command = child_of(recorder.process.pid)
    for _ in range(3):
        recorder.process.send_signal(signal.SIGTERM)
        until(lambda: not signal_pends(recorder.process.pid), 10, "a signal taken")
    until(lambda: "the command goes on" in recorder.said or recorder.process.poll() is not None, 20, "an end")
    recorder.process.send_signal(signal.SIGTERM)
    recorder.process.wait(20)
    assert is_running(command)
    assert recorded_mirror(tmp_path / "run.rtrec", ("full",)).census.nodes == 1
    subprocess.run(["kill", "-9", str(command)], check=True)


def signal_pends(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status").read_text()
    return any(line.startswith(("ShdPnd", "SigPnd")) and int(line.split()[1], 16) for line in status.splitlines())


def test_a_command_outlives_a_recording_of_a_duration(record: Record) -> None:
    ended = record("--duration", "0.1s", *publishing(code=3, seconds=1)).ended()
    assert (ended.code, ended.document["ended_by"]) == (1, "--duration")
    assert ended.document["duration_s"] < 1
    assert "ended with exit code 3" in ended.said
