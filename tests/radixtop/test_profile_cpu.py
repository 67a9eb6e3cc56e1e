"""`radixtop profile cpu`: with the real py-spy, and with stand-ins for everything that can go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from profiles.cpu import sampling
from profiles.cpu.facts import OurRights, TargetFacts
from profiles.cpu.pyspy import FOLDER_VARIABLE
from profiles.timelines.timeline import PIDS
from radixtop import cli
from tests.support.busy_process import TURN_S, busy_process
from tests.support.fake_pyspy import failing, fake_pyspy
from tests.support.processes import is_running, until

GONE = "Error: Failed to get process executable name. Check that the process is running.\n\nCaused by:\n    0: "
NO_SUCH = f"{GONE}No such file or directory (os error 2)\n"
DENIED = f"{GONE}Permission denied (os error 13)\n"
PERMISSION = "Permission Denied: Try running again with elevated permissions by going 'sudo env \"PATH=$PATH\" !!'\n"
PANIC = "thread 'main' panicked at src/config.rs:335:\ninvalid duration: ParseIntError { kind: InvalidDigit }\n"
USAGE = "error: Found argument '--gil' which wasn't expected\n\nUsage: py-spy record [OPTIONS]\n"
NO_PYTHON = "Error: Failed to find python version from target process\n"
ONE_STACK = "<module> (serve.py:3);step (engine.py:120) 7\n"


@pytest.fixture
def pyspy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what makes a stand-in of a body."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return lambda body: fake_pyspy(folder, body)


def run(*arguments: str) -> int:
    """Sample this process, or what is named, and return the exit code."""
    return cli.main(["profile", "cpu", *arguments])


@pytest.mark.parametrize(
    ("body", "said", "hint"),
    [
        (failing(1, PERMISSION), "the system denied it", "sudo"),
        (failing(1, DENIED), "the system denied it", "--cap-add SYS_PTRACE"),
        (failing(1, NO_SUCH), "there is no process", "look for another number"),
        (
            failing(1, "Error: Failed to find python version from target process\n"),
            "runs no Python",
            "--subprocesses",
        ),
        (failing(101, PANIC), "exit code 101", "use fewer of them"),
        (failing(2, USAGE), "does not know how to do that", "pip install -U"),
        (failing(1, "Error: something new\n"), "Error: something new", "py-spy by itself"),
        ("os.kill(os.getpid(), signal.SIGTERM)", "ended by SIGTERM", "ctrl+c"),
        ("sys.exit(143)", "ended by SIGTERM", "ctrl+c"),
        ("write('', samples=0)", "no data", "--idle"),
    ],
)
def test_a_failure_of_pyspy_is_told_in_our_words(
    body: str, said: str, hint: str, pyspy: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pyspy(body)
    in_container = "os error 13" in body
    monkeypatch.setattr(
        sampling, "our_rights", lambda: OurRights("linux", os.getuid() or 1, in_container=in_container)
    )
    assert run(str(os.getpid()), "--force") == 1
    shown = capfd.readouterr()
    assert shown.out == ""
    message, _, told = shown.err.partition("hint: ")
    assert said in message
    assert hint in told
    assert "Caused by" not in shown.err
    assert "Traceback" not in shown.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no-such-command-at-all"], "neither a process nor a command"),
        (["--duration", "1.5", "1"], "integer"),
        (["--rate", "0", "1"], "rate"),
        (["--format", "flamegraph", "1"], "speedscope"),
        (["--format", "chrome_trace", "--gil", "1"], "gaps would look like work"),
        (["--gil", "--idle", "1"], "choose one"),
        ([], "PID"),
    ],
)
def test_a_request_that_cannot_be_meant_is_a_usage_error(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    shown = capfd.readouterr()
    assert said in shown.err + shown.out


def test_without_pyspy_it_is_said_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setattr("sysconfig.get_path", lambda *asked: None)
    monkeypatch.setenv("PATH", "/nowhere")
    assert run(str(os.getpid()), "--force") == 1
    assert "pip install 'radixtop[cpu]'" in capsys.readouterr().err


def test_a_process_that_is_not_there_is_named_before_anything_is_started(
    pyspy: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    pyspy("sys.exit(9)")
    assert run("4194399") == 1
    assert "there is no process 4194399" in capsys.readouterr().err


def test_an_output_that_cannot_be_is_named_before_anything_is_sampled(
    tmp_path: Path, pyspy: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    marker = tmp_path / "started"
    pyspy(f"open({str(marker)!r}, 'w')\nwrite({ONE_STACK!r})")
    assert run(str(os.getpid()), "--force", "-o", str(tmp_path / "nowhere" / "x")) == 1
    assert "nowhere" in capsys.readouterr().err
    assert not marker.exists()


@pytest.mark.parametrize("flag", ["--native", "--blocking"])
def test_a_process_of_many_threads_is_stopped_only_by_force(
    flag: str, pyspy: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pyspy(f"write({ONE_STACK!r})")
    facts = TargetFacts(os.getpid(), (os.getuid(),) * 3, threads=159)
    monkeypatch.setattr(sampling, "target_facts", lambda pid: facts)
    assert run(str(os.getpid()), flag, "--duration", "1") == 1
    assert "159 threads" in capsys.readouterr().err
    assert run(str(os.getpid()), flag, "--duration", "1", "--force", "--format", "collapsed") == 0
    assert capsys.readouterr().out == ONE_STACK


def arguments_of(pyspy: Any, capsys: pytest.CaptureFixture[str], *asked: str) -> list[str]:
    """Return the command line that py-spy gets, as the one frame of the profile."""
    pyspy("write(' '.join(arguments).replace(';', '') + ' (a.py:1) 1\\n')")
    assert run(*asked, "--force", "--format", "collapsed") == 0
    return capsys.readouterr().out.split()


def test_by_default_the_target_is_not_stopped(pyspy: Any, capsys: pytest.CaptureFixture[str]) -> None:
    given = arguments_of(pyspy, capsys, str(os.getpid()))
    assert given[:5] == ["record", "--rate", "100", "--duration", "10"]
    assert {"--nonblocking", "--gil"} <= {*given}
    assert not {"--native", "--idle"} & {*given}


def test_native_frames_take_a_target_that_stands_still(pyspy: Any, capsys: pytest.CaptureFixture[str]) -> None:
    given = arguments_of(pyspy, capsys, str(os.getpid()), "--native", "--idle", "--threads", "--function")
    assert {"--native", "--idle", "--threads", "--function"} <= {*given}
    assert not {"--nonblocking", "--gil"} & {*given}


def test_pyspy_writes_no_backtraces_into_its_errors(
    pyspy: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RUST_BACKTRACE", "1")
    pyspy("write(f'{os.environ.get(\"RUST_BACKTRACE\")} (a.py:1) 1\\n')")
    run(str(os.getpid()), "--force", "--format", "collapsed")
    assert capsys.readouterr().out == "None (a.py:1) 1\n"


def test_what_could_not_be_read_is_told(pyspy: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pyspy(f"print('py-spy> 1.20s behind in sampling')\nwrite({ONE_STACK!r}, samples=7, errors=3)")
    assert run(str(os.getpid()), "--force", "--format", "collapsed") == 0
    said = capsys.readouterr().err
    assert "3 of 10 samples" in said
    assert "fell behind" in said


ENDS_AT_SIGINT = f"""
def end(number, frame):
    write({ONE_STACK!r})
    sys.exit(0)
signal.signal(signal.SIGINT, end)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("py-spy> Sampling", flush=True)
open(os.environ["RADIXTOP_PYSPY_DIR"] + "/ready", "w").close()
while True:
    time.sleep(1)
"""


def test_a_run_that_does_not_end_is_ended_with_what_it_has(pyspy: Any, capsys: pytest.CaptureFixture[str]) -> None:
    pyspy(ENDS_AT_SIGINT)
    assert run(str(os.getpid()), "--force", "--duration", "1", "--format", "collapsed") == 0
    assert capsys.readouterr().out == ONE_STACK


def test_ctrl_c_ends_it_with_what_it_has(pyspy: Any, tmp_path: Path) -> None:
    folder = pyspy(ENDS_AT_SIGINT)
    out = tmp_path / "out.txt"
    command = [sys.executable, "-m", "radixtop", "profile", "cpu", "1", "--force", "--format", "collapsed", "-o", out]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        until((folder / "ready").exists, 60, "the start of py-spy")
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert process.returncode == 130
    assert out.read_text() == ONE_STACK


LAUNCHES = """
import subprocess
child = subprocess.Popen(arguments[arguments.index("--") + 1:])
print("py-spy> Sampling", flush=True)
child.wait()
write("f (a.py:1) 1\\n")
"""


def test_a_command_is_asked_to_end_and_its_words_go_to_stderr(pyspy: Any, capfd: pytest.CaptureFixture[str]) -> None:
    pyspy(LAUNCHES)
    command = ["sh", "-c", "trap 'echo bye; exit' TERM; echo hello; while :; do sleep 0.05; done"]
    assert run("--duration", "1", "--format", "collapsed", "--", *command) == 0
    shown = capfd.readouterr()
    assert shown.out == "f (a.py:1) 1\n"
    assert "hello\n" in shown.err
    assert "bye\n" in shown.err
    assert "py-spy>" not in shown.err


def test_a_file_is_not_replaced_when_sampling_fails(pyspy: Any, tmp_path: Path) -> None:
    pyspy(failing(1, PERMISSION))
    out = tmp_path / "out.txt"
    out.write_text("before")
    assert run(str(os.getpid()), "--force", "-o", str(out)) == 1
    assert [out.read_text(), sorted(path.name for path in tmp_path.iterdir())] == ["before", ["bin", "out.txt"]]


@pytest.mark.needs("py-spy")
def test_the_real_pyspy_finds_where_a_process_works(capsys: pytest.CaptureFixture[str]) -> None:
    with busy_process() as pid:
        assert run(str(pid), "--duration", "1", "--format", "collapsed", "--function") == 0
        assert is_running(pid)
    counted = dict(line.rsplit(" ", 1) for line in capsys.readouterr().out.splitlines())
    working = sum(int(count) for stack, count in counted.items() if ";work (busy_process.py:" in stack)
    assert working > 0.8 * sum(map(int, counted.values()))


@pytest.mark.needs("py-spy")
def test_the_real_pyspy_starts_a_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = "import time\nprint('hello')\nend = time.time() + 1\nwhile time.time() < end: sum(range(100))"
    out = tmp_path / "out.json"
    assert run("-o", str(out), "--format", "speedscope", "--", sys.executable, "-c", code) == 0
    assert "<module>" in {frame["name"] for frame in json.loads(out.read_text())["shared"]["frames"]}
    assert "hello" in capfd.readouterr().err


@pytest.mark.needs("py-spy")
def test_a_process_without_python_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen(["sleep", "60"]) as process:
        assert run(str(process.pid), "--duration", "1") == 1
        process.kill()
    assert "runs no Python" in capsys.readouterr().err


@pytest.mark.needs("py-spy")
def test_an_idle_process_has_no_data_unless_who_waits_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with subprocess.Popen([sys.executable, "-c", "print(flush=True); input()"], stdin=-1, stdout=-1) as process:
        assert process.stdin and process.stdout
        process.stdout.readline()
        assert run(str(process.pid), "--duration", "1", "--format", "collapsed") == 1
        assert "no data" in capsys.readouterr().err
        assert run(str(process.pid), "--duration", "1", "--format", "collapsed", "--idle") == 0
        assert "<module> (<string>:1)" in capsys.readouterr().out
        process.stdin.close()


@pytest.mark.needs("py-spy")
def test_in_a_trace_work_stands_where_the_cache_recorded_it(tmp_path: Path) -> None:
    out = tmp_path / "run.trace.json"
    with busy_process() as pid:
        assert run(f"shm:{pid}", "--duration", "3", "--format", "chrome_trace", "-o", str(out)) == 0
    slices = [event for event in json.loads(out.read_text())["traceEvents"] if event["ph"] == "X"]
    works = spans(slices, pid, "work (busy_process.py:")
    steps = spans(slices, pid + PIDS, "step")
    assert len(steps) >= 3
    first, last = steps[0][0], steps[-1][1]
    works = [span for span in works if first - TURN_S * 5e5 < span[0] and span[1] < last + TURN_S * 5e5]
    # Edges are late by up to a period of 10 ms, the turns take 200 ms, and the machine may be busy.
    common = sum(max(0.0, min(a[1], b[1]) - max(a[0], b[0])) for a in works for b in steps)
    assert common > 0.7 * sum(end - start for start, end in steps)
    assert common > 0.7 * sum(end - start for start, end in works)


def spans(slices: list[dict[str, Any]], pid: int, name: str) -> list[tuple[float, float]]:
    """Return where the slices of a name lie, in microseconds."""
    return [(s["ts"], s["ts"] + s["dur"]) for s in slices if s["pid"] == pid and s["name"].startswith(name)]


@pytest.mark.needs("py-spy")
def test_a_command_that_ends_at_once_is_told_in_our_words(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("--", "sh", "-c", "echo hello >&2") == 1
    said = capfd.readouterr().err
    assert said.startswith("hello\nradixtop: the command sh ended before the first sample")
    assert "Caused by" not in said


def test_a_command_without_end_is_ended_by_force(pyspy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pid = tmp_path / "pid"
    pyspy(f"signal.signal(signal.SIGINT, signal.SIG_IGN)\n{LAUNCHES}")
    monkeypatch.setattr("profiles.cpu.sampler.GRACE_S", 0.2)
    command = f"trap '' TERM INT; echo $$ > {pid}; while :; do echo on and on; done"
    assert run("--duration", "1", "--format", "collapsed", "--", "sh", "-c", command) == 1
    until(lambda: not is_running(int(pid.read_text())), 20, "the end of the command")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_that_was_started_outlives_us(number: signal.Signals, pyspy: Any, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    pyspy(LAUNCHES)
    command = [sys.executable, "-m", "radixtop", "profile", "cpu", "-o", str(tmp_path / "out.html"), "--"]
    command += ["sh", "-c", f"echo $$ > {pid}.new; mv {pid}.new {pid}; while :; do sleep 0.05; done"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        until(pid.exists, 60, "the start of the command")
        process.send_signal(number)
        process.wait(60)
    until(lambda: not is_running(int(pid.read_text())), 20, "the end of the command")
    if number != signal.SIGKILL:
        assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")], "half a file is left"
