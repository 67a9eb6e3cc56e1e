"""A reader of a ring: exact losses, torn blocks, and files that are no ring or lie about themselves."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import pytest

from probes.errors import RingError
from probes.recorder import FlightRecorder
from probes.rings import ring
from probes.rings.reader import RingReader
from probes.rings.ring import RingShape
from tests.probes.conftest import MakeRecorder
from tests.probes.test_recorder import read_all, removed

SHAPE = RingShape(slots=16, slot_words=64)


def publish(recorder: FlightRecorder, first: int, count: int) -> None:
    """Publish numbered records, one block each."""
    for number in range(first, first + count):
        recorder.records.append(removed(number))
        recorder.flush()


def poke(path: Path, word: int, value: int) -> None:
    """Overwrite a word of the file behind the writer's back."""
    with path.open("r+b") as file:
        file.seek(word * 8)
        file.write(struct.pack("<q", value))


def slot_word(block: int, word: int) -> int:
    """Where a word of a block's slot is in the file."""
    return ring.HEADER_BYTES // 8 + block % SHAPE.slots * SHAPE.slot_words + word


@pytest.mark.parametrize("burst", [14, 15, 16, 17, 100])
def test_what_an_overrun_reader_missed_is_counted_exactly(make_recorder: MakeRecorder, burst: int) -> None:
    recorder = make_recorder(shape=SHAPE)
    reader = RingReader(recorder.ring_path)
    publish(recorder, 0, 3)
    seen = len(read_all(reader))
    publish(recorder, 3, burst)
    seen += len(read_all(reader))
    assert seen + reader.lost_records == 3 + burst
    assert (reader.lost_records > 0) == (burst >= SHAPE.slots)
    assert reader.torn_blocks == 0


def test_a_gap_is_said_before_the_block_behind_it(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(shape=SHAPE)
    reader = RingReader(recorder.ring_path)
    publish(recorder, 0, 3)
    assert not reader.read(2)[1]
    publish(recorder, 3, 40)
    assert [(len(blocks), gap) for blocks, gap in (reader.read(9), reader.read(9))] == [(1, False), (9, True)]


def test_a_late_reader_counts_no_loss(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(shape=SHAPE)
    publish(recorder, 0, 100)
    reader = RingReader(recorder.ring_path)
    assert not reader.from_start
    assert read_all(reader)[-1][0] == 99
    assert reader.lost_records == 0


def test_a_damaged_block_is_looked_at_twice_then_counted(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(shape=SHAPE)
    reader = RingReader(recorder.ring_path)
    publish(recorder, 0, 4)
    poke(recorder.ring_path, slot_word(2, 9), 12345)
    assert [len(reader.read(9)[0]), reader.torn_blocks] == [1, 0]
    assert [len(reader.read(9)[0]), reader.torn_blocks, reader.lost_records] == [2, 1, 1]


def test_a_block_that_is_being_written_is_read_once_it_is_whole(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(shape=SHAPE)
    reader = RingReader(recorder.ring_path)
    publish(recorder, 0, 2)
    poke(recorder.ring_path, slot_word(2, 1), 0)
    assert len(reader.read(9)[0]) == 1
    poke(recorder.ring_path, slot_word(2, 1), 2)
    assert len(reader.read(9)[0]) == 1
    assert (reader.torn_blocks, reader.lost_records) == (0, 0)


def test_nonsense_in_the_file_never_crashes_a_reader(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(shape=SHAPE)
    reader = RingReader(recorder.ring_path)
    rng = random.Random(5)
    words = SHAPE.file_bytes // 8
    for _ in range(300):
        publish(recorder, 0, 1)
        for _ in range(5):
            value = rng.choice([rng.getrandbits(63), -1, 0, 1 << 62, rng.randrange(100)])
            poke(recorder.ring_path, rng.choice([ring.HEAD, rng.randrange(words)]), value)
        reader.read(32)
        header = reader.header()
        assert isinstance(header.config, dict)
        assert len(header.text(ring.END_REASON)) <= ring.END_REASON.size


def test_a_file_cut_under_a_reader_is_no_crash(make_recorder: MakeRecorder) -> None:
    recorder = make_recorder(shape=SHAPE)
    publish(recorder, 0, 5)
    copy = recorder.ring_path.with_name("1-1.ring")
    copy.write_bytes(recorder.ring_path.read_bytes())
    reader = RingReader(copy)
    os.truncate(copy, 100)
    assert reader.read(9) == ([], False)
    assert reader.header().config == {}


@pytest.mark.parametrize(
    ("word", "value", "said"),
    [
        (ring.MAGIC, 5, "is no ring"),
        (ring.VERSION, 99, "version 99"),
        (ring.SLOTS, 1 << 50, "slots"),
        (ring.SLOT_WORDS, -4, "slots"),
        (ring.SLOTS, 4096, "cut short"),
    ],
)
def test_a_file_that_is_no_readable_ring_is_refused(
    make_recorder: MakeRecorder, word: int, value: int, said: str
) -> None:
    path = make_recorder(shape=SHAPE).ring_path
    poke(path, word, value)
    with pytest.raises(RingError, match=said):
        RingReader(path)


def test_a_link_in_place_of_a_ring_is_refused(make_recorder: MakeRecorder) -> None:
    path = make_recorder().ring_path
    link = path.with_name("2-0.ring")
    link.symlink_to(path)
    with pytest.raises(RingError, match="cannot open"):
        RingReader(link)
