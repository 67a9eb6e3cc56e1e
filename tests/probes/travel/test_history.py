"""Going back in a stream that is still watched: the same as in a recording of it, in bounded room."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from probes.aggregator import Aggregator
from probes.blocks import DELTAS, SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END
from probes.builtin.hit_rate import HitRateSample, HitTotals
from probes.snapshot import Snapshot
from probes.travel import history as history_module
from probes.travel.history import History
from probes.travel.keeping import KeepingAdapter
from probes.travel.passage import Passage
from probes.travel.ring_file import RingFile
from probes.travel.travel import Travel
from tests.support.block_script import BlockScript
from tests.support.travelled import fresh, tree_of, windows_of, write_run

S = 1_000_000_000
ROOM = 1 << 20


class Watch:
    """Someone who watches a stream and keeps it."""

    def __init__(self, source: BlockScript, room: int = ROOM) -> None:
        self.history = History(room, clock=lambda: 0)
        self.adapter = KeepingAdapter(source, self.history)
        self.aggregator = Aggregator(self.adapter)
        self.adapter.mirror = self.aggregator.mirror
        self._source = source

    def until(self, at: int) -> Snapshot:
        """Watch up to a time."""
        snapshot = self.aggregator.tick(0)
        while self._source.at < at and self._source.blocks:
            snapshot = self.aggregator.tick(self._source.at)
        return snapshot

    def back_to(self, at: int) -> tuple[Travel, Snapshot]:
        """Stop the moment and go back."""
        trip = Travel(self.history, clock=lambda: 0)
        trip.pause()
        trip.seek(at)
        snapshot = trip.tick()
        while trip.is_busy:
            snapshot = trip.tick()
        return trip, snapshot


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("history") / "run.rtrec", steps=800)


@pytest.fixture
def watch(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    monkeypatch.setattr(history_module, "EVERY_NS", 10 * S)
    watch = Watch(BlockScript(path))
    yield watch
    watch.adapter.close()


def test_every_moment_that_is_kept_is_as_in_a_recording(path: Path, watch: Watch) -> None:
    now = watch.until(fresh_end(path)).at
    assert watch.history.has_start
    assert len(watch.history.places()) > 10
    for at in range(watch.history.start, now, 17 * S):
        trip, snapshot = watch.back_to(at)
        mirror, expected = fresh(path, at)
        assert tree_of(trip.mirror) == tree_of(mirror)
        assert windows_of(snapshot) == windows_of(expected)


def fresh_end(path: Path) -> int:
    return fresh(path, 2**61)[1].at


def test_when_the_start_is_written_over_the_rest_can_still_be_gone_to(path: Path, watch: Watch) -> None:
    room = 20_000
    small = Watch(BlockScript(path), room)
    small.until(fresh_end(path))
    history = small.history
    assert history.file.end > 3 * room and not history.has_start
    assert history.start < history.kept_from < history.end
    assert len(history.places()) < 10
    for at in range(history.kept_from, history.end, 2 * S):
        trip, _ = small.back_to(at)
        assert tree_of(trip.mirror) == tree_of(fresh(path, at)[0])
    trip, snapshot = small.back_to(history.start)
    assert trip.at == snapshot.now == history.kept_from
    small.adapter.close()


def test_a_moment_that_is_stopped_has_the_sums_of_the_watch_and_goes_on_from_there(path: Path, watch: Watch) -> None:
    stopped = watch.until(watch_time(watch, 40))
    beside = Passage.beside(watch.history, watch.aggregator, stopped, watch.history.file.end)
    trip = Travel(watch.history, beside, clock=lambda: 0)
    trip.pause()
    before = trip.tick()
    tree = tree_of(trip.mirror)
    watch.until(watch_time(watch, 80))
    assert trip.tick().samples == before.samples != {}
    assert (tree_of(trip.mirror), totals_of(before)) == (tree, totals_of(stopped))
    trip.skip(30 * S)
    while trip.is_busy:
        after = trip.tick()
    mirror, expected = fresh(path, trip.at)
    assert tree_of(trip.mirror) == tree_of(mirror)
    assert after.samples["hit_rate"] == expected.samples["hit_rate"]
    assert trip.counted_from is None


def totals_of(snapshot: Snapshot) -> HitTotals:
    hits = snapshot.get(HitRateSample)
    assert hits is not None
    return hits.total


def watch_time(watch: Watch, seconds: int) -> int:
    return (watch.history.start or watch._source.blocks[0].flushed_at) + seconds * S


def test_who_stands_still_while_it_is_written_over_keeps_the_moment_and_goes_on_where_something_is(
    path: Path,
) -> None:
    small = Watch(BlockScript(path), 20_000)
    small.until(watch_time(small, 20))
    at = small.history.end
    trip, before = small.back_to(at)
    small.until(fresh_end(path))
    assert trip.tick().samples == before.samples
    trip.skip(S)
    trip.tick()
    assert trip.at == small.history.kept_from
    assert tree_of(trip.mirror) == tree_of(fresh(path, trip.at)[0])
    small.adapter.close()


def test_after_a_loss_the_tree_is_known_again_from_the_writers_snapshot_on(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.rtrec", steps=400)
    source = BlockScript(path, frozenset({DELTAS, SNAPSHOT_BEGIN, SLICE, SNAPSHOT_END}))
    watch = Watch(source)
    watch.until(watch_time(watch, 30))
    source.lose(8)
    watch.until(2**61)
    lost = source.state()
    assert lost.state == "live"
    _, snapshot = watch.back_to(watch.history.start + 35 * S)
    assert not snapshot.source.tree_known and snapshot.source.dropped_records > 0
    trip, snapshot = watch.back_to(watch.history.end)
    assert snapshot.source.tree_known
    assert tree_of(trip.mirror) == tree_of(watch.aggregator.mirror)
    watch.adapter.close()


def test_a_tree_that_takes_most_of_the_room_is_not_stated(path: Path) -> None:
    tiny = Watch(BlockScript(path), 3_000)
    tiny.until(fresh_end(path))
    assert tiny.history.kept_from == tiny.history.end
    trip, _ = tiny.back_to(tiny.history.start)
    assert trip.at == tiny.history.start, "there is nothing to go to"
    tiny.adapter.close()


def test_a_full_disk_ends_the_history_and_nothing_else(
    path: Path, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch.until(watch_time(watch, 10))

    def full(file: RingFile, raw: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(RingFile, "put", full)
    watch.until(fresh_end(path))
    assert "No space left" in watch.history.fault
    assert watch.history.kept_from == watch.history.end
    assert tree_of(watch.aggregator.mirror) == tree_of(fresh(path, 2**61)[0])


def test_a_ring_file_has_the_newest_bytes_and_no_others() -> None:
    file = RingFile(100)
    for number in range(30):
        file.put(bytes([number]) * 7)
    assert (file.end, file.oldest) == (210, 110)
    assert file.read(1_000, 110) == b"".join(bytes([number]) * 7 for number in range(30))[110:]
    assert file.read(5, 109) == file.read(5, 210) == b""
    file.close()
