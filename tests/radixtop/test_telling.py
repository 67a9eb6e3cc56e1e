"""One moment as text or JSON, a line a look, and what happens where stdout is no terminal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import radixtop
from cache_core import CacheConfig, PrefixCache
from radixtop import cli
from radixtop.bench.terminal import Terminal
from radixtop.reports.report import SCHEMA
from radixtop.screenless.glance import page_size
from radixtop.view import VIEW_KEYS, VIEWS
from tests.support.recorded import random_steps, record_run

CONFIG = CacheConfig(components=("full", "swa"), window=8, full_slots=400, swa_slots=200)


@pytest.fixture(autouse=True)
def _page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may say how large a page is."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LINES", "48")


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a small cache, made without an engine."""
    return record_run(tmp_path_factory.mktemp("told") / "small.rtrec", CONFIG, random_steps(300))


def test_a_moment_is_the_screen_as_plain_text(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(recording), "--once", "--view", "tree"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[0].startswith(" radixtop  small.rtrec")
    assert "at the end, done" in lines[0]
    assert "inf" not in lines[0]
    assert lines[2].startswith(" biggest: ")
    assert any(re.search(r"prefix.+tokens", line) for line in lines)
    assert "\x1b" not in shown.out
    assert "quit" not in shown.out
    assert shown.err == ""


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_told(view: str, recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(recording), "--once", "--view", view]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{VIEW_KEYS[view]}{view}" in lines[1].replace(" ", "")
    assert sum(len(line) > 20 for line in lines) > (1 if view == "fleet" else 10)  # of one cache there is none


def test_where_stdout_is_no_terminal_a_moment_is_told(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(recording), "--ascii"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert "hit rate" in out


def test_a_moment_as_json_is_one_document(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(recording), "--once", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["schema"] == SCHEMA
    assert said["source"] == {"name": "small.rtrec", "state": "replay", "message": "at the end, done"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", said["at"])
    assert said["pools"]["full"]["total"] == 400
    assert said["records"] > 300
    assert [size["slots"] for size in said["capacity"]["total"]["sizes"]] == [100, 200, 400, 800, 1600]
    assert 0 < said["capacity"]["total"]["measured_hit_tokens"] <= said["capacity"]["total"]["queried_tokens"]


def test_a_stream_is_a_line_of_json_at_every_look(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(recording), "--json", "--watch", "--interval", "0.04", "--speed", "1"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["schema"] for each in told] == [SCHEMA] * len(told)
    assert len(told) > 0
    assert [each["records"] for each in told] == sorted(each["records"] for each in told)
    assert told[-1]["source"]["message"].endswith("at the end, done")


def test_an_attached_cache_is_told_of_once_it_is_whole(
    publisher: subprocess.Popen[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["attach", str(publisher.pid), "--once", "--json", "--interval", "0.05"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["nodes"]["tokens"] == 300
    assert said["source"]["state"] == "live"


def test_a_stream_of_a_cache_that_lives_lasts_as_long_as_was_asked(
    publisher: subprocess.Popen[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        cli.main(["attach", str(publisher.pid), "--json", "--watch", "--interval", "0.05", "--duration", "0.2"]) == 0
    )
    assert len(capsys.readouterr().out.splitlines()) >= 2


def test_a_stream_whose_reader_left_ends_quietly(recording: Path) -> None:
    command = [sys.executable, "-m", "radixtop", "play", str(recording), "--json", "--watch", "--interval", "0.05"]
    with subprocess.Popen(
        [*command, "--speed", "0.01"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["schema"] == SCHEMA
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


def test_a_stream_that_nobody_can_read_ends_at_once(publisher: subprocess.Popen[bytes]) -> None:
    command = 'exec "$0" -m radixtop attach "$1" --json --watch >&-'
    ended = subprocess.run(
        ["sh", "-c", command, sys.executable, str(publisher.pid)], capture_output=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_cache_that_never_answers_is_told_of_as_far_as_it_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("radixtop.session.Session.patience_s", 0.1)
    recorder = radixtop.attach(PrefixCache(CacheConfig(components=("full",), full_slots=1000)))
    try:
        assert cli.main(["attach", str(os.getpid()), "--once", "--json", "--interval", "0.05"]) == 1
    finally:
        recorder.close()
    shown = capsys.readouterr()
    said = json.loads(shown.out)
    assert (said["source"]["state"], said["nodes"]) == ("starting", None)
    assert "told nothing whole" in shown.err


def test_a_target_that_is_not_there_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["attach", f"shm:{os.getpid()}", "--once"]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "publishes" in shown.err or "no" in shown.err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--watch"], "--watch does nothing without --json"),
        (["--once", "--watch", "--json"], "leave one of them out"),
        (["--once", "--headless"], "--headless reports at the end"),
    ],
)
def test_flags_that_contradict_each_other_are_a_usage_error(
    flags: list[str], said: str, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["play", str(recording), *flags]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_draw_gets_plain_text(term: str, recording: Path) -> None:
    command = [sys.executable, "-m", "radixtop", "play", str(recording)]
    with Terminal(command, (80, 24), {"TERM": term}) as terminal:
        assert terminal.wait(60) == 0
    assert b"hit rate" in terminal.raw
    assert b"\x1b" not in terminal.raw


@pytest.mark.needs("torch")
def test_a_live_run_tells_a_moment_and_ends_its_worker() -> None:
    flags = ["--once", "--json", "--duration", "0.5", "--rate", "100"]  # a rate at which no reader falls behind
    command = [sys.executable, "-m", "tests.support.modelless_live", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    said = json.loads(ran.stdout)
    assert said["source"]["name"] == "live mixed"
    assert said["totals"]["admitted"] > 0


def test_a_page_has_an_end_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "1000000")
    monkeypatch.setenv("LINES", "50")
    assert page_size() == (1000, 50)
