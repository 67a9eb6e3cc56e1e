"""A recorded run is played in the same screens and exported to other tools."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from radixtop import cli
from radixtop.bench.terminal import Terminal

RADIXTOP = (sys.executable, "-m", "radixtop")

pytestmark = pytest.mark.needs("torch")


def test_a_recording_is_for_its_owner_alone(recorded: Path) -> None:
    assert stat.S_IMODE(recorded.stat().st_mode) == 0o600


def test_it_is_played_in_the_same_screens_to_its_end(recorded: Path) -> None:
    with Terminal([*RADIXTOP, "play", str(recorded), "--speed", "50"], (120, 40)) as terminal:
        terminal.read_until("at the end", 30)
        terminal.type("2")
        terminal.read_until("system prompt", 30)
        terminal.type("q")
        assert terminal.wait(10) == 0


def test_a_playback_is_held_and_goes_on(recorded: Path) -> None:
    with Terminal([*RADIXTOP, "play", str(recorded), "--speed", "0.01"], (120, 40)) as terminal:
        terminal.read_until("0.01x", 30)
        terminal.type(" ")
        terminal.read_until("paused", 10)
        terminal.type(" ")
        terminal.type(">")
        terminal.read_until("0.02x", 10)


@pytest.mark.parametrize(
    ("format", "part"), [("svg", "<svg"), ("collapsed", "system prompt"), ("speedscope", "speedscope.app")]
)
def test_its_tree_is_exported_as_a_flame_graph(format: str, part: str, recorded: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert cli.main(["profile", "flame", str(recorded), "--format", format, "-o", str(out)]) == 0
    assert part in out.read_text()


def test_without_a_file_the_export_goes_to_stdout_alone(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", "flame", str(recorded), "--format", "speedscope", "--weight", "tokens"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["profiles"][0]["name"].startswith("resident tokens")
    assert shown.err == ""


def test_a_closed_pipe_ends_an_export_quietly(recorded: Path) -> None:
    command = f"{sys.executable} -m radixtop profile flame {recorded} | head -c 1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=True)
    assert ran.stderr == b""


def test_a_bench_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "branching", "--requests", "2", "--device", "cpu", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens_equal"] is True
