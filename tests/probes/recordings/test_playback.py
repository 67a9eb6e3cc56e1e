"""A recording with snapshots: skipped by who has followed, taken after a gap, so that the tree is right again."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cache_core.events import CacheReset, NodeAdded
from probes.adapters.recording import RecordingAdapter
from probes.aggregator import Aggregator
from probes.blocks import DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END
from probes.builtin.tree_shape import TreeShapeSample
from probes.mirror import Mirror
from probes.recordings.playback import Playback
from probes.recordings.recording import RecordingReader
from probes.recordings.unpack import Unpacker
from profiles.recording import Recording
from tests.probes.test_mirror_agrees import assert_mirrors
from tests.support.cache_runs import CONFIGS, CacheRun
from tests.support.taped import Cut, RecordingSink, cut

SNAPSHOTS = 4
ROUNDS = 60

Taped = tuple[CacheRun, Cut]


def tape(path: Path, seed: int, config: int = 2) -> Taped:
    """Record a run with SNAPSHOTS snapshots, ROUNDS steps apart, each taken while it goes on."""
    sink = RecordingSink(path, dict(CONFIGS[config].describe()))
    run = CacheRun(CONFIGS[config], sink, seed)
    for _ in range(SNAPSHOTS):
        for number in range(ROUNDS):
            run.step()
            if number == ROUNDS // 3:
                sink.state(run.cache.snapshot_records)
            sink.flush()
        sink.finish()
    sink.writer.close("done", sink.now)
    return run, cut(path)


@pytest.fixture
def taped(tmp_path: Path) -> Taped:
    return tape(tmp_path / "run.rtrec", 5)


def played(path: Path) -> Aggregator:
    """Play a recording to its end."""
    adapter = RecordingAdapter(path, math.inf)
    aggregator = Aggregator(adapter)
    while not adapter.is_at_end:
        aggregator.tick(0)
    aggregator.tick(0)
    return aggregator


def mirrored(path: Path) -> Mirror:
    """The tree that the records of a recording lead to."""
    mirror = Mirror()
    with Recording(path) as recording:
        for record in recording.records():
            mirror.apply(record)
    return mirror


def resets(path: Path) -> int:
    """How often the tree is stated anew."""
    with Recording(path) as recording:
        return sum(1 for _ in recording.records({CacheReset}))


@pytest.mark.parametrize("seed", range(5))
def test_whole_recordings_lead_to_the_tree_both_ways(seed: int, tmp_path: Path) -> None:
    run, file = tape(tmp_path / "run.rtrec", seed, seed % len(CONFIGS))
    assert_mirrors(played(file.path).mirror, run.cache)
    assert_mirrors(mirrored(file.path), run.cache)


def test_only_the_first_snapshot_is_read_by_who_loses_nothing(taped: Taped) -> None:
    _, file = taped
    playback = Playback(RecordingReader(file.path), Unpacker())
    kinds = []
    while (piece := playback.next()) is not None:
        kinds.append(piece.head.kind)
    assert kinds.count(SNAPSHOT_BEGIN) == kinds.count(SNAPSHOT_END) == 1
    assert len(file.numbers(SNAPSHOT_BEGIN)) == SNAPSHOTS
    assert playback.tree_known


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("place", [0.1, 0.4, 0.7])
def test_after_a_gap_the_next_whole_snapshot_puts_the_tree_right(seed: int, place: float, tmp_path: Path) -> None:
    run, file = tape(tmp_path / "run.rtrec", seed, seed % len(CONFIGS))
    deltas = file.numbers(DELTAS)
    gone = range(deltas[int(place * len(deltas))], deltas[int(place * len(deltas)) + 9])
    file.rewrite(lambda number: number not in gone)
    aggregator = played(file.path)
    assert_mirrors(aggregator.mirror, run.cache)
    assert_mirrors(mirrored(file.path), run.cache)
    snapshot = aggregator.tick(0)
    assert snapshot.source.dropped_records > 0
    assert snapshot.source.tree_known
    assert "uncertain" not in snapshot.source.message
    assert snapshot.get(TreeShapeSample) is not None


def test_after_a_gap_the_state_says_since_when_the_tree_is_uncertain(taped: Taped) -> None:
    _, file = taped
    gone = file.numbers(DELTAS)[20]
    begun = set(file.numbers(SNAPSHOT_BEGIN)[1:])
    file.rewrite(lambda number: number != gone and number not in begun)
    snapshot = played(file.path).tick(0)
    assert not snapshot.source.tree_known
    assert "records are missing, the tree is uncertain since 0.0 s" in snapshot.source.message
    assert snapshot.get(TreeShapeSample) is None
    with Recording(file.path) as recording:
        assert sum(1 for _ in recording.records()) > 0
        [remark] = recording.remarks
    assert remark.endswith("s; the tree may be wrong from there on")


def test_a_snapshot_without_an_end_is_not_taken_after_a_gap(taped: Taped) -> None:
    run, file = taped
    gone = file.numbers(DELTAS)[30]
    ends = file.numbers(SNAPSHOT_END)[1:]
    file.rewrite(lambda number: number != gone and number not in ends)
    assert resets(file.path) == 0
    file.rewrite(lambda number: number != gone and number not in ends[:-1])
    assert resets(file.path) == 1
    assert_mirrors(mirrored(file.path), run.cache)


def test_a_torn_snapshot_is_followed_by_the_next_one(taped: Taped) -> None:
    run, file = taped
    lost = file.numbers(DELTAS)[1]
    slices = [n for n in file.numbers(SLICE) if n > file.numbers(SNAPSHOT_BEGIN)[1]]
    file.rewrite(lambda number: number != lost)
    raw = bytearray(file.path.read_bytes())
    at = len(file.header) + sum(len(block) for n, (_, block) in enumerate(file.blocks) if n < slices[0] and n != lost)
    raw[at + 60] ^= 1
    file.path.write_bytes(raw)
    assert_mirrors(mirrored(file.path), run.cache)


def test_blocks_that_come_twice_or_late_are_left_out(taped: Taped) -> None:
    run, file = taped
    blocks = [block for _, block in file.blocks]
    deltas = file.numbers(DELTAS)
    blocks.insert(deltas[50], blocks[deltas[10]])
    file.path.write_bytes(file.header + b"".join(blocks))
    assert_mirrors(mirrored(file.path), run.cache)
    with Recording(file.path) as recording:
        assert sum(1 for _ in recording.records()) > 0
        assert recording.remarks == ("1 block out of order left out",)


def test_records_of_some_kinds_are_the_same_as_those_among_all(taped: Taped) -> None:
    _, file = taped
    gone = file.numbers(DELTAS)[33]
    file.rewrite(lambda number: number != gone)
    with Recording(file.path) as recording:
        every = list(recording.records())
        for cls in {type(record) for record in every}:
            assert list(recording.records({cls})) == [record for record in every if type(record) is cls]
        assert list(recording.records({CacheReset, NodeAdded})) == [
            record for record in every if isinstance(record, CacheReset | NodeAdded)
        ]
        assert list(recording.records(())) == []


def test_reading_again_finds_the_same_though_the_file_grows(tmp_path: Path) -> None:
    sink = RecordingSink(tmp_path / "run.rtrec", dict(CONFIGS[2].describe()))
    run = CacheRun(CONFIGS[2], sink, 5)
    with Recording(write_rounds(run, sink)) as recording:
        before = list(recording.records())
        write_rounds(run, sink)
        sink.writer.close("done", sink.now)
        assert list(recording.records()) == before
    with Recording(sink.writer.path) as recording:
        assert len(list(recording.records())) > len(before)


def test_a_recording_under_way_says_so_and_counts_nothing_as_damage(tmp_path: Path) -> None:
    sink = RecordingSink(tmp_path / "run.rtrec", dict(CONFIGS[2].describe()))
    write_rounds(CacheRun(CONFIGS[2], sink, 5), sink)
    with sink.writer.path.open("ab") as file:
        file.write(cut(sink.writer.path).blocks[0][1][:100])  # a block that is only half there
    with Recording(sink.writer.path) as recording:
        assert list(recording.records())
        assert recording.remarks == ("a process still records to it; this is what was there",)
    sink.writer.close("done", sink.now)


def write_rounds(run: CacheRun, sink: RecordingSink) -> Path:
    for _ in range(ROUNDS):
        run.step()
        sink.flush()
    return sink.writer.path
