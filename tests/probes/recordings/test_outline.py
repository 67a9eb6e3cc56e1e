"""What a recording amounts to: the same from its index, from the headers of its blocks, and from all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cache_core.event_codec import text_record
from cache_core.events import Label
from probes.blocks import DELTAS, INDEX, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, TRAILER, encode_block, open_block
from probes.recordings import writer as recording_writer
from probes.recordings.index import TRAILER_BYTES
from probes.recordings.outline import Outline, outline
from probes.recordings.recording import RecordingReader
from probes.recordings.writer import RecordingWriter
from tests.probes.test_recorder import removed
from tests.support.taped import cut

BLOCKS = 200
KINDS = {18: 3 * BLOCKS, 65: BLOCKS}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A closed recording of BLOCKS blocks of four records, an index every 2 KiB, a snapshot after every 50 blocks."""
    monkeypatch.setattr(recording_writer, "INDEX_EVERY_BYTES", 2048)
    writer = RecordingWriter(tmp_path / "run.rtrec", {})
    for number in range(BLOCKS):
        records = [removed(number), removed(1), text_record(Label, number, "x"), removed(2)]
        writer.append(encode_block(open_block(number + 1, 4 * number, 1000 + number), records), records)
        if number % 50 == 49:
            for kind in (SNAPSHOT_BEGIN, SLICE, SNAPSHOT_END):
                stated = [removed(7)] * 5 if kind == SLICE else []
                writer.append(encode_block(open_block(0, 4 * number + 4, 1000 + number, kind), stated))
    writer.close("done", 5000)
    return writer.path


def outlined(path: Path, check: bool = False) -> Outline:
    reader = RecordingReader(path)
    try:
        return outline(reader, check)
    finally:
        reader.close()


def strip(path: Path, bytes_at_end: int = TRAILER_BYTES) -> Path:
    """Cut bytes off the end, as if the writer had been killed."""
    path.write_bytes(path.read_bytes()[:-bytes_at_end])
    return path


def test_it_is_known_from_the_index_of_a_closed_recording(path: Path) -> None:
    found = outlined(path)
    assert (found.has_index, found.is_checked, found.closed_reason) == (True, False, "done")
    totals = found.totals
    assert (totals.records, totals.stated_records, totals.lost_records, totals.snapshots) == (4 * BLOCKS, 20, 0, 4)
    assert (totals.first_seq, totals.next_seq, totals.first_at, totals.last_at) == (0, 4 * BLOCKS, 1000, 5000)
    assert found.kinds == KINDS
    assert [place.seq for place in found.places] == [200, 400, 600, 800]


def test_index_headers_and_blocks_tell_the_same(path: Path) -> None:
    by_index, by_reading = outlined(path), outlined(path, check=True)
    by_heads = outlined(strip(path))
    blocks = by_heads.totals.blocks
    assert by_index.totals == by_heads.totals._replace(blocks=blocks - 1)
    assert by_reading.totals == by_heads.totals._replace(blocks=blocks + 1)
    assert by_index.kinds == by_heads.kinds == by_reading.kinds
    assert by_index.places == by_heads.places == by_reading.places


def test_a_block_that_is_no_longer_read_is_known_from_the_index_alone(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    first = next(RecordingReader(path).heads())[0]
    raw[first : first + 100] = bytes(100)
    path.write_bytes(raw)
    assert outlined(path).kinds == KINDS
    assert outlined(path).torn_blocks == 0
    checked = outlined(path, check=True)
    assert (checked.torn_blocks, checked.totals.records, checked.is_checked) == (1, 4 * BLOCKS - 4, True)


@pytest.mark.parametrize("cut_bytes", [80, 400, 3000, 7000, 20_000])
def test_of_a_killed_writer_everything_before_the_cut_is_counted(path: Path, cut_bytes: int) -> None:
    strip(path, cut_bytes)
    found, checked = outlined(path), outlined(path, check=True)
    assert replace(found, is_checked=True) == replace(checked, has_index=found.has_index)
    assert sum(found.kinds.values()) == found.totals.records
    assert found.has_index


def test_version_1_has_no_index_and_is_counted(path: Path) -> None:
    file = cut(path)
    file.rewrite(lambda number: file.blocks[number][0] not in (INDEX, TRAILER))
    raw = bytearray(path.read_bytes())
    raw[8] = 1
    path.write_bytes(raw)
    found = outlined(path)
    assert (found.has_index, found.closed_reason, found.kinds) == (False, "done", KINDS)
    assert found.totals.blocks == BLOCKS + 12 + 1


@pytest.mark.parametrize("kind", [DELTAS, INDEX, SLICE])
def test_damage_is_seen_in_the_headers_and_the_rest_is_counted(path: Path, kind: int) -> None:
    strip(path)
    file = cut(path)
    number = file.numbers(kind)[3]
    at = len(file.header) + sum(len(block) for _, block in file.blocks[:number])
    for place in (0, 34, 36):  # the magic word, the length in records, the length in words
        raw = bytearray(file.header + b"".join(block for _, block in file.blocks))
        raw[at + place] ^= 0x15
        path.write_bytes(raw)
        found, checked = outlined(path), outlined(path, check=True)
        if place != 34:
            assert found.torn_blocks == 1
            assert found.totals.records == 4 * (BLOCKS - (kind == DELTAS))
            assert found.kinds == checked.kinds
            assert found.totals.lost_records == 4 * (kind == DELTAS)
        assert checked.torn_blocks == 1
        assert checked.totals.records == 4 * (BLOCKS - (kind == DELTAS))


def test_an_index_that_says_more_than_there_is_counts_for_nothing(path: Path) -> None:
    file = cut(strip(path))
    blocks = [block for _, block in file.blocks]
    del blocks[20]  # the index behind it says one block too many
    path.write_bytes(file.header + b"".join(blocks))
    found = outlined(path)
    assert found.kinds == {18: 3 * (BLOCKS - 1), 65: BLOCKS - 1}
    assert found.totals.lost_records == 4


def test_two_files_in_one_are_no_index(path: Path) -> None:
    path.write_bytes(path.read_bytes() * 2)
    found = outlined(path)
    assert found.torn_blocks == 1  # the second header
    assert found.totals.records == 4 * BLOCKS
    assert found.unordered_blocks == BLOCKS


def test_a_recording_of_nothing_amounts_to_nothing(tmp_path: Path) -> None:
    writer = RecordingWriter(tmp_path / "empty", {})
    assert outlined(writer.path).totals.blocks == 0
    writer.close("", 0)
    assert outlined(writer.path).kinds == {}
    assert outlined(writer.path).closed_reason == ""
