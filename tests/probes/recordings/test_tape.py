"""What a tape winds: the stream as it was, and at the beginning of every part the tree."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probes.adapters.shm import ShmAdapter
from probes.blocks import DELTAS, SNAPSHOT_BEGIN, SNAPSHOT_END
from probes.recorder import FlightRecorder, RecorderOptions
from probes.recordings import tape as tape_module
from probes.recordings.file_reel import FileReel
from probes.recordings.pace import SnapshotPace
from probes.recordings.recording import RecordingReader
from probes.recordings.reel import Reel
from probes.recordings.tape import Tape
from probes.recordings.triggered_reel import TriggeredReel
from probes.rings.ring import RingShape
from tests.probes.conftest import MakeRecorder
from tests.probes.test_mirror_converges import assert_same
from tests.support.published_tree import PublishedTree
from tests.support.recorded_tree import recorded_mirror

TINY = RingShape(slots=16, slot_words=64)
ODD = 20_011


class Source(PublishedTree):
    """A published toy tree, and a tape on it."""

    def tape(self, reel: Reel) -> Tape:
        return Tape(ShmAdapter(os.getpid(), folder=self.recorder.ring_path.parent), reel)

    def settle(self, tape: Tape) -> None:
        """Let writer and reader take turns until neither has anything left."""
        for _ in range(300):
            self.recorder.flush()
            if not tape.turn() and not tape.is_stating and tape.state().state == "live":
                return
        raise AssertionError(f"not settled: {tape.state()}")


@pytest.fixture
def make_source(make_recorder: MakeRecorder) -> Callable[..., Source]:
    """Returns sources whose snapshot slices are as short as can be and never wait."""

    def make(seed: int, **options: object) -> Source:
        return Source(make_recorder(**{"slice_ns": 0, "slice_share": 1.0, **options}), seed)

    return make


@pytest.fixture(autouse=True)
def short_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree is stated in slices that are as short as can be."""
    monkeypatch.setattr(tape_module, "STATE_NS", 0)


def kinds(path: Path) -> list[int]:
    return [block.kind for block in RecordingReader(path).blocks()]


def test_a_stream_from_its_start_is_copied_block_by_block(make_source: Callable[..., Source], tmp_path: Path) -> None:
    original, copy = tmp_path / "original", tmp_path / "copy"
    source = make_source(1, recording=original, snapshot_every_ns=0)
    reel = FileReel(copy, {})
    tape = source.tape(reel)
    source.step(200)
    source.settle(tape)
    reel.close("done", 0)
    source.recorder.close("done")
    of_stream = [block for block in RecordingReader(original).blocks() if block.kind == DELTAS]
    assert [*RecordingReader(copy).blocks()] == of_stream
    assert reel.records == of_stream[-1].end_seq


@pytest.mark.parametrize("seed", range(8))
def test_a_tape_that_comes_late_begins_with_the_tree(
    make_source: Callable[..., Source], tmp_path: Path, seed: int
) -> None:
    source = make_source(seed, shape=TINY)
    source.step(100)
    reel = FileReel(tmp_path / "run", {})
    tape = source.tape(reel)
    for _ in range(20):
        source.step(2)
        tape.turn()
    source.settle(tape)
    reel.close("done", 0)
    assert_same(recorded_mirror(tmp_path / "run"), source.tree)
    first, *others = kinds(tmp_path / "run")
    assert (first, others.count(SNAPSHOT_BEGIN), others.count(SNAPSHOT_END)) == (SNAPSHOT_BEGIN, 0, 1)


def test_what_a_dead_process_left_is_kept_though_its_tree_is_unknown(
    make_source: Callable[..., Source], tmp_path: Path
) -> None:
    source = make_source(3, shape=TINY)
    source.step(100)
    adapter = ShmAdapter(os.getpid(), folder=source.recorder.ring_path.parent)
    source.recorder.close("done")
    reel = FileReel(tmp_path / "run", {})
    tape = Tape(adapter, reel)
    while tape.turn():
        pass
    reel.close("done", 0)
    assert reel.records > 10
    assert set(kinds(tmp_path / "run")) == {DELTAS}


@pytest.mark.parametrize("seed", range(8))
def test_what_was_lost_is_a_gap_and_the_tree_is_told_after_it(
    make_source: Callable[..., Source], tmp_path: Path, seed: int
) -> None:
    source = make_source(seed, shape=TINY)
    reel = FileReel(tmp_path / "run", {})
    tape = source.tape(reel)
    for burst in (5, 300, 3, 80):
        source.step(burst)
        tape.turn()
    source.settle(tape)
    reel.close("done", 0)
    assert_same(recorded_mirror(tmp_path / "run"), source.tree)
    gaps = expected = 0
    for block in RecordingReader(tmp_path / "run").blocks():
        gaps += max(block.first_seq - expected, 0)
        expected = block.end_seq
    assert gaps == tape.state().dropped_records > 100


@given(seed=st.integers(0, 2**32), pace=st.floats(0.2, 0.9), limit=st.integers(4_000, ODD))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_newest_file_of_a_rotation_holds_the_whole_tree_whatever_was_lost(
    folder: Path, tmp_path: Path, seed: int, pace: float, limit: int
) -> None:
    options = RecorderOptions(folder=folder, shape=TINY, slice_ns=0, slice_share=1.0)
    recorder = FlightRecorder({}, options)
    try:
        source = Source(recorder, seed)
        reel = FileReel(tmp_path / "run", {}, limit, keep=2)
        tape = source.tape(reel)
        rng = random.Random(seed)
        for _ in range(250):
            if rng.random() < pace:
                source.step(rng.choice([1, 1, 2, 20]))
            else:
                tape.turn()
        source.settle(tape)
        reel.close("done", 0)
        assert_same(recorded_mirror(tmp_path / "run"), source.tree)
        assert_same(tape.mirror, source.tree)
        if len(reel.files) > 1:
            before = RecordingReader(reel.files[1])
            assert [*before.blocks()]
            assert (before.ending, before.closed_reason) == ("", "the recording goes on in the next file")
    finally:
        recorder.close()


def test_every_next_file_begins_with_a_tree_that_the_writer_was_not_asked_for(
    make_source: Callable[..., Source], tmp_path: Path, folder: Path
) -> None:
    source = make_source(3)
    reel = FileReel(tmp_path / "run", {}, ODD, keep=100)
    tape = source.tape(reel)
    for _ in range(100):
        source.step(10)
        tape.turn()
    source.settle(tape)
    reel.close("done", 0)
    *later, first = reel.files
    assert len(later) > 2
    assert kinds(first)[0] == DELTAS
    for path in later:
        assert (kinds(path)[0], kinds(path).count(SNAPSHOT_END)) == (SNAPSHOT_BEGIN, 1)
        times = [block.flushed_at for block in RecordingReader(path).blocks() if block.kind <= SNAPSHOT_END]
        assert times == sorted(times)
    assert list(folder.glob("*.snapshot")) == []


def test_what_a_trigger_keeps_begins_with_the_tree(make_source: Callable[..., Source], tmp_path: Path) -> None:
    source = make_source(4)
    reel = TriggeredReel(keep_ns=1, limit_bytes=10**9)
    tape = source.tape(reel)
    for _ in range(40):
        source.step(5)
        tape.turn()
    reel.record_to(tmp_path / "run", {}, "enough")
    source.step(30)
    source.settle(tape)
    reel.finish(0)
    first = next(RecordingReader(tmp_path / "run").blocks())
    assert (first.kind, first.first_seq > 100) == (SNAPSHOT_BEGIN, True)
    assert_same(recorded_mirror(tmp_path / "run"), source.tree)


def test_a_statement_that_is_overtaken_by_a_loss_is_left(make_source: Callable[..., Source], tmp_path: Path) -> None:
    source = make_source(5, shape=TINY)
    reel = FileReel(tmp_path / "run", {}, 8_000, keep=50)
    tape = source.tape(reel)
    while not tape.is_stating:
        source.step(1)
        tape.turn()
    source.step(100)
    source.settle(tape)
    reel.close("done", 0)
    assert tape.state().dropped_records > 0
    assert_same(recorded_mirror(tmp_path / "run"), source.tree)


def test_a_long_file_tells_the_tree_again(
    make_source: Callable[..., Source], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tape_module, "SnapshotPace", lambda *_: SnapshotPace(1, share=1e9))
    source = make_source(6)
    reel = FileReel(tmp_path / "run", {})
    tape = source.tape(reel)
    for _ in range(60):
        source.step(5)
        tape.turn()
    source.settle(tape)
    reel.close("done", 0)
    assert kinds(tmp_path / "run").count(SNAPSHOT_END) > 2
    assert_same(recorded_mirror(tmp_path / "run"), source.tree)
