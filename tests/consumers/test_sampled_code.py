"""Sampled code in the tools that read it: names, files and totals arrive."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from profiles.cpu.format import CODE_FORMATS, Samples
from profiles.cpu.stacks import CodeFrame

MAIN, STEP = CodeFrame("<module>", "serve.py", 3), CodeFrame("Engine.step (fast) <v2>", "engine.py", 120)
SAMPLES = Samples("python serve.py [process 7]", {(MAIN,): 2, (MAIN, STEP): 5}, 10_000_000)


def written(format: str, folder: Path) -> Path:
    """Return a file with the samples in a format."""
    kind = CODE_FORMATS.load(format)
    path = folder / f"cpu{kind.suffix}"
    with open(path, "wb") as out:
        kind().write(SAMPLES, out)
    return path


@pytest.mark.needs("go")
def test_go_pprof_reads_times_names_and_lines(tmp_path: Path) -> None:
    command = ["go", "tool", "pprof", "-lines", "-top", "-nodefraction=0", str(written("pprof", tmp_path))]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert ran.stderr == ""
    assert "of 70ms total" in ran.stdout
    assert "Engine.step (fast) <v2> engine.py:120" in ran.stdout


@pytest.mark.needs("chromium", "speedscope")
@pytest.mark.parametrize(
    ("format", "importer"),
    [
        ("speedscope", "speedscope json file"),
        ("collapsed", "collapsed stack format"),
        ("pprof", "protobuf encoded pprof file"),
    ],
)
def test_speedscope_knows_it_for_what_it_is(format: str, importer: str, tmp_path: Path) -> None:
    from tests.support.speedscope_app import opened

    with opened(written(format, tmp_path), tmp_path) as tab:
        assert f"Importing as {importer}" in tab.messages
        assert tab.complaints == []


@pytest.mark.needs("chromium")
def test_a_browser_draws_the_page(tmp_path: Path) -> None:
    from tests.support.chromium import Chromium

    with Chromium() as chromium:
        tab = chromium.open(written("html", tmp_path).as_uri())
        assert tab.complaints == []
        assert "70.0 ms" in tab.evaluate("document.body.innerText")
