"""`radixtop record --on TRIGGER` on a real cache: nothing for a steady run, a file for a planted storm or drop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from probes.blocks import DELTAS, SNAPSHOT_BEGIN
from probes.recordings.recording import RecordingReader
from probes.trigger import TRIGGERS
from radixtop import cli
from tests.support.processes import until
from tests.support.recorded_tree import recorded_mirror
from tests.support.recorder_process import Record
from tests.support.storm_process import SECOND_NS, StormProcess

BOTH = ("--on", "eviction-storm", "--on", "hit-drop", "--after", "0.3s")


@pytest.fixture
def cache() -> Iterator[StormProcess]:
    """A cache on a clock of its own."""
    process = StormProcess()
    yield process
    process.end()


def span(path: Path) -> tuple[int, int]:
    """Return the first and the last second of the records in a file."""
    blocks = [block for block in RecordingReader(path).blocks() if block.kind == DELTAS]
    return blocks[0].flushed_at // SECOND_NS, blocks[-1].flushed_at // SECOND_NS


def test_a_steady_run_leaves_no_file(record: Record, cache: StormProcess, tmp_path: Path) -> None:
    recorder = record("-o", "run.rtrec", *BOTH, cache.target).begun()
    cache.load(150, 1000)
    ended = recorder.ended(signal.SIGINT)
    assert (ended.code, ended.document["files"], ended.document["triggers"]) == (0, [], [])
    assert "no trigger fired" in ended.said
    assert not (tmp_path / "run.rtrec").exists()


def test_a_storm_leaves_the_time_before_it_and_after(record: Record, cache: StormProcess, tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    recorder = record("-o", "run.rtrec", *BOTH, cache.target).begun()
    cache.load(100, 1000)
    cache.load(3, 20_000)
    until(path.exists, 20, "a file")
    cache.load(2, 1000)
    ended = recorder.ended()
    (firing,) = ended.document["triggers"]
    assert (ended.code, firing["name"], firing["file"]) == (0, "eviction-storm", "run.rtrec")
    assert "tokens a second evicted of full" in firing["reason"]
    assert f"eviction-storm: {firing['reason']}" in ended.said
    first, last = span(path)
    assert 1000 + 103 - 65 < first < 1000 + 103 - 29
    assert last >= 1000 + 102
    reader = RecordingReader(path)
    assert next(reader.blocks()).kind == SNAPSHOT_BEGIN
    assert reader.config["trigger"] == {key: firing[key] for key in ("name", "reason", "at")}
    assert [*reader.blocks()] and firing["reason"] in (reader.closed_reason or "")


def test_a_drop_of_the_hit_rate_is_kept(record: Record, cache: StormProcess, tmp_path: Path) -> None:
    recorder = record("-o", "run.rtrec", "--on", "hit-drop", "--after", "0.1s", cache.target).begun()
    cache.load(1, 100)
    cache.load(60, 1000, "reuse")
    cache.load(8, 1000)
    (firing,) = recorder.ended().document["triggers"]
    assert firing["name"] == "hit-drop"
    assert firing["reason"].startswith("hit rate ")


def test_again_waits_for_the_next_one_and_numbers_the_files(
    record: Record, cache: StormProcess, tmp_path: Path
) -> None:
    recorder = record("-o", "run.rtrec", *BOTH, "--again", cache.target).begun()
    for number in (1, 2):
        cache.load(100, 1000)
        cache.load(3, 20_000)
        until((tmp_path / f"run-{number}.rtrec").exists, 20, "a file")
        until(lambda count=number: closed(tmp_path / f"run-{count}.rtrec"), 20, "its end")
    cache.load(1, 1000)
    ended = recorder.ended(signal.SIGTERM)
    assert ended.document["files"] == ["run-1.rtrec", "run-2.rtrec"]
    assert [firing["file"] for firing in ended.document["triggers"]] == ended.document["files"]
    assert next(RecordingReader(tmp_path / "run-2.rtrec").blocks()).kind == SNAPSHOT_BEGIN
    assert recorded_mirror(tmp_path / "run-2.rtrec", ("full",)).census.nodes > 100


def closed(path: Path) -> bool:
    """Say whether a recording is whole; one that has just been made has no header yet."""
    if not path.stat().st_size:
        return False
    reader = RecordingReader(path)
    return bool([*reader.blocks()]) and reader.closed_reason is not None


def test_memory_is_bounded_by_the_size_that_is_asked_for(record: Record, cache: StormProcess, tmp_path: Path) -> None:
    limits = ("--max-size", "600kB", "--keep-seconds", "1000")
    recorder = record("-o", "run.rtrec", *BOTH, *limits, cache.target).begun()
    cache.load(200, 1000)
    cache.load(3, 20_000)
    until((tmp_path / "run.rtrec").exists, 20, "a file")
    ended = recorder.ended()
    assert ended.document["bytes"] <= 600_000
    first, last = span(tmp_path / "run.rtrec")
    assert last - first < 203


def test_thresholds_are_taken_from_the_command_line(record: Record, cache: StormProcess) -> None:
    order = "eviction-storm:factor=50,tokens=1000000"
    recorder = record("--on", order, cache.target).begun()
    cache.load(60, 1000)
    cache.load(5, 20_000)
    assert recorder.ended(signal.SIGINT).document["triggers"] == []


def test_the_help_says_what_each_threshold_means(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["record", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for name in TRIGGERS:
        for key, known in TRIGGERS.load(name).thresholds.items():
            assert f"{key}={known.default:g} ({known.meaning})" in shown
