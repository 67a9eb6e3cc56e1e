"""Ten times as long a recording: no more time to say what it is, no more memory to read it."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from cache_core.events import CacheReset, Evict
from profiles.overview import overview
from profiles.recording import Recording
from tests.support.long_recording import write_long

SHORT, LONG = 30_000, 300_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a short and a long recording, and both as killed writers leave them."""
    folder = tmp_path_factory.mktemp("recordings")
    for name, records in (("short", SHORT), ("long", LONG)):
        write_long(folder / name, records, snapshot_every=10_000)
        (folder / f"{name}-killed").write_bytes((folder / name).read_bytes()[:-100])
    return folder


def best_s(call: Callable[[], object], tries: int = 5) -> float:
    """The processor time of the best of a few calls."""
    took = []
    for _ in range(tries):
        began = time.process_time()
        call()
        took.append(time.process_time() - began)
    return min(took)


def count(path: Path, kinds: set[type] | None) -> int:
    with Recording(path) as recording:
        return sum(1 for _ in recording.records(kinds))


def test_what_a_closed_recording_is_takes_no_longer_to_say(folder: Path) -> None:
    short, long = (best_s(lambda name=name: overview(folder / name)) for name in ("short", "long"))
    assert long < 3 * short + 0.005


def test_of_a_killed_one_only_headers_are_read(folder: Path) -> None:
    scan = best_s(lambda: overview(folder / "long-killed"))
    read = best_s(lambda: overview(folder / "long-killed", check=True), 3)
    assert overview(folder / "long-killed").has_index
    assert 2 * scan < read


def test_kinds_that_nobody_asked_for_are_skipped_fast(folder: Path) -> None:
    every = best_s(lambda: count(folder / "long", None), 2)
    few = best_s(lambda: count(folder / "long", {CacheReset}), 2)
    assert 2 * few < every


def peak_bytes(call: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kinds", [None, {Evict}])
def test_reading_takes_no_more_memory(folder: Path, kinds: set[type] | None) -> None:
    short, long = (peak_bytes(lambda name=name: count(folder / name, kinds)) for name in ("short", "long"))
    assert long < 1.5 * short
    assert long < (folder / "long").stat().st_size / 4


@pytest.mark.parametrize("name", ["long", "long-killed"])
def test_saying_what_it_is_takes_little_memory(folder: Path, name: str) -> None:
    assert peak_bytes(lambda: overview(folder / name)) < (folder / "long").stat().st_size / 4
