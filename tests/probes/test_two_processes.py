"""A real cache in one process, its mirror in another: from the start, late, overrun, killed, and from a file."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cache_core.event_codec import decode
from cache_core.events import KIND_MASK
from probes.adapter import Adapter
from probes.adapters.recording import RecordingAdapter
from probes.adapters.shm import ShmAdapter
from probes.mirror import Mirror
from tests.support.cache_process import CacheProcess, TrueTree, while_busy

Start = Callable[..., CacheProcess]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Starts cache processes and ends them."""
    started: list[CacheProcess] = []

    def start(**options: Any) -> CacheProcess:
        started.append(CacheProcess(folder, **options))
        return started[-1]

    yield start
    for process in started:
        process.end()


class Follower:
    """An adapter and the mirror that it feeds."""

    def __init__(self, adapter: Adapter) -> None:
        self.adapter = adapter
        self.mirror = Mirror(("full", "swa"))

    def poll(self) -> int:
        """Apply one batch and return how many records it had."""
        batch = self.adapter.poll()
        if batch.resync:
            self.mirror.clear()
        for _, record in batch.records:
            self.mirror.apply(record)
        return len(batch.records)

    def settle(self, process: CacheProcess) -> None:
        """Catch up with a process that only flushes."""
        for _ in range(1000):
            process.ask("flush")
            if self.poll() <= 2 and self.adapter.state().state == "live":  # pool records never end
                return
        raise AssertionError(f"not settled: {self.adapter.state()}")


def assert_mirrors(mirror: Mirror, tree: TrueTree) -> None:
    """Compare the mirror with what the view shows, and with a mirror made of a walk over the tree at rest."""
    assert tree.rows
    shown = [
        [
            node.id, node.parent.id, node.start, node.start + node.length,
            [bool(node.live >> component & 1) for component in range(2)], node.locks, node.hit_count, node.priority,
        ]
        for node in mirror.nodes.values() if node.parent is not None
    ]  # fmt: skip
    assert sorted(shown) == sorted(tree.rows)
    told = Mirror(("full", "swa"))
    for raw in tree.records:
        record = decode(raw[0] & KIND_MASK, raw[1:])
        assert record is not None
        told.apply(record)
    assert texts(mirror) == texts(told)


def texts(mirror: Mirror) -> dict[int, tuple[object, ...]]:
    """What each node is called, and whose tokens it holds."""
    return {
        node.id: (
            node.content_key, node.anchored, mirror.namespaces.get(node.namespace),
            [(start, mirror.labels[label]) for start, label in node.segments],
        )
        for node in mirror.nodes.values() if node.parent is not None
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_a_mirror_from_the_start_equals_the_tree(start: Start, folder: Path, seed: int) -> None:
    process = start(seed=seed)
    follower = Follower(ShmAdapter(process.pid, folder=folder))
    process.ask("run 1500")
    follower.settle(process)
    assert_mirrors(follower.mirror, process.tree())
    assert follower.adapter.state().dropped_records == 0


@pytest.mark.parametrize("seed", range(6))
def test_a_late_mirror_that_is_overrun_again_and_again_equals_the_tree(start: Start, folder: Path, seed: int) -> None:
    process = start(slots=16, seed=seed)
    process.ask("run 1000")
    follower = Follower(ShmAdapter(process.pid, folder=folder))
    rng = random.Random(seed)
    for _ in range(60):
        process.ask(f"run {rng.choice([1, 2, 5, 300])}")
        for _ in range(rng.choice([0, 1, 4])):
            follower.poll()
    follower.settle(process)
    assert_mirrors(follower.mirror, process.tree())
    assert follower.adapter.state().dropped_records > 0


def test_a_mirror_that_races_the_cache_equals_the_tree(start: Start, folder: Path) -> None:
    process = start(slots=64)
    process.tell("run 20000")
    follower = Follower(ShmAdapter(process.pid, folder=folder))
    for _ in while_busy(process):
        follower.poll()
    follower.settle(process)
    assert_mirrors(follower.mirror, process.tree())


def test_an_end_in_order_is_told_and_leaves_no_file(start: Start, folder: Path) -> None:
    process = start(slots=16)
    process.ask("run 500")
    adapter = ShmAdapter(process.pid, folder=folder)
    process.ask("run 10")
    process.end()
    assert (adapter.state().state, adapter.state().message) == ("ended", "told to end")
    assert list(folder.iterdir()) == []


def test_a_killed_cache_leaves_a_screen_what_it_had_and_a_recording_everything(
    start: Start, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.rtrec"
    process = start(recording=path)
    follower = Follower(ShmAdapter(process.pid, folder=folder))
    process.ask("run 800")
    tree = process.tree()
    process.kill()
    while follower.poll():
        pass
    assert follower.adapter.state().state == "lost"
    assert_mirrors(follower.mirror, tree)
    replay = Follower(RecordingAdapter(path, speed=float("inf")))
    while replay.poll():
        pass
    assert_mirrors(replay.mirror, tree)
    start(seed=2)
    assert len(list(folder.glob("*.ring"))) == 1
