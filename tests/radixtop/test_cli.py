"""The command line: what it prints where, and the exit code it ends with."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from probes.recorder import FlightRecorder, RecorderOptions
from radixtop import __version__, cli, command
from radixtop.bench.terminal import Terminal
from radixtop.errors import RadixtopError, UsageError
from radixtop.profiling import SUBCOMMANDS

BENCHMARKS = [known.name or known.callback.__name__ for known in command.load("bench").registered_commands]
EVERY_COMMAND = [
    *([name] for name in command.COMMANDS),
    *(["profile", name] for name in SUBCOMMANDS),
    *(["bench", name] for name in BENCHMARKS),
]


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make every subcommand end in `error`."""

    def run(name: str, arguments: list[str]) -> int:
        raise error

    monkeypatch.setattr(cli, "_run", run)


def test_help_lists_every_command_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    rows = [rf"^  {name} +{re.escape(known.summary)}$" for name, known in command.COMMANDS.items()]
    assert [row for row in rows if not re.search(row, shown, re.M)] == []


def test_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"radixtop {__version__}\n"


@pytest.mark.parametrize("name", command.COMMANDS)
def test_every_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    assert f"Example: radixtop {name}" in capsys.readouterr().out


@pytest.mark.parametrize("name", command.COMMANDS)
def test_a_flag_that_no_command_has_is_a_usage_error(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--no-such-flag"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "no-such-flag" in shown.err


def test_an_unknown_command_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["lvie"]) == 2
    shown = capsys.readouterr().err
    assert all(name in shown for name in command.COMMANDS)


def test_an_unknown_subcommand_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "everything"]) == 2
    assert "Choose from: screen, probes, branching" in capsys.readouterr().err


def test_flags_without_a_command_are_flags_of_live(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--policy", "clairvoyant"]) == 2
    assert "clairvoyant" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RadixtopError("the run failed", "try again"), 1),
        (UsageError("no such thing"), 2),
        (FileNotFoundError(2, "No such file or directory", "x.radixtop"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_an_error_becomes_its_exit_code(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, error)
    assert cli.main(["live"]) == code


def test_an_error_is_told_on_stderr_with_its_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fail_with(monkeypatch, RadixtopError("the run failed", "try again"))
    cli.main(["live"])
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "radixtop: the run failed\nhint: try again\n")


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_with(monkeypatch, ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        cli.main(["live"])


@pytest.mark.parametrize("name", ["profile", "bench"])
def test_a_list_of_commands_cuts_no_summary(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    assert "...\n" not in capsys.readouterr().out.partition("Commands:")[2]


@pytest.mark.parametrize("name", EVERY_COMMAND, ids=" ".join)
def test_help_names_values_by_what_they_are(name: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*name, "--help"]) == 0
    assert not re.search("<(int|float|str|path|list)", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        (["record"], "[TARGET | -- COMMAND ...]"),
        (["profile", "cpu"], "PID | -- COMMAND ..."),
        (["profile", "diff"], "A [B]"),
    ],
)
def test_usage_shows_arguments_as_they_are_written(
    name: list[str], usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*name, "--help"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"Usage: radixtop {' '.join(name)} [OPTIONS] {usage}"


def test_help_of_live_names_what_a_flag_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["live", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "in the order of full, swa, mamba" in shown
    assert "slru: threshold=2; tlru: threshold_tokens=2048, next_prompt_tokens=256" in shown
    assert "(with --page-size 16)" in shown
    assert "in place of a file that is there" in shown
    assert "one JSON document; no screen" in shown


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", name, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"Example: radixtop bench {name}" in shown
    assert "--json" in shown


@pytest.mark.parametrize("command", [["--help"], ["live", "--help"]])
def test_a_closed_pipe_is_no_error(command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ran = subprocess.run(
        [sys.executable, "-m", "radixtop", *command], stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_help_loads_nothing_that_takes_time() -> None:
    code = """
import sys
before = {*sys.modules}
from radixtop.cli import main
main(["--help"])
print(*{*sys.modules} - before, file=sys.stderr)
"""
    ran = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    dear = {"typer", "textual", "rich", "torch", "typing", "re", "dataclasses", "signal", "threading", "importlib"}
    assert dear.isdisjoint(ran.stderr.split())


@pytest.mark.parametrize("command", [["--help"], ["live", "--help"], ["profile", "flame", "--help"]])
@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_the_caller_closed_is_no_error(command: list[str], closing: str) -> None:
    line = f'"$0" -m radixtop "$@" {closing}'
    ran = subprocess.run(["sh", "-c", line, sys.executable, *command], capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize(
    "flags",
    [
        ["--rate", "inf"], ["--rate", "nan"], ["--duration", "inf"], ["--duration", "1e300"], ["--seed", str(2**63)],
        ["--window", str(2**31)], ["--hz", "nan"], ["--page-size", "0"], ["--requests", "0"],
    ],
)  # fmt: skip
@pytest.mark.needs("torch")
def test_a_number_that_cannot_be_meant_is_a_usage_error(flags: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["live", "--headless", "--requests", "1", *flags]) == 2
    assert flags[0].strip("-").replace("-", "_") in capfd.readouterr().err.replace("-", "_")


@pytest.mark.parametrize("speed", ["inf", "nan", "1e300", "0"])
def test_a_speed_that_no_clock_has_is_a_usage_error(speed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", "run.radixtop", "--speed", speed]) == 2
    assert "--speed" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["live", "--headless"],
        *(["bench", name] for name in ("screen", "probes", "branching", "four_way", "engine")),
    ],
)
def test_without_torch_a_workload_is_refused_with_what_to_install(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert cli.main(command) == 1
    assert "pip install 'radixtop[live]'" in capsys.readouterr().err


def test_a_screen_without_a_keyboard_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    """With stdout at a terminal and the rest elsewhere, nobody asked for text, and no screen can be had."""
    recorder = FlightRecorder({}, RecorderOptions(recording=tmp_path / "run.radixtop"))
    recorder.flush()
    commands = {"play": ["play", str(tmp_path / "run.radixtop")], "attach": ["attach", f"shm:{os.getpid()}"]}
    try:
        said = {name: _said_without_a_keyboard(asked) for name, asked in commands.items()}
    finally:
        recorder.close()
    assert "hint: to export the recording: radixtop profile flame FILE" in said["play"]
    assert "hint: run it in a terminal" in said["attach"]
    assert {word for text in said.values() for word in text.split() if word.startswith("--")} == {"--headless"}


def _said_without_a_keyboard(asked: list[str]) -> str:
    command = shlex.join([sys.executable, "-m", "radixtop", *asked])
    with Terminal(["sh", "-c", f"{command} < /dev/null"], (80, 24)) as terminal:
        assert terminal.wait(60) == 2
    return terminal.text
