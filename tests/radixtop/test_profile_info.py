"""`radixtop profile info`: what a recording is, in lines for a person and in one document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cache_core.events import FLUSH_RECORDS
from probes.blocks import CLOSED, encode_block, open_block
from probes.recordings.writer import RecordingWriter
from radixtop import cli
from tests.probes.test_recorder import removed
from tests.support.golden import assert_golden
from tests.support.long_recording import write_long
from tests.support.taped import cut

GOLDEN = Path(__file__).parent / "goldens" / "profile_info.txt"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "run.radixtop"
    write_long(path, 30_000, snapshot_every=8_000)
    return path


def shown(path: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    assert cli.main(["profile", "info", str(path), *flags]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def document(path: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(shown(path, capsys, "--json", *flags))
    return found


def test_the_lines_for_a_person(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_golden(shown(path, capsys).replace(str(path.parent), ""), GOLDEN)


def test_the_document_says_the_same(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(path, capsys)
    assert (found["recorded_from"], found["duration_s"]) == ("2023-11-14T22:30:00.000Z", 0.3386)
    records, damage = found["records"], found["damage"]
    assert isinstance(records, dict) and isinstance(damage, dict)
    assert sum(records["kinds"].values()) == records["total"] >= 30_000
    assert records["per_s"] == pytest.approx(records["total"] / found["duration_s"])
    assert found["ended"] == {"how": "closed", "reason": "the workload is done"}
    assert damage == {
        "lost_records": 0, "torn_blocks": 0, "unordered_blocks": 0, "unread_bytes": 0, "every_block_was_read": False,
    }  # fmt: skip
    assert found["pools"]["full"] == {"free": 1_000, "evictable": 98_000, "protected": 1_000, "held": 0}  # type: ignore[index]


def test_a_killed_writer_leaves_the_same_but_an_end(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    closed = document(path, capsys)
    file = cut(path)
    [end] = file.numbers(CLOSED)
    file.rewrite(lambda number: number < end)
    killed = document(path, capsys)
    for key in ("records", "snapshots", "pools", "recorded_from", "recorded_to"):
        assert killed[key] == closed[key]
    assert killed["ended"]["how"] == "killed"  # type: ignore[index]


def test_a_recording_under_way_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    writer = RecordingWriter(tmp_path / "run.radixtop", {})
    for number in range(9):
        run = [removed(number)] * FLUSH_RECORDS
        writer.append(encode_block(open_block(0, number * FLUSH_RECORDS, number), run))
    found = document(writer.path, capsys)
    assert found["ended"] == {"how": "written", "reason": "a process records to it"}
    assert found["records"]["kinds"] == {"NodeRemoved": 9 * FLUSH_RECORDS}  # type: ignore[index]
    assert found["recorded_from"] is None  # no moment is known on both clocks
    assert "snapshots   none\n" in shown(writer.path, capsys)
    writer.close("", 0)


def test_damage_inside_is_found_by_reading_every_block(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    assert "damage      none; not every block was read, --check does that" in shown(path, capsys)
    assert "damage      1 damaged block" in shown(path, capsys, "--check")
    damage = document(path, capsys, "--check")["damage"]
    assert isinstance(damage, dict)
    assert (damage["torn_blocks"], damage["every_block_was_read"]) == (1, True)
