"""`radixtop profile diff`: two recordings or two moments of one, and one clear error for what cannot be meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cache_core.events import NodeAdded, Record
from probes.blocks import encode_block, open_block
from probes.recordings.writer import RecordingWriter
from profiles.diff.format import DIFF_FORMATS
from radixtop import cli
from tests.support.raw import raw
from tests.support.tree_script import Script

SECOND = 1_000_000_000


def record(path: Path, *steps: tuple[float, Script]) -> Path:
    """Write a recording of scripts: what each added until it was done, at a time in seconds."""
    records: list[Record] = []
    for seconds, script in steps:
        for each in script.records[len(records) :]:
            at = {"at": round((100 + seconds) * SECOND)} if hasattr(each, "at") else {}
            records.append(each._replace(**at))
    writer = RecordingWriter(path, {"workload": "mixed", "components": ["full"]})
    writer.append(encode_block(open_block(1, 0, 100 * SECOND), [raw(each) for each in records]))
    writer.close("done", 0)
    return path


def script(*texts: str) -> Script:
    made = Script()
    for text in texts:
        made.insert(text)
    return made


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """aaaa is there from the start, bbb comes after 10 s and goes after 20, cc comes after 20."""
    later = script("aaaa", "bbb")
    last = script("aaaa", "bbb")
    last.evict("bbb")
    last.insert("cc")
    return record(tmp_path / "run.radixtop", (0, script("aaaa")), (10, later), (20, last))


def diff(*arguments: object) -> int:
    return cli.main(["profile", "diff", *map(str, arguments)])


def balance(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, int]:
    assert diff(*arguments, "--format", "json") == 0
    found: dict[str, int] = json.loads(capsys.readouterr().out)["balance"]["tokens"]
    return {key: found[key] for key in ("before", "after", "grown", "shrunk")}


@pytest.mark.parametrize(
    ("moments", "expected"),
    [
        (("--from", "0s", "--to", "10s"), (4, 7, 3, 0)),
        (("--from", "10s", "--to", "20s"), (7, 6, 2, 3)),
        (("--from", "10.5s", "--to", "end"), (7, 6, 2, 3)),
        (("--to", "15s"), (4, 7, 3, 0)),
        (("--from", "15000ms"), (7, 6, 2, 3)),
        (("--from", "end", "--to", "0"), (6, 4, 0, 2)),
        (("--from", "10s", "--to", "10s"), (7, 7, 0, 0)),
    ],
)
def test_moments_of_a_recording_are_compared(
    run: Path, moments: tuple[str, ...], expected: tuple[int, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert tuple(balance(capsys, run, *moments).values()) == expected


def test_moments_count_from_the_start_of_a_recording_whose_tree_is_older(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stated = Script()
    stated.records = [each for each in script("aaaa").records if isinstance(each, NodeAdded)]
    later = script("aaaa", "bbb")
    moved = Script()
    moved.records = [*stated.records, *later.records[len(script("aaaa").records) :]]
    last = script("aaaa", "bbb", "cc")
    ended = Script()
    ended.records = [*moved.records, *last.records[len(later.records) :]]
    run = record(tmp_path / "run.radixtop", (-90, stated), (0, moved), (10, ended))
    expected = {"before": 7, "after": 9, "grown": 2, "shrunk": 0}
    assert balance(capsys, run, "--from", "5s", "--to", "10s") == expected


def test_a_moment_after_the_end_is_the_end_and_said_to_be(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(run, "--from", "15s", "--to", "2m") == 0
    said = capsys.readouterr()
    assert said.out.startswith("mixed at 15s -> mixed at 2m\nresident tokens: 7 -> 6 (-1)\n")
    assert "ends 20.0 s after its start, before 2m" in said.err


def test_two_recordings_are_compared_under_their_names(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = record(tmp_path / "other.radixtop", (0, script("aaaa", "dd")))
    assert diff(run, other) == 0
    assert capsys.readouterr().out.startswith("run.radixtop -> other.radixtop\nresident tokens: 6 -> 6 (±0)\n")


def test_a_recording_does_not_differ_from_itself(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff(run, run) == 0
    assert capsys.readouterr().out.endswith("no frame differs\n")


@pytest.mark.parametrize("format", DIFF_FORMATS)
def test_every_format_is_written_to_a_file(format: str, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert diff(run, "--to", "end", "--format", format, "-o", out) == 0
    assert out.stat().st_size > 10


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "two things make a difference"),
        (("FILE", "--to", "1s"), "two things make a difference"),
        (("--from", "soon"), "'soon' is no time"),
        (("--from", "-1s"), "'-1s' is no time"),
        (("--to", "1e400s"), "is no time"),
        (("--to", "end", "--weight", "luck"), "is not one of tokens"),
        (("--to", "end", "--format", "luck"), "is not one of table"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(
    arguments: tuple[str, ...], said: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert diff(run, *(str(run) if argument == "FILE" else argument for argument in arguments)) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("side", [0, 1])
def test_neither_recording_is_a_place_for_the_difference(side: int, run: Path, tmp_path: Path) -> None:
    other = record(tmp_path / "other.radixtop", (0, script("aaaa")))
    before = [path.read_bytes() for path in (run, other)]
    assert diff(run, other, "-o", (run, other)[side]) == 2
    assert [path.read_bytes() for path in (run, other)] == before
