"""A reader in step with a ring: late, overrun, during a snapshot that the tree changes under, and after the end."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cache_core.events import NodeRemoved, RawRecord
from probes.adapters import shm
from probes.adapters.shm import STALE_NS, ShmAdapter
from probes.errors import RingError
from probes.mirror import Mirror
from probes.recorder import FlightRecorder, RecorderOptions
from probes.rings import ring
from probes.rings.ring import RingShape
from probes.rings.snapshot_reader import RETRY_AFTER_NS
from tests.probes.conftest import MakeRecorder
from tests.probes.rings.test_reader import poke
from tests.probes.test_mirror_converges import assert_same
from tests.probes.test_recorder import removed
from tests.support.published_tree import PublishedTree

TINY = RingShape(slots=16, slot_words=64)


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = 1_000

    def __call__(self) -> int:
        return self.now


class Follower:
    """An adapter and the mirror that it feeds."""

    def __init__(self, folder: Path, clock: Callable[[], int] | None = None) -> None:
        extra = {} if clock is None else {"clock": clock}
        self.adapter = ShmAdapter(os.getpid(), folder=folder, **extra)
        self.mirror = Mirror(("full", "swa"))
        self.resyncs = 0
        self.seen = 0

    def poll(self) -> int:
        """Apply one batch and return how many records it had."""
        batch = self.adapter.poll()
        if batch.resync:
            self.resyncs += 1
            self.mirror.clear()
        for _, record in batch.records:
            self.mirror.apply(record)
        self.seen += len(batch.records)
        return len(batch.records)


class Pair(PublishedTree):
    """A published toy tree, and a reader of it."""

    def settle(self, follower: Follower) -> None:
        """Let writer and reader take turns until neither has anything left."""
        for _ in range(200):
            self.recorder.flush()
            if not follower.poll() and follower.adapter.state().state == "live":
                return
        raise AssertionError(f"not settled: {follower.adapter.state()}")


@pytest.fixture
def make_pair(make_recorder: MakeRecorder) -> Callable[..., Pair]:
    """Returns pairs whose snapshot slices are as short as can be and never wait."""

    def make(seed: int, **options: object) -> Pair:
        return Pair(make_recorder(**{"slice_ns": 0, "slice_share": 1.0, **options}), seed)

    return make


def test_a_reader_from_the_start_needs_no_snapshot(make_pair: Callable[..., Pair], folder: Path) -> None:
    pair = make_pair(1)
    pair.step(50)
    follower = Follower(folder)
    pair.settle(follower)
    assert_same(follower.mirror, pair.tree)
    assert list(folder.glob("*.snapshot")) == []


@pytest.mark.parametrize("seed", range(20))
def test_a_late_reader_sees_the_tree(make_pair: Callable[..., Pair], folder: Path, seed: int) -> None:
    pair = make_pair(seed, shape=TINY)
    pair.step(100)
    follower = Follower(folder)
    assert follower.adapter.state().state == "starting"
    pair.settle(follower)
    assert_same(follower.mirror, pair.tree)
    assert follower.adapter.state().dropped_records == 0


def test_until_the_tree_was_handed_out_a_source_is_starting(
    make_pair: Callable[..., Pair], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shm, "POLL_BLOCKS", 1)  # so that the stream is far behind the snapshot
    pair = make_pair(1, shape=TINY)
    pair.step(100)
    follower = Follower(folder)
    for _ in range(1_000):
        pair.recorder.flush()
        follower.poll()
        if follower.adapter.state().state == "live":
            break
    assert_same(follower.mirror, pair.tree)


@given(seed=st.integers(0, 2**32), pace=st.floats(0.1, 0.9))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_tree_that_changes_under_the_walk_and_overruns_the_reader_is_mirrored(
    folder: Path, seed: int, pace: float
) -> None:
    options = RecorderOptions(folder=folder, shape=TINY, slice_ns=0, slice_share=1.0)
    recorder = FlightRecorder({}, options)
    try:
        pair = Pair(recorder, seed)
        pair.step(60)
        follower = Follower(folder)
        rng = random.Random(seed)
        for _ in range(60):
            if rng.random() < pace:
                pair.step(rng.choice([1, 1, 1, 2, 20]))
            else:
                follower.poll()
        pair.settle(follower)
        assert_same(follower.mirror, pair.tree)
    finally:
        recorder.close()


def test_an_overrun_reader_is_told_and_gets_back_in_step(make_pair: Callable[..., Pair], folder: Path) -> None:
    pair = make_pair(3, shape=TINY)
    follower = Follower(folder)
    pair.step(10)
    pair.settle(follower)
    pair.step(500)
    pair.settle(follower)
    assert follower.resyncs == 1
    assert follower.adapter.state().dropped_records > 400
    assert_same(follower.mirror, pair.tree)


def test_two_readers_share_a_snapshot_or_take_turns(make_pair: Callable[..., Pair], folder: Path) -> None:
    pair = make_pair(4, shape=TINY)
    pair.step(100)
    followers = [Follower(folder), Follower(folder)]
    pair.step(3)
    followers.append(Follower(folder))
    for follower in followers:
        pair.settle(follower)
        assert_same(follower.mirror, pair.tree)


def test_what_was_read_and_what_was_lost_adds_up(make_recorder: MakeRecorder, folder: Path) -> None:
    recorder = make_recorder(shape=TINY)
    adapter = ShmAdapter(os.getpid(), folder=folder)
    read = 0
    for burst in (5, 300, 2, 40, 17, 16, 15):
        for number in range(burst):
            recorder.records.append(removed(number))
            recorder.flush()
        while records := adapter.poll().records or adapter.poll().records:
            read += len(records)
    assert read + adapter.state().dropped_records == 5 + 300 + 2 + 40 + 17 + 16 + 15
    assert adapter.state().dropped_records > 250


def test_a_walk_that_fails_is_told_and_asked_for_again(make_recorder: MakeRecorder, folder: Path) -> None:
    recorder = make_recorder(shape=TINY, slice_share=1.0)
    for number in range(40):
        recorder.records.append(removed(number))
        recorder.flush()

    def broken() -> Iterator[RawRecord]:
        yield removed(1)
        raise RuntimeError("the tree is torn")

    clock = Clock()
    recorder.bind(snapshot=broken)
    adapter = ShmAdapter(os.getpid(), folder=folder, clock=clock)
    adapter.poll()
    recorder.flush()
    adapter.poll()
    state = adapter.state()
    assert state.state == "starting"
    assert "the tree is torn" in state.message
    recorder.bind(snapshot=lambda: iter([removed(2)]))
    clock.now += RETRY_AFTER_NS
    adapter.poll()
    recorder.flush()
    adapter.poll()
    assert adapter.state().state == "live"


def test_a_damaged_side_file_is_asked_for_again(make_pair: Callable[..., Pair], folder: Path) -> None:
    pair = make_pair(6, shape=TINY)
    pair.step(100)
    clock = Clock()
    follower = Follower(folder, clock)
    follower.poll()
    pair.recorder.flush()
    [side_file] = folder.glob("*.snapshot")
    side_file.write_bytes(b"x" * 500)
    follower.poll()
    assert follower.adapter.state().state == "starting"
    clock.now += RETRY_AFTER_NS
    pair.settle(follower)
    assert_same(follower.mirror, pair.tree)


def test_states_from_waiting_to_the_end(make_recorder: MakeRecorder, folder: Path) -> None:
    adapter = ShmAdapter(os.getpid(), folder=folder, wait=True)
    seen = [adapter.state().state]
    assert adapter.poll().records == []
    recorder = make_recorder()
    adapter.poll()
    seen.append(adapter.state().state)
    recorder.records.append(removed(1))
    recorder.flush()
    seen.append(adapter.state().state)
    recorder.close("done")
    seen.append(adapter.state().state)
    assert seen == ["starting", "starting", "live", "ended"]
    assert adapter.poll().records == [(0, NodeRemoved(1, 1))]
    assert adapter.state().message == "done"
    assert adapter.state().config["page_size"] == 1


def test_a_writer_without_a_heartbeat_is_stale(make_recorder: MakeRecorder, folder: Path) -> None:
    recorder = make_recorder()
    recorder.flush()
    clock = Clock()
    adapter = ShmAdapter(os.getpid(), folder=folder, clock=clock)
    poke(recorder.ring_path, ring.HEARTBEAT, clock.now)
    clock.now += STALE_NS
    assert adapter.state().state == "live"
    clock.now += 1
    assert (adapter.state().state, adapter.state().message) == ("stale", "no heartbeat for 2 s")


def test_attaching_to_nothing_names_what_is_there(make_recorder: MakeRecorder, folder: Path) -> None:
    with pytest.raises(RingError, match="no process publishes one"):
        ShmAdapter(1, folder=folder)
    make_recorder(rank=2)
    with pytest.raises(RingError, match=f"shm:{os.getpid()}-2"):
        ShmAdapter(1, folder=folder)


def test_waiting_for_a_process_that_ended_is_lost(folder: Path) -> None:
    adapter = ShmAdapter(2**22 + 1, folder=folder, wait=True)
    assert adapter.poll().records == []
    assert (adapter.state().state, "ended before" in adapter.state().message) == ("lost", True)


def test_a_ring_that_appears_but_cannot_be_read_is_a_state(make_recorder: MakeRecorder, folder: Path) -> None:
    adapter = ShmAdapter(os.getpid(), folder=folder, wait=True)
    poke(make_recorder().ring_path, ring.VERSION, 9)
    assert adapter.poll().records == []
    assert (adapter.state().state, "version 9" in adapter.state().message) == ("lost", True)


@pytest.mark.parametrize("seed", range(5))
def test_a_reader_overrun_before_its_first_look_is_in_step_all_the_same(
    make_pair: Callable[..., Pair], folder: Path, seed: int
) -> None:
    pair = make_pair(seed, shape=TINY)
    pair.step(100)
    follower = Follower(folder)
    pair.step(40)
    pair.settle(follower)
    assert_same(follower.mirror, pair.tree)


def test_a_ring_that_cannot_tell_everything_says_so_and_what_is_wrong_with_it(folder: Path) -> None:
    recorder = FlightRecorder({"provides": ["NodeRemoved", "Nonsense"]}, RecorderOptions(folder=folder))
    recorder.flush()
    adapter = ShmAdapter(os.getpid(), folder=folder)
    assert adapter.provides == {NodeRemoved}
    recorder.say("matches are not told")
    assert "matches are not told" in adapter.state().message
    recorder.close("done")
    recorder.say("too late")
    assert adapter.state().message == "done; matches are not told"
    adapter.close()
