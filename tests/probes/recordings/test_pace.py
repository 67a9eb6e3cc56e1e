"""When a recording gets a snapshot again: not too soon, not too dear, never more of them than of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from cache_core.events import RawRecord
from probes.blocks import SNAPSHOT_BEGIN, SNAPSHOT_END
from probes.recorder import FlightRecorder, RecorderOptions
from probes.recordings.pace import NEVER, SnapshotPace
from probes.recordings.recording import RecordingReader
from tests.probes.test_recorder import removed
from tests.probes.test_shm_adapter import Clock

MS, S = 10**6, 10**9
NODES = 100
MakeTaped = Callable[..., FlightRecorder]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make_taped(folder: Path, tmp_path: Path, clock: Clock) -> Iterator[MakeTaped]:
    """Makes a recorder with a recording on that clock; a snapshot of its cache takes 20 ms."""
    made = []

    def walk() -> Iterator[RawRecord]:
        clock.now += 20 * MS
        return iter([removed(node) for node in range(NODES)])

    def make(**options: object) -> FlightRecorder:
        options = {"slice_ns": S, "slice_share": 1.0, **options}
        recorder = FlightRecorder(
            {}, RecorderOptions(folder=folder, recording=tmp_path / "run.rtrec", **options), clock  # type: ignore[arg-type]
        )  # fmt: skip
        recorder.bind(snapshot=walk)
        made.append(recorder)
        return recorder

    yield make
    for recorder in made:
        recorder.close()


def run(recorder: FlightRecorder, clock: Clock, seconds: int, records: int) -> None:
    """Let time pass, a flush a second, each of so many records."""
    for number in range(seconds):
        clock.now += S
        recorder.records += [removed(number)] * records
        recorder.flush()


def snapshots(recorder: FlightRecorder) -> list[int]:
    """The times, in seconds, at which snapshots were begun; each must have an end."""
    assert recorder.options.recording is not None
    heads = [head for _, head in RecordingReader(recorder.options.recording).heads()]
    begun = [head.flushed_at // S for head in heads if head.kind == SNAPSHOT_BEGIN]
    assert len(begun) == sum(head.kind == SNAPSHOT_END for head in heads)
    return begun


def test_a_busy_cache_is_stated_every_thirty_seconds(make_taped: MakeTaped, clock: Clock) -> None:
    recorder = make_taped()
    run(recorder, clock, 100, records=50)
    assert snapshots(recorder) == [1, 31, 61, 91]


def test_a_dear_snapshot_waits_until_it_is_one_percent_of_the_time(make_taped: MakeTaped, clock: Clock) -> None:
    recorder = make_taped(snapshot_every_ns=S, snapshot_share=0.001)  # 20 ms of 20 s
    run(recorder, clock, 65, records=50)
    assert snapshots(recorder) == [1, 21, 41, 61]


def test_an_idle_cache_is_not_stated_over_and_over(make_taped: MakeTaped, clock: Clock) -> None:
    recorder = make_taped()
    run(recorder, clock, 200, records=0)
    assert snapshots(recorder) == [1]
    run(recorder, clock, 200, records=1)  # 72 bytes a second, and 2,544 for the nodes
    assert all(second - first > 34 for first, second in pairwise(snapshots(recorder)))


def test_without_a_period_the_first_snapshot_is_the_only_one(make_taped: MakeTaped, clock: Clock) -> None:
    recorder = make_taped(snapshot_every_ns=0)
    run(recorder, clock, 100, records=50)
    assert snapshots(recorder) == [1]
    assert recorder._pace.due_at == NEVER


def test_a_recording_that_stopped_gets_no_more(make_taped: MakeTaped, clock: Clock, tmp_path: Path) -> None:
    recorder = make_taped()
    run(recorder, clock, 5, records=50)
    recorder.stop_recording("enough")
    assert recorder._pace.due_at == NEVER
    run(recorder, clock, 50, records=50)
    assert snapshots(recorder) == [1]
    assert not recorder.snapshot_pending


def test_a_recording_that_stopped_within_its_snapshot_gets_no_more(make_taped: MakeTaped, clock: Clock) -> None:
    recorder = make_taped(slice_ns=0)
    recorder.flush()
    assert recorder.snapshot_pending
    recorder.stop_recording("enough")
    run(recorder, clock, 10, records=50)
    assert not recorder.snapshot_pending
    assert recorder._pace.due_at == NEVER


def test_it_is_due_after_its_time() -> None:
    pace = SnapshotPace(100, share=1)
    assert not pace.is_due(10**18, 0)
    pace.stated(1000, 0)
    assert [pace.is_due(at, 0) for at in (1099, 1100)] == [False, True]


def test_what_took_long_comes_less_often() -> None:
    pace = SnapshotPace(100, share=0.05)
    pace.stated(1000, 0, spent_ns=50)
    assert [pace.is_due(at, 0) for at in (1999, 2000)] == [False, True]


def test_as_many_bytes_are_written_between_as_it_took() -> None:
    pace = SnapshotPace(100, share=1)
    pace.stated(1000, 7, stated_bytes=500)
    assert [pace.is_due(5000, size) for size in (506, 507)] == [False, True]
