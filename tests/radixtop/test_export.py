"""`radixtop profile export`: every format, whole files or none, and one clear error for what cannot be meant."""

from __future__ import annotations

import gzip
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from probes.blocks import encode_block, open_block
from probes.recordings.writer import RecordingWriter
from profiles.exporter import EXPORTERS
from radixtop import cli
from tests.support.pprof_reader import read_pprof
from tests.support.raw import raw
from tests.support.timed_run import CONFIG, timed_run

HERE = [name for name in EXPORTERS if name != "parquet"]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A recording of the timed run."""
    path = tmp_path / "run.radixtop"
    writer = RecordingWriter(path, {**CONFIG, "workload": "a timed run"})
    block = encode_block(open_block(1, 0, 1_200_000), [raw(each) for each in timed_run()])
    writer.append(block)
    writer.close("done", 0)
    return path


def export(run: Path, *flags: str) -> int:
    return cli.main(["profile", "export", str(run), *flags])


@pytest.mark.parametrize("format", HERE)
def test_a_folder_gets_a_file_named_after_the_recording(format: str, run: Path, tmp_path: Path) -> None:
    assert export(run, "--format", format, "--weight", "hits", "-o", str(tmp_path)) == 0
    assert (tmp_path / f"run{EXPORTERS.load(format).suffix}").stat().st_size > 10


@pytest.mark.parametrize("format", HERE)
def test_without_a_file_it_goes_to_stdout_as_it_is(
    format: str, run: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    export(run, "--format", format, "-o", str(tmp_path / "out"))
    capfdbinary.readouterr()
    assert export(run, "--format", format) == 0
    assert capfdbinary.readouterr() == ((tmp_path / "out").read_bytes(), b"")


def test_a_name_that_ends_in_gz_packs_the_file(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.trace.json.gz"
    assert export(run, "--format", "chrome_trace", "-o", str(out)) == 0
    assert json.loads(gzip.decompress(out.read_bytes()))["traceEvents"]


def test_what_is_packed_anyway_is_packed_once(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.pb.gz"
    assert export(run, "--format", "pprof", "--weight", "hits", "-o", str(out)) == 0
    assert read_pprof(out.read_bytes()).default_sample_type == "hits"


def test_bytes_are_not_written_to_a_terminal(run: Path) -> None:
    terminal, ours = pty.openpty()
    command = [sys.executable, "-m", "radixtop", "profile", "export", str(run), "--format", "pprof"]
    ran = subprocess.run(command, stdout=ours, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(ours)
    os.close(terminal)
    assert ran.returncode == 2
    assert "-o OUT" in ran.stderr


def test_the_recording_itself_is_no_place_for_an_export(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = run.read_bytes()
    assert export(run, "--format", "csv", "-o", str(run)) == 2
    assert run.read_bytes() == before
    assert "the recording itself" in capsys.readouterr().err


def test_an_export_that_fails_leaves_the_file_that_was_there(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table.parquet"
    out.write_text("older")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert export(run, "--format", "parquet", "-o", str(out)) == 1
    assert out.read_text() == "older"
    assert [path.name for path in tmp_path.iterdir() if path not in (run, out)] == []
    assert "pip install 'radixtop[parquet]'" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_is_named(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for output, said in {"/dev/full": "No space left on device", str(tmp_path / "loop"): "Too many levels"}.items():
        assert export(run, "--format", "csv", "-o", output) == 1
        assert f"radixtop: {output}: {said}" in capsys.readouterr().err


def test_a_recording_that_cannot_be_read_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert export(Path("/proc/self/mem"), "--format", "csv") == 1  # nothing is mapped where it begins
    assert "radixtop: /proc/self/mem: Input/output error" in capsys.readouterr().err


def test_a_name_may_be_as_long_as_the_system_lets_it(run: Path, tmp_path: Path) -> None:
    assert export(run, "--format", "csv", "-o", str(tmp_path / ("x" * 251 + ".csv"))) == 0


def test_no_name_of_a_file_drives_the_terminal(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = tmp_path / "\x1b]0;title\x07"
    assert export(run, "--format", "csv", "-o", str(odd)) == 0
    assert export(odd, "--format", "csv") == 1  # it is no recording
    said = capsys.readouterr().err
    assert "·]0;title·" in said
    assert said.replace("\n", "").isprintable()


@pytest.mark.parametrize("table", ["events", "nodes"])
def test_a_table_may_be_chosen(table: str, run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert export(run, "--format", "csv", "--table", table) == 0
    assert ("request_admitted" in capfd.readouterr().out) == (table == "events")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--format", "csv", "--table", "trees"), "events, nodes"),
        (("--format", "svg", "--table", "nodes"), "parquet, csv or markdown"),
        (("--format", "png"), "speedscope"),
        (("--format", "svg", "--weight", "age"), "tokens"),
        ((), "--format"),
    ],
)
def test_what_cannot_be_meant_is_answered_with_the_choices(
    flags: tuple[str, ...], said: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(run, *flags) == 2
    assert said in capsys.readouterr().err


def test_a_flame_graph_of_a_format_without_one_names_the_command_that_has_it(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["profile", "flame", str(run), "--format", "csv"]) == 2
    assert f"radixtop profile export {run} --format csv" in capsys.readouterr().err


def test_a_file_that_is_no_recording_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello, this is no recording at all")
    assert export(path, "--format", "csv") == 1
    assert "no radixtop recording" in capsys.readouterr().err
