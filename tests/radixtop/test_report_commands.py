"""`radixtop profile evict, branching, ages`: every output of each, and recordings that have nothing to say."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cache_core import CacheConfig
from profiles.report import REPORTS
from radixtop import cli
from tests.support.cache_runs import CONFIGS, CacheRun
from tests.support.golden import assert_golden
from tests.support.hostile import write_hostile
from tests.support.recorded import random_steps, record_run

GOLDENS = Path(__file__).parent / "goldens" / "reports"
FLAGS = {"evict": ["--compare"], "branching": ["--sort", "saved"], "ages": ["--by", "namespace"], "tenants": []}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording with everything in it."""
    path = tmp_path_factory.mktemp("reports") / "run.radixtop"
    return record_run(path, CONFIGS[2], random_steps(600))


def ran(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert cli.main(["profile", *map(str, arguments)]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_plain_text_of_80_columns(name: str, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ran(capsys, name, small, *FLAGS[name]).splitlines()
    assert len(lines) > 10
    assert [line for line in lines if len(line) > 80 or "\x1b" in line] == []


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_coloured_on_a_terminal_unless_told_not_to(
    name: str, small: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = ran(capsys, name, small)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" in coloured
    assert "\x1b" not in ran(capsys, name, small)


def shape(value: object, path: str = "") -> set[str]:
    """Return the path of every value of a document with its type, as far as it has one; items of lists share one."""
    if isinstance(value, dict):
        return set().union(*(shape(each, f"{path}.{_name(key, path)}") for key, each in value.items()))
    if isinstance(value, list):
        return set().union(*(shape(each, f"{path}[]") for each in value))
    kind = {"int": "number", "float": "number"}.get(type(value).__name__, type(value).__name__)
    return set() if value is None else {f"{path}: {kind}"}


def _name(key: str, path: str) -> str:
    return "*" if path.endswith(_NAMED) else key


_NAMED = (".freed_tokens", ".outcomes")
"""Mappings whose keys are names of the recording."""


@pytest.mark.parametrize("name", REPORTS)
def test_the_keys_of_a_document_stay(name: str, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(ran(capsys, name, small, *FLAGS[name], "--json"))
    assert (document["report"], document["version"]) == (name, 1)
    assert_golden("\n".join(sorted(shape(document))), GOLDENS / f"{name}.keys.txt")


def test_the_picture_is_an_svg_that_fetches_nothing(small: Path, tmp_path: Path) -> None:
    for flags in ([], ["--compare"]):
        out = tmp_path / "evict.svg"
        assert cli.main(["profile", "evict", str(small), *flags, "--format", "svg", "-o", str(out)]) == 0
        text = out.read_text("utf-8")
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.findall(".//{*}path[@class='cell a']")
        assert "prefers-color-scheme:dark" in text
        assert not any(word in text.replace("http://www.w3.org/2000/svg", "") for word in ("http", "<script", "url("))


def test_points_are_csv(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [*csv.DictReader(StringIO(ran(capsys, "branching", small, "--format", "csv", "--top", "5")))]
    assert len(rows) == 5
    assert {"opened_ns", "request", "position", "gap_tokens", "outcome", "saved_ms"} < set(rows[0])


NOTHING = {
    "evict": "Nothing was evicted",
    "branching": "No branching point was met",
    "ages": "Nothing was evicted and nothing was hit",
    "tenants": "Nobody asked for anything",
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_recording_in_which_nothing_happened_says_so(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = record_run(tmp_path / "idle.radixtop", CONFIGS[0], lambda run: None)
    assert NOTHING[name] in ran(capsys, name, path)
    ran(capsys, name, path, "--json")


def test_gaps_without_branching_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = record_run(tmp_path / "off.radixtop", replace(CONFIGS[2], branching=False), random_steps(300))
    assert "branching is off" in " ".join(ran(capsys, "branching", path).split())


@pytest.mark.parametrize("name", REPORTS)
def test_a_file_that_was_cut_is_reported_on_and_remarked(
    name: str, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.radixtop"
    cut.write_bytes(small.read_bytes()[: small.stat().st_size // 2])
    assert cli.main(["profile", name, str(cut)]) == 0
    assert "cut" in capsys.readouterr().err


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("seed", range(15))
def test_nonsense_drives_no_terminal(
    name: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hostile.radixtop"
    write_hostile(path, seed)
    text = ran(capsys, name, path)
    assert all(character.isprintable() for character in text.replace("\n", ""))
    if name == "evict":
        ElementTree.fromstring(ran(capsys, name, path, "--format", "svg"))


def test_a_limit_without_a_comparison_is_a_mistake(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", "evict", str(small), "--limit", "5"]) == 2
    assert "--compare" in capsys.readouterr().err


def test_what_is_no_cache_of_ours_is_not_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile.radixtop"
    write_hostile(path, 3)
    assert cli.main(["profile", "evict", str(path), "--compare"]) == 1
    assert "hint:" in capsys.readouterr().err


def test_a_report_is_not_written_over_its_recording(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", "ages", str(small), "-o", str(small)]) == 2


def evict_everything(run: CacheRun) -> None:
    run.admit()
    request = run.requests.pop()
    request.prefill(len(request.key))
    request.finish()
    run.cache.evict(full_tokens=1000)


def test_a_single_call_is_enough_for_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = record_run(tmp_path / "one.radixtop", CacheConfig(components=("full",), full_slots=200), evict_everything)
    assert "1 call" in ran(capsys, "evict", path)
    ran(capsys, "evict", path, "--compare")
    ran(capsys, "evict", path, "--format", "svg")
