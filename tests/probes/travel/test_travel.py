"""Going to any moment of a recording shows what playing up to it would have shown, in bounded pieces of work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from probes.blocks import DELTAS, SNAPSHOT_BEGIN
from probes.snapshot import Snapshot
from probes.travel import travel
from probes.travel.file_footage import FileFootage
from probes.travel.travel import Travel
from tests.support.taped import cut
from tests.support.travelled import STARTED, STEP_NS, fresh, tree_of, windows_of, write_run

S = 1_000_000_000


class Clock:
    """A clock that the test turns, and that goes on by `step` whenever it is read."""

    def __init__(self) -> None:
        self.now = 1_000
        self.step = 0

    def __call__(self) -> int:
        self.now += self.step
        return self.now


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("travel") / "run.rtrec")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def trip(path: Path, clock: Clock) -> Iterator[Travel]:
    """A trip through the recording, standing still at its start."""
    footage = FileFootage(path)
    trip = Travel(footage, clock=clock)
    trip.pause()
    yield trip
    footage.close()


def settled(trip: Travel, most: int = 200) -> Snapshot:
    """Tick until there is nothing to do."""
    snapshot = trip.tick()
    for _ in range(most):
        if not trip.is_busy:
            return snapshot
        snapshot = trip.tick()
    raise AssertionError("it never settles")


def assert_as_fresh(path: Path, trip: Travel, at: int) -> None:
    """Compare what is shown with a play up to the moment."""
    trip.seek(at)
    snapshot = settled(trip)
    mirror, expected = fresh(path, at)
    assert tree_of(trip.mirror) == tree_of(mirror)
    assert windows_of(snapshot) == windows_of(expected)


def moments(number: int, seed: int) -> list[int]:
    """Moments of the run in any order, some of them on a block, some between two."""
    rng = Random(seed)
    return [STARTED + STEP_NS + rng.randrange(0, 399 * 4) * STEP_NS // 4 for _ in range(number)]


@pytest.mark.parametrize("quick_bytes", [0, 20_000, travel.QUICK_BYTES])
def test_any_moment_is_what_a_play_up_to_it_shows(
    quick_bytes: int, path: Path, trip: Travel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(travel, "QUICK_BYTES", quick_bytes)
    for at in moments(12, quick_bytes):
        assert_as_fresh(path, trip, at)


def test_sums_that_do_not_count_from_the_start_say_so_until_they_do(
    path: Path, trip: Travel, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(travel, "QUICK_BYTES", 0)
    at = STARTED + 90 * S
    clock.step = travel.TURN_NS // 100
    trip.seek(at)
    while trip.heading_for is not None or trip.is_tree_only:
        first = trip.tick()
    since = trip.counted_from
    assert since is not None and since > STARTED + 60 * S
    assert tree_of(trip.mirror) == tree_of(fresh(path, at)[0])
    clock.step = 0
    whole = settled(trip)
    assert trip.counted_from is None
    expected = fresh(path, at)[1]
    assert whole.samples["hit_rate"] == expected.samples["hit_rate"] != first.samples["hit_rate"]
    assert whole.since == expected.since < first.since


def test_of_a_far_moment_the_tree_comes_first_and_no_sample_is_made_up(
    path: Path, trip: Travel, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(travel, "QUICK_BYTES", 0)
    at = STARTED + 80 * S
    clock.step = travel.TURN_NS // 50
    trip.seek(at)
    while trip.heading_for is not None:
        snapshot = trip.tick()
    assert trip.is_tree_only and snapshot.samples == {}
    assert tree_of(trip.mirror) == tree_of(fresh(path, at)[0])
    clock.step = 0
    settled(trip)
    assert not trip.is_tree_only and trip.counted_from is None


def test_a_large_tree_gets_no_second_one_beside_it(trip: Travel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(travel, "QUICK_BYTES", 0)
    trip.seek(STARTED + 20 * S)
    settled(trip)
    monkeypatch.setattr(travel, "MOST_NODES", 0)
    trip.seek(STARTED + 90 * S)
    settled(trip)
    assert trip.counted_from is not None


def test_on_the_way_the_last_moment_stays(path: Path, trip: Travel, clock: Clock) -> None:
    trip.seek(STARTED + 50 * S)
    before = settled(trip)
    tree = tree_of(trip.mirror)
    clock.step = travel.TURN_NS // 4
    trip.seek(STARTED + 20 * S)
    on_the_way = trip.tick()
    assert (trip.heading_for, trip.at) == (STARTED + 20 * S, STARTED + 50 * S)
    assert 0 < trip.progress < 1
    assert windows_of(on_the_way) == windows_of(before)
    assert tree_of(trip.mirror) == tree
    clock.step = 0
    settled(trip)
    assert (trip.heading_for, trip.at) == (None, STARTED + 20 * S)


def test_a_turn_is_short_however_far_one_goes(trip: Travel, clock: Clock) -> None:
    clock.step = travel.TURN_NS // 10
    trip.seek(STARTED + 100 * S)
    began = clock.now
    trip.tick()
    assert clock.now - began <= 2 * travel.TURN_NS
    assert trip.heading_for is not None


def test_time_passes_at_its_speed_and_not_while_it_stands_still(trip: Travel, clock: Clock) -> None:
    trip.seek(STARTED + 10 * S)
    settled(trip)
    clock.now += 5 * S
    assert trip.tick().now == STARTED + 10 * S
    trip.play()
    clock.now += 2 * S
    assert trip.tick().now == STARTED + 12 * S
    trip.set_speed(4.0)
    clock.now += 2 * S
    assert trip.tick().now == STARTED + 20 * S


def test_steps_go_from_block_to_block_and_back(trip: Travel) -> None:
    trip.seek(STARTED + 10 * S)
    start = settled(trip)
    seen = [start.seq]
    for _ in range(3):
        trip.step()
        seen.append(settled(trip).seq)
    assert seen == sorted(set(seen))
    back = []
    for _ in range(3):
        trip.step_back()
        back.append(settled(trip).seq)
    assert back == seen[2::-1]


def test_stepping_back_works_from_the_first_snapshot_to_the_start(path: Path, trip: Travel) -> None:
    trip.seek(STARTED + 2 * S)
    settled(trip)
    for _ in range(20):
        trip.step_back()
        settled(trip)
    assert trip.at == FileFootage(path).start


def test_no_seek_leaves_the_run(path: Path, trip: Travel) -> None:
    trip.seek(-(10**18))
    assert settled(trip).now == FileFootage(path).start
    trip.seek(10**18)
    end = settled(trip).now
    assert trip.is_at_end
    trip.skip(10 * S)
    assert settled(trip).now == end


def test_playing_on_after_a_seek_shows_what_playing_shows(path: Path, trip: Travel, clock: Clock) -> None:
    trip.seek(STARTED + 70 * S)
    settled(trip)
    trip.play()
    for _ in range(8):
        clock.now += 3 * S
        snapshot = trip.tick()
    mirror, expected = fresh(path, STARTED + 94 * S)
    assert tree_of(trip.mirror) == tree_of(mirror)
    assert windows_of(snapshot) == windows_of(expected)


def test_records_that_are_missing_are_missing_after_a_seek_as_well(tmp_path: Path, clock: Clock) -> None:
    file = cut(write_run(tmp_path / "gap.rtrec"))
    deltas = file.numbers(DELTAS)
    gone = range(deltas[150], deltas[160])
    file.rewrite(lambda number: number not in gone)
    footage = FileFootage(file.path)
    trip = Travel(footage, clock=clock)
    trip.pause()
    for at in (STARTED + 38 * S, STARTED + 45 * S, STARTED + 95 * S, STARTED + 42 * S):
        trip.seek(at)
        snapshot = settled(trip)
        mirror, expected = fresh(file.path, at)
        assert snapshot.source.tree_known == expected.source.tree_known
        assert tree_of(trip.mirror) == tree_of(mirror)
        assert snapshot.source.dropped_records == expected.source.dropped_records
    footage.close()


def test_a_file_that_was_cut_off_can_be_travelled(path: Path, tmp_path: Path, clock: Clock) -> None:
    torn = tmp_path / "torn.rtrec"
    torn.write_bytes(path.read_bytes()[:-5_000])
    footage = FileFootage(torn)
    trip = Travel(footage, clock=clock)
    trip.pause()
    trip.seek(footage.end)
    snapshot = settled(trip)
    assert "cut short" in snapshot.source.message
    assert_as_fresh(torn, trip, STARTED + 30 * S)
    footage.close()


def test_a_place_that_an_index_made_up_is_not_gone_to(path: Path, tmp_path: Path, clock: Clock) -> None:
    lying = tmp_path / "lying.rtrec"
    file = cut(Path(lying.write_bytes(path.read_bytes()) and lying))
    begins = file.numbers(SNAPSHOT_BEGIN)
    blocks = [block if number != begins[2] else bytes(len(block)) for number, (_, block) in enumerate(file.blocks)]
    lying.write_bytes(file.header + b"".join(blocks))
    footage = FileFootage(lying)
    trip = Travel(footage, clock=clock)
    trip.pause()
    assert_as_fresh(lying, trip, footage.places()[2].ended_at + S)
    footage.close()


@pytest.mark.parametrize("seed", range(3))
def test_a_storm_of_keys_ends_where_the_last_one_led(
    seed: int, path: Path, trip: Travel, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(travel, "QUICK_BYTES", 10_000)
    rng = Random(seed)
    at = lambda: STARTED + rng.randrange(-10, 120) * S  # noqa: E731
    keys = [trip.play, trip.pause, trip.step, trip.step_back, lambda: trip.skip(rng.randrange(-10, 11) * S)]
    keys += [lambda: trip.seek(at()), lambda: trip.set_speed(rng.choice([0.25, 1, 64]))]
    clock.step = 100_000
    for _ in range(150):
        rng.choice(keys)()
        if rng.random() < 0.6:
            trip.tick()
            clock.now += rng.randrange(0, S // 2)
    clock.step = 0
    assert_as_fresh_at_rest(path, trip)


def assert_as_fresh_at_rest(path: Path, trip: Travel) -> None:
    """Compare where a storm ended with a play up to there."""
    trip.pause()
    snapshot = settled(trip)
    mirror, expected = fresh(path, trip.at)
    assert tree_of(trip.mirror) == tree_of(mirror)
    assert windows_of(snapshot) == windows_of(expected)
