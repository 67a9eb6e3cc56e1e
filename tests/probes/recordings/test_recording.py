"""Recordings: written whole, readable after any end, and clear about files that are none."""

from __future__ import annotations

import gc
import os
import struct
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

from cache_core.event_codec import text_record
from cache_core.events import Label, NodeRemoved
from probes.adapters.shm import ShmAdapter
from probes.blocks import CLOSED, DELTAS, INDEX, TRAILER, decode_block, encode_block, open_block
from probes.errors import RecordingError
from probes.recordings.header import RECORDING_MAGIC, RECORDING_VERSION
from probes.recordings.outline import outline
from probes.recordings.recording import RecordingReader
from probes.recordings.writer import RecordingWriter
from tests.probes.conftest import MakeRecorder
from tests.probes.test_recorder import removed
from tests.support.full_disk import full_disk


def numbers(reader: RecordingReader) -> list[int]:
    """The numbers of the records in a recording, as far as it can be read."""
    return [record[0] for block in reader.blocks() for _, record in block.records() if type(record) is NodeRemoved]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A closed recording of five blocks with the numbers 0 to 4."""
    path = tmp_path / "run.rtrec"
    writer = RecordingWriter(path, {"page_size": 16})
    for number in range(5):
        writer.append(encode_block(open_block(number + 1, number, 100 * number), [removed(number)]))
    writer.close("done", 500)
    return path


def test_a_closed_recording_reads_back(recording: Path) -> None:
    reader = RecordingReader(recording)
    assert reader.config == {"page_size": 16}
    assert numbers(reader) == [0, 1, 2, 3, 4]
    assert (reader.ending, reader.closed_reason, reader.torn_blocks) == ("", "done", 0)


def test_kinds_are_counted_alike_with_and_without_the_records_at_hand(tmp_path: Path) -> None:
    found = []
    for name, is_given in (("given", True), ("looked-at", False)):
        writer = RecordingWriter(tmp_path / name, {})
        records = [removed(1), text_record(Label, 1, "x" * 50), (999 | 1 << 16, 5), removed(2)]
        assert writer.append(encode_block(open_block(1, 0, 0), records), records if is_given else None)
        assert (writer.records, writer.size_bytes) == (4, writer.path.stat().st_size)
        writer.close("", 0)
        found.append(outline(RecordingReader(writer.path)).kinds)
    assert found == [{18: 2, 65: 1, 999: 1}] * 2


def test_a_block_read_elsewhere_is_written_as_it_was(tmp_path: Path) -> None:
    raw = encode_block(open_block(7, 70, 3), [removed(1)])
    assert decode_block(raw).encode() == raw


def test_heads_tell_the_blocks_without_reading_them(recording: Path) -> None:
    heads = list(RecordingReader(recording).heads())
    assert [head.kind for _, head in heads] == [DELTAS] * 5 + [CLOSED, INDEX, TRAILER]
    assert [head.flushed_at for _, head in heads][:6] == [0, 100, 200, 300, 400, 500]
    reader = RecordingReader(recording)
    reader.rewind(heads[3][0])
    block = reader.next_block()
    assert block is not None
    assert block.first_seq == 3


def test_a_cut_recording_is_read_up_to_its_last_whole_block_and_says_so(recording: Path) -> None:
    whole = recording.read_bytes()
    offsets = [at for at, _ in RecordingReader(recording).heads()]
    for length in range(offsets[0], offsets[-1]):
        recording.write_bytes(whole[:length])
        reader = RecordingReader(recording)
        blocks_left = sum(at <= length for at in offsets[1:])
        assert numbers(reader) == list(range(min(blocks_left, 5)))
        whole_blocks = sum(at <= length for at in offsets)
        said = "cut short" if length not in offsets else "was not closed" if whole_blocks <= 6 else ""
        assert said in reader.ending, f"{length=}"
        assert bool(said) == bool(reader.ending), f"{length=}"


def test_every_cut_inside_the_header_is_an_error_that_says_so(recording: Path) -> None:
    whole = recording.read_bytes()
    start = next(RecordingReader(recording).heads())[0]
    for length in range(start):
        recording.write_bytes(whole[:length])
        with pytest.raises(RecordingError, match="cut short"):
            RecordingReader(recording)


def test_a_damaged_block_is_stepped_over_and_counted(recording: Path) -> None:
    whole = bytearray(recording.read_bytes())
    offsets = [at for at, _ in RecordingReader(recording).heads()]
    for place in (offsets[2], offsets[2] + 33, offsets[2] + 50):
        damaged = whole.copy()
        damaged[place] ^= 0x40
        recording.write_bytes(damaged)
        reader = RecordingReader(recording)
        assert numbers(reader) == [0, 1, 3, 4]
        assert reader.torn_blocks == 1


def test_a_foreign_file_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello")
    with pytest.raises(RecordingError, match=r"notes\.txt is no radixtop recording; make one with"):
        RecordingReader(path)


def test_a_newer_version_is_named_with_both_versions(recording: Path) -> None:
    raw = bytearray(recording.read_bytes())
    struct.pack_into("<I", raw, 8, RECORDING_VERSION + 1)
    recording.write_bytes(raw)
    with pytest.raises(RecordingError, match=r"version 3, this radixtop reads up to 2; .*upgrade"):
        RecordingReader(recording)


def test_a_damaged_header_is_an_error(recording: Path) -> None:
    raw = bytearray(recording.read_bytes())
    raw[30] ^= 1
    recording.write_bytes(raw)
    with pytest.raises(RecordingError, match="is damaged"):
        RecordingReader(recording)


def test_what_is_no_regular_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, Path("/dev/null")):
        with pytest.raises(RecordingError, match="no regular file"):
            RecordingReader(path)
    with pytest.raises(RecordingError, match="cannot write"):
        RecordingWriter(pipe, {})


@pytest.mark.parametrize("text", [b"[1]", b"nonsense", b"\xff", b"[" * 100_000])
def test_a_header_that_holds_no_configuration_is_an_error(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    path.write_bytes(struct.pack("<8s4I", RECORDING_MAGIC, RECORDING_VERSION, len(text), crc32(text), 0) + text)
    with pytest.raises(RecordingError, match="no configuration"):
        RecordingReader(path)


def test_a_file_that_is_recorded_to_is_not_recorded_to_twice(tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    first = RecordingWriter(path, {"page_size": 16})
    size = path.stat().st_size
    with pytest.raises(RecordingError, match="another process"):
        RecordingWriter(path, {})
    assert path.stat().st_size == size
    first.close("", 0)
    RecordingWriter(path, {}).close("", 0)


def test_a_missing_file_and_an_unwritable_place_are_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        RecordingReader(tmp_path / "missing")
    with pytest.raises(RecordingError, match="cannot write the recording"):
        RecordingWriter(tmp_path / "missing" / "run.rtrec", {})


def test_a_recording_on_a_full_device_is_refused_at_once() -> None:
    with pytest.raises(RecordingError, match="No space left on device"):
        RecordingWriter(Path("/dev/full"), {})


def test_a_disk_that_fills_up_stops_the_recording_and_nothing_else(
    make_recorder: MakeRecorder, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.rtrec"
    recorder = make_recorder(recording=path)
    adapter = ShmAdapter(os.getpid(), folder=folder)
    limit = 20_000
    with full_disk(limit):
        for number in range(1000):
            recorder.records.append(removed(number))
            recorder.flush()
    assert "File too large" in recorder.recording_fault
    assert recorder.recording_fault in adapter.state().message
    delivered = 0
    while records := adapter.poll().records:
        delivered += len(records)
    assert delivered == 1000
    kept = numbers(RecordingReader(path))
    assert kept == list(range(len(kept)))
    assert f"after {len(kept)} records" in recorder.recording_fault
    assert limit - 100 < path.stat().st_size <= limit
    recorder.close()


def test_a_disk_that_fills_up_while_the_tree_is_stated_is_told_as_well(
    make_recorder: MakeRecorder, folder: Path, tmp_path: Path
) -> None:
    recorder = make_recorder(recording=tmp_path / "run.rtrec", slice_ns=10**12)  # all of it, however busy the machine
    recorder.bind(snapshot=lambda: map(removed, range(1000)))
    with full_disk(5_000):
        recorder.flush()
    assert "File too large" in recorder.recording_fault
    assert recorder.recording_fault in ShmAdapter(os.getpid(), folder=folder).state().message


WRITES_UNTIL_KILLED = """
import sys
from pathlib import Path
from cache_core.events import NodeRemoved
from probes.recorder import FlightRecorder, RecorderOptions
from tests.support.raw import raw
recorder = FlightRecorder({}, RecorderOptions(folder=Path(sys.argv[1]), recording=Path(sys.argv[2])))
for number in range(1000):
    recorder.records.append(raw(NodeRemoved(number, 0)))
    if number % 10 == 9:
        recorder.flush()
recorder.records.append(raw(NodeRemoved(1000, 0)))
print("flushed", flush=True)
sys.stdin.read()
"""


def test_a_killed_writer_leaves_everything_it_flushed(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    command = [sys.executable, "-c", WRITES_UNTIL_KILLED, str(folder), str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        adapter = ShmAdapter(child.pid, folder=folder)
        child.kill()
        child.wait()
        reader = RecordingReader(path)
        assert numbers(reader) == list(range(1000))
        assert "was not closed" in reader.ending
        assert (adapter.state().state, len(adapter.poll().records)) == ("lost", 1000)


def test_a_recording_that_starts_late_begins_with_the_state(make_recorder: MakeRecorder, tmp_path: Path) -> None:
    recorder = make_recorder(slice_share=1.0)
    recorder.bind(snapshot=lambda: iter([removed(7), removed(8)]))
    recorder.records.append(removed(0))
    recorder.flush()
    path = tmp_path / "run.rtrec"
    recorder.record_to(path)
    recorder.flush()
    recorder.records.append(removed(1))
    recorder.flush()
    recorder.stop_recording("enough")
    reader = RecordingReader(path)
    assert [item for block in reader.blocks() for item in block.records()] == [
        (1, NodeRemoved(7, 7)), (1, NodeRemoved(8, 8)), (1, NodeRemoved(1, 1)),
    ]  # fmt: skip
    assert reader.closed_reason == "enough"


def test_a_reader_that_nobody_has_any_more_holds_no_file(tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    RecordingWriter(path, {}).close("done", 0)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        RecordingReader(path)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before
