"""What a tape is wound onto: when a part is full, what stays, and how it ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cache_core.events import NodeRemoved
from probes.blocks import DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, encode_block, open_block
from probes.errors import RecordingError
from probes.recordings.backlog import Backlog
from probes.recordings.file_reel import FileReel
from probes.recordings.recording import RecordingReader
from probes.recordings.reel import Fill, Reel
from probes.recordings.triggered_reel import TriggeredReel
from tests.support.full_disk import full_disk
from tests.support.raw import raw

LIMIT = 6000


def block(seq: int, at: int = 0) -> bytes:
    """Return a block of one record."""
    return encode_block(open_block(seq + 1, seq, at), [raw(NodeRemoved(at, seq))])


def state(kind: int, records: int = 0) -> bytes:
    return encode_block(open_block(0, 0, 0, kind), [raw(NodeRemoved(0, number)) for number in range(records)])


def wind(reel: Reel, first: int, count: int, at_step: int = 0) -> int:
    """Put so many blocks as a tape does and return how often the reel turned."""
    turns = 0
    for seq in range(first, first + count):
        one = block(seq, seq * at_step)
        if reel.turn(len(one), seq * at_step, busy=False):
            turns += 1
            for kind in (SNAPSHOT_BEGIN, SNAPSHOT_END):
                reel.put(state(kind))
        reel.put(one)
    return turns


def sequence(path: Path) -> list[int]:
    """Return the numbers of the records in a file, which must be whole."""
    reader = RecordingReader(path)
    numbers = [seq for one in reader.blocks() for seq, _ in one.records()]
    assert (reader.torn_blocks, reader.ending) == (0, "")
    reader.close()
    return numbers


class TestFill:
    def test_without_a_limit_it_is_never_full(self) -> None:
        assert not Fill(None, 10**12).is_full(1, busy=False)

    def test_a_large_tree_makes_room_for_as_much_of_the_stream(self) -> None:
        fill = Fill(100)
        fill.add(SNAPSHOT_END, 400)
        assert not fill.is_full(400, busy=False)
        assert fill.is_full(401, busy=False)

    def test_a_tree_that_is_told_again_makes_no_more_room(self) -> None:
        fill = Fill(100)
        for size in (40, 70):
            fill.add(SLICE, size)
            fill.add(SNAPSHOT_END, 0)
        assert fill.is_full(1, busy=False)

    def test_while_the_tree_is_told_it_goes_on_to_twice_its_room(self) -> None:
        fill = Fill(100, 199)
        assert not fill.is_full(50, busy=True)
        fill.add(DELTAS, 1)
        assert fill.is_full(50, busy=True)


class TestFileReel:
    @pytest.mark.parametrize("limit", [LIMIT, LIMIT + 1, LIMIT + 37, 2 * LIMIT - 5])
    def test_files_follow_each_other_without_a_gap_and_within_the_limit(self, limit: int, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {}, limit, keep=100)
        assert wind(reel, 0, 400) > 1
        reel.close("done", 0)
        numbers = [number for path in reversed(reel.files) for number in sequence(path)]
        assert numbers == list(range(400))
        assert all(path.stat().st_size <= limit for path in reel.files)
        assert reel.size_bytes == sum(path.stat().st_size for path in tmp_path.iterdir())
        assert reel.records == 400

    def test_only_the_newest_stay(self, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {}, LIMIT, keep=3)
        assert wind(reel, 0, 600) > 4
        reel.close("done", 0)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "run.1", "run.2"]
        kept = [number for path in reversed(reel.files) for number in sequence(path)]
        assert kept == list(range(kept[0], 600))

    def test_one_file_that_stays_is_begun_again_and_again(self, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {}, LIMIT, keep=1)
        assert wind(reel, 0, 300) > 1
        reel.close("done", 0)
        assert (reel.files, [path.name for path in tmp_path.iterdir()]) == ((tmp_path / "run",), ["run"])

    def test_a_file_that_came_into_the_way_is_left_alone(self, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {}, LIMIT, keep=2)
        (tmp_path / "run.1").write_text("precious")
        wind(reel, 0, 300)
        reel.close("done", 0)
        assert "run.1 is not of this recording" in reel.fault
        assert (tmp_path / "run.1").read_text() == "precious"
        assert sequence(tmp_path / "run")[0] == 0

    def test_one_that_was_there_before_is_written_over(self, tmp_path: Path) -> None:
        (tmp_path / "run.1").write_text("an older run")
        reel = FileReel(tmp_path / "run", {}, LIMIT, keep=2)
        assert wind(reel, 0, 300) > 1
        reel.close("done", 0)
        assert reel.fault == ""
        assert sequence(tmp_path / "run.1")

    @pytest.mark.parametrize("keep", [1, 2])
    def test_what_took_its_place_is_neither_moved_nor_written_over(self, keep: int, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {}, LIMIT, keep)
        os.rename(tmp_path / "run", tmp_path / "away")
        (tmp_path / "run").write_text("precious")
        wind(reel, 0, 300)
        reel.close("done", 0)
        assert "was moved while it was written" in reel.fault
        assert (tmp_path / "run").read_text() == "precious"
        assert sequence(tmp_path / "away")[0] == 0

    def test_an_older_file_that_is_taken_away_is_not_missed(self, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {}, LIMIT, keep=3)
        assert wind(reel, 0, 300) > 2
        (tmp_path / "run.1").unlink()
        assert wind(reel, 300, 200) > 1
        reel.close("done", 0)
        assert reel.fault == ""
        assert reel.size_bytes == sum(path.stat().st_size for path in tmp_path.iterdir())
        assert sequence(tmp_path / "run")[-1] == 499

    def test_a_file_that_is_removed_is_a_fault_at_its_next_index(self, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {})
        wind(reel, 0, 10)
        (tmp_path / "run").unlink()
        reel.put(state(SNAPSHOT_END))
        assert "run was removed while it was written: nothing is left of its 10 records" in reel.fault
        reel.close("done", 0)
        assert reel.files == ()

    def test_a_full_disk_keeps_what_is_there_and_says_so(self, tmp_path: Path) -> None:
        reel = FileReel(tmp_path / "run", {})
        with full_disk(5000):
            wind(reel, 0, 200)
        reel.close("done", 0)
        assert "File too large" in reel.fault
        reader = RecordingReader(tmp_path / "run")
        kept = [seq for one in reader.blocks() for seq, _ in one.records()]
        assert kept == list(range(reel.records))
        assert len(kept) > 20

    def test_a_folder_that_is_gone_ends_it_at_the_next_file(self, tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        reel = FileReel(folder / "run", {}, LIMIT, keep=2)
        (folder / "run").unlink()
        folder.rmdir()
        wind(reel, 0, 200)
        assert "run was removed while it was written" in reel.fault


class TestBacklog:
    def test_it_holds_between_one_and_two_times_the_time(self) -> None:
        backlog = Backlog(keep_ns=100, limit_bytes=10**9)
        assert wind(backlog, 0, 95, at_step=10) == 9
        assert backlog.began_at is not None
        assert 100 <= 940 - backlog.began_at <= 200

    def test_it_holds_no_more_than_it_may(self) -> None:
        backlog = Backlog(keep_ns=10**12, limit_bytes=LIMIT)
        wind(backlog, 0, 1000)
        assert LIMIT / 2 < backlog.size_bytes <= LIMIT

    def test_a_tree_that_is_not_whole_does_not_make_it_grow_without_end(self) -> None:
        backlog = Backlog(keep_ns=1, limit_bytes=LIMIT)
        for seq in range(2000):
            backlog.turn(len(block(seq)), seq, busy=True)
            backlog.put(block(seq))
        assert backlog.size_bytes <= 2 * LIMIT + len(block(0))


class TestTriggeredReel:
    def test_it_writes_what_it_held_and_what_follows(self, tmp_path: Path) -> None:
        reel = TriggeredReel(100, 10**9)
        wind(reel, 0, 95, at_step=10)
        assert (reel.size_bytes, [*tmp_path.iterdir()]) == (0, [])
        reel.record_to(tmp_path / "run", {}, "that was it")
        wind(reel, 95, 20, at_step=10)
        reel.finish(0)
        numbers = [seq for seq in sequence(tmp_path / "run") if seq]
        assert numbers == list(range(numbers[0], 115))
        assert 10 <= 95 - numbers[0] <= 20
        assert reel.records == len(numbers)
        assert reel.size_bytes == (tmp_path / "run").stat().st_size

    def test_after_a_file_it_begins_again_with_the_tree(self, tmp_path: Path) -> None:
        reel = TriggeredReel(10**9, 10**9)
        wind(reel, 0, 5)
        reel.record_to(tmp_path / "run", {}, "that was it")
        reel.finish(0)
        assert wind(reel, 5, 5) == 1

    def test_a_file_that_cannot_be_made_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(RecordingError, match="No such file"):
            TriggeredReel(1, 10**6).record_to(tmp_path / "missing" / "run", {}, "")

    def test_a_file_that_is_full_ends_and_what_comes_is_held(self, tmp_path: Path) -> None:
        reel = TriggeredReel(10**9, LIMIT)
        reel.record_to(tmp_path / "run", {}, "that was it")
        assert wind(reel, 0, 85) == 1
        assert (reel.is_recording, reel.held_bytes > 0) == (False, True)
        assert LIMIT * 0.7 < (tmp_path / "run").stat().st_size <= LIMIT
        reader = RecordingReader(tmp_path / "run")
        assert [*reader.blocks()] and reader.closed_reason == "that was it"


def test_a_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    FileReel(tmp_path / "run", {}).close("", 0)
    assert os.stat(tmp_path / "run").st_mode & 0o777 == 0o600
