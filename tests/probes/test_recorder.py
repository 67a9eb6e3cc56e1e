"""The flight recorder on the cache's side: what it publishes, what it refuses, and that it never raises."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from cache_core.event_codec import text_record
from cache_core.events import Label, NodeRemoved, Pool
from probes.errors import RingError
from probes.recorder import FlightRecorder, RecorderOptions
from probes.rings import ring
from probes.rings.reader import RingReader
from probes.rings.ring import RingShape
from tests.probes.conftest import MakeRecorder
from tests.support.raw import raw


def removed(number: int) -> tuple[int, ...]:
    """A record that carries a number."""
    return raw(NodeRemoved(number, number))


def read_all(reader: RingReader) -> list[tuple[int, object]]:
    """Everything a reader has to give."""
    found: list[tuple[int, object]] = []
    while True:
        blocks, _ = reader.read(64)
        if not blocks:
            return found
        for block in blocks:
            found += block.records()


def test_records_arrive_in_order_with_their_numbers(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    for number in range(1000):
        recorder.records.append(removed(number))
        if number % 7 == 0:
            recorder.flush()
    recorder.flush()
    assert read_all(RingReader(recorder.ring_path)) == [(n, NodeRemoved(n, n)) for n in range(1000)]


def test_a_flush_empties_the_list_that_the_emitter_holds(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    records = recorder.records
    records.append(removed(1))
    recorder.flush()
    assert recorder.records is records
    assert records == []


def test_many_waiting_records_take_several_blocks(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.records += [removed(n) for n in range(5000)]
    recorder.flush()
    reader = RingReader(recorder.ring_path)
    assert read_all(reader) == [(n, NodeRemoved(n, n)) for n in range(5000)]
    assert reader.header().word(ring.HEAD) > 1


def test_a_long_text_is_cut_to_a_block(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.records.append(text_record(Label, 3, "é" * 100_000))
    recorder.flush()
    [(_, label)] = read_all(RingReader(recorder.ring_path))
    assert isinstance(label, Label)
    assert 3000 < len(label.text) < 5000


def test_a_record_that_cannot_be_written_leaves_a_counted_gap(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.records += [removed(0), (18 | 2 << 16, 1 << 70, 0), removed(2)]
    recorder.flush()
    reader = RingReader(recorder.ring_path)
    assert read_all(reader) == [(0, NodeRemoved(0, 0)), (2, NodeRemoved(2, 2))]
    assert reader.lost_records == 1
    assert reader.header().word(ring.DROPPED) == 1


def test_pools_are_told_at_a_flush_even_when_nothing_else_waits(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.bind(pools=lambda: recorder.records.append(raw(Pool(1, 0, 2, 3, 4, 5))))
    recorder.flush()
    assert read_all(RingReader(recorder.ring_path)) == [(0, Pool(1, 0, 2, 3, 4, 5))]


def test_the_pools_as_they_are_at_the_end_are_told_by_close(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(pools_every_ns=10**15)
    held = [1]
    recorder.bind(pools=lambda: recorder.records.append(raw(Pool(1, 0, 2, 3, 4, held[0]))))
    recorder.flush()
    held[0] = 0
    reader = RingReader(recorder.ring_path)
    recorder.close()
    assert read_all(reader) == [(0, Pool(1, 0, 2, 3, 4, 1)), (1, Pool(1, 0, 2, 3, 4, 0))]


def test_a_flush_within_a_flush_loses_nothing(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()

    def emit_and_flush() -> None:
        recorder.records.append(removed(7))
        recorder.flush()

    recorder.bind(pools=emit_and_flush)
    recorder.flush()
    assert read_all(RingReader(recorder.ring_path)) == [(0, NodeRemoved(7, 7))]


def test_the_ring_is_private(make_recorder: MakeRecorder) -> None:
    path = make_recorder().ring_path
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.name == f"{os.getpid()}-0.ring"


def test_close_tells_the_readers_why_and_leaves_no_file(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    reader = RingReader(recorder.ring_path)
    recorder.records.append(removed(1))
    recorder.close("the workload is done")
    assert len(read_all(reader)) == 1
    assert reader.header().word(ring.ENDED) == 1
    assert reader.header().text(ring.END_REASON) == "the workload is done"
    assert list(recorder.ring_path.parent.iterdir()) == []


def test_a_closed_recorder_takes_and_forgets(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    recorder.close()
    recorder.records.append(removed(1))
    recorder.flush()
    assert recorder.records == []


def test_a_second_ring_needs_a_rank_of_its_own(make_recorder: MakeRecorder) -> None:
    make_recorder()
    with pytest.raises(RingError, match="rank of its own"):
        make_recorder()
    assert make_recorder(rank=1).ring_path.name == f"{os.getpid()}-1.ring"


def test_a_configuration_that_does_not_fit_is_refused_and_leaves_no_file(folder: Path) -> None:
    with pytest.raises(RingError, match="keep it below"):
        FlightRecorder({"text": "x" * 9000}, RecorderOptions(folder=folder))
    assert list(folder.iterdir()) == []


def test_a_forked_child_writes_nothing_and_removes_nothing(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder()
    child = os.fork()
    if child == 0:
        recorder.records.append(removed(1))
        recorder.flush()
        recorder.close("the child")
        os._exit(len(recorder.records))
    assert os.waitpid(child, 0)[1] == 0
    reader = RingReader(recorder.ring_path)
    assert read_all(reader) == []
    assert reader.header().word(ring.ENDED) == 0


LEAVES_IT_OPEN = """
import sys
from pathlib import Path
from probes.recorder import FlightRecorder, RecorderOptions
recorder = FlightRecorder({}, RecorderOptions(folder=Path(sys.argv[1]), recording=Path(sys.argv[2])))
assert recorder.ring_path.exists()
"""


def test_a_process_that_exits_without_closing_leaves_no_ring(folder: Path, tmp_path: Path) -> None:
    recording = tmp_path / "run.rtrec"
    subprocess.run([sys.executable, "-c", LEAVES_IT_OPEN, str(folder), str(recording)], check=True)
    assert list(folder.iterdir()) == []
    assert b"its process exited"[:8] in recording.read_bytes()


def test_a_small_ring_keeps_the_newest(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(shape=RingShape(slots=8, slot_words=64))
    for number in range(200):
        recorder.records.append(removed(number))
        recorder.flush()
    newest = read_all(RingReader(recorder.ring_path))
    assert newest[-1] == (199, NodeRemoved(199, 199))
    assert 5 <= len(newest) <= 7
