"""A recording with damage: every command that reads one says in a line what is missing; of a whole one none does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probes.blocks import DELTAS
from radixtop import cli
from tests.support.faults.make import make
from tests.support.taped import cut

COMMANDS = {
    "replay": ("replay", "FILE"),
    "compare": ("compare", "FILE", "--vary", "policy=lru", "--no-references", "--workers", "1"),
    "curve": ("compare", "FILE", "--curve", "--workers", "1"),
    "why": ("why", "FILE", "--no-what-if"),
    "explain": ("explain", "3", "FILE"),
    "evict": ("profile", "evict", "FILE"),
    "ages": ("profile", "ages", "FILE"),
    "branching": ("profile", "branching", "FILE"),
    "tenants": ("profile", "tenants", "FILE"),
    "play": ("play", "FILE", "--headless"),
    "once": ("play", "FILE", "--once"),
}
WITHOUT_JSON = {
    "flame": ("profile", "flame", "FILE", "--format", "collapsed"),
    "export": ("profile", "export", "FILE", "--format", "csv", "--table", "events"),
    "diff": ("profile", "diff", "FILE", "FILE"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(("branching",), 1, "mild", tmp_path_factory.mktemp("damage") / "run.rtrec")


@pytest.fixture(scope="module")
def torn(whole: Path) -> Path:
    """The same with a bit of some blocks in its middle the other way round."""
    raw, blocks = bytearray(whole.read_bytes()), cut(whole)
    deltas = blocks.numbers(DELTAS)
    middle = len(deltas) // 2
    for number in deltas[middle : middle + 5]:
        at = len(blocks.header) + sum(len(block) for _, block in blocks.blocks[:number])
        raw[at + len(blocks.blocks[number][1]) // 2] ^= 4
    return _written(whole, "torn", raw)


@pytest.fixture(scope="module")
def overrun(whole: Path) -> Path:
    """The same without some blocks in its middle, as one has it who reads too slowly."""
    blocks = cut(whole)
    deltas = blocks.numbers(DELTAS)
    gone = set(deltas[len(deltas) // 3 : len(deltas) // 3 + 9])
    kept = (block for number, (_, block) in enumerate(blocks.blocks) if number not in gone)
    return _written(whole, "overrun", blocks.header + b"".join(kept))


@pytest.fixture(scope="module")
def killed(whole: Path) -> Path:
    """The first two thirds of it, as one has it whose writer was killed."""
    raw = whole.read_bytes()
    return _written(whole, "killed", raw[: len(raw) * 2 // 3])


def _written(whole: Path, name: str, raw: bytes | bytearray) -> Path:
    path = whole.with_name(f"{name}.rtrec")
    path.write_bytes(raw)
    return path


Told = Callable[..., tuple[str, list[str]]]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    def run(arguments: tuple[str, ...], file: Path, *more: str) -> tuple[str, list[str]]:
        capsys.readouterr()
        assert cli.main([str(file) if word == "FILE" else word for word in (*arguments, *more)]) == 0
        said = capsys.readouterr()
        return said.out, said.err.splitlines()

    return run


@pytest.mark.parametrize("name", WITHOUT_JSON)
def test_what_is_missing_is_said_in_one_line_that_names_the_time(name: str, torn: Path, told: Told) -> None:
    _, said = told(WITHOUT_JSON[name], torn)
    _assert_one_line(said)


def _assert_one_line(said: list[str]) -> None:
    lines = {line for line in said if "damaged blocks left out" in line}
    assert len(lines) == 1
    assert "records missing between" in lines.pop()


@pytest.mark.parametrize("name", COMMANDS)
def test_the_document_has_what_is_missing_as_well(name: str, torn: Path, told: Told) -> None:
    text, said = told(COMMANDS[name], torn, "--json")
    _assert_one_line(said)
    missing = _missing(text)
    assert missing["torn_blocks"] == 5
    assert missing["records"] > 0 and 0 < missing["from_ns"] < missing["to_ns"]


def _missing(text: str) -> Any:
    document = json.loads(text)
    return (
        document["trace"]["missing"]
        if document.get("report") in ("compare", "capacity_curve")
        else document["missing"]
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_of_a_whole_recording_nothing_is_said(name: str, whole: Path, told: Told) -> None:
    text, said = told(COMMANDS[name], whole, "--json")
    assert _missing(text) is None
    assert [line for line in said if "missing" in line or "left out" in line] == []
    if name == "compare":
        _assert_off(json.loads(text))


def _assert_off(document: dict[str, Any]) -> None:
    trace, row = document["trace"], document["rows"][0]
    off = 100 * (row["hit_rate"] - trace["recorded"]["hit_rate"])
    assert trace["replayed_points_off"] == pytest.approx(off, abs=0.01)


def _findings(text: str) -> dict[str, Any]:
    return {finding["name"]: finding for finding in json.loads(text)["findings"]}


def test_findings_are_less_sure_where_records_are_missing(whole: Path, overrun: Path, told: Told) -> None:
    sure = _findings(told(COMMANDS["why"], whole, "--json")[0])["branching_off"]["confidence"]
    less = _findings(told(COMMANDS["why"], overrun, "--json")[0])["branching_off"]["confidence"]
    assert [each["level"] for each in (sure, less)] in (["sure", "likely"], ["likely", "guess"])
    assert less["reason"].endswith("missing")


def test_no_gain_is_claimed_where_requests_may_be_missing(overrun: Path, told: Told) -> None:
    text = told(("why", "FILE"), overrun, "--json")[0]
    finding = _findings(text)["branching_off"]
    assert finding["gain"] is None
    assert finding["gain_refused"].startswith("requests may be missing, ")


def test_what_a_killed_writer_left_is_as_good_as_it_is_long(killed: Path, told: Told) -> None:
    text, said = told(("why", "FILE"), killed, "--json")
    assert any("cut short" in line or "was killed" in line for line in said)
    finding = _findings(text)["branching_off"]
    assert finding["gain"]["points"] > 5
    assert "missing" not in finding["confidence"]["reason"]
