"""A recording as a source: speed, and what it says at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from cache_core.events import NodeRemoved
from probes.adapters.recording import RecordingAdapter
from probes.blocks import encode_block, open_block
from probes.recordings.writer import RecordingWriter
from tests.probes.test_recorder import removed
from tests.probes.test_shm_adapter import Clock

S = 1_000_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Ten blocks of two records, a second apart, from second 100 on."""
    path = tmp_path / "run.rtrec"
    writer = RecordingWriter(path, {"page_size": 16})
    for number in range(10):
        records = [removed(2 * number), removed(2 * number + 1)]
        writer.append(encode_block(open_block(number + 1, 2 * number, (100 + number) * S), records))
    writer.close("done", 109 * S)
    return path


@pytest.fixture
def clock() -> Clock:
    return Clock()


def polled(adapter: RecordingAdapter) -> list[int]:
    """The numbers of the records of one poll."""
    return [record.node for _, record in adapter.poll().records if isinstance(record, NodeRemoved)]


def test_records_come_when_they_came(path: Path, clock: Clock) -> None:
    adapter = RecordingAdapter(path, clock=clock)
    seen = [polled(adapter)]
    for _ in range(2):
        clock.now += S
        seen.append(polled(adapter))
    assert seen == [[0, 1], [2, 3], [4, 5]]
    assert adapter.now() == 102 * S


def test_time_passes_at_the_speed_between_blocks_too(path: Path, clock: Clock) -> None:
    adapter = RecordingAdapter(path, speed=0.5, clock=clock)
    clock.now += S
    assert polled(adapter) == [0, 1]
    assert adapter.now() == 100.5 * S


def test_infinite_speed_hands_out_everything(path: Path) -> None:
    adapter = RecordingAdapter(path, speed=float("inf"))
    assert polled(adapter) == list(range(20))
    assert adapter.is_at_end
    assert adapter.now() == 109 * S


def test_time_stands_still_at_the_end(path: Path, clock: Clock) -> None:
    adapter = RecordingAdapter(path, clock=clock)
    for _ in range(3):
        clock.now += 60 * S
        polled(adapter)
    assert adapter.now() == 109 * S
    assert adapter.state().message == "1x, at the end, done"


def test_missing_and_damaged_blocks_are_counted(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    adapter = RecordingAdapter(path, speed=float("inf"))
    seen = polled(adapter)
    state = adapter.state()
    assert len(seen) == 18
    assert (state.state, state.dropped_records, state.torn_blocks) == ("replay", 2, 1)


def test_a_cut_recording_says_so_at_its_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])
    adapter = RecordingAdapter(path, speed=float("inf"))
    polled(adapter)
    assert "cut short" in adapter.state().message


def test_a_recording_that_still_grows_plays_on(path: Path, clock: Clock, tmp_path: Path) -> None:
    growing = tmp_path / "growing.rtrec"
    writer = RecordingWriter(growing, {})
    adapter = RecordingAdapter(growing, speed=float("inf"), clock=clock)
    assert polled(adapter) == []
    writer.append(encode_block(open_block(1, 0, 5), [removed(3)]))
    assert polled(adapter) == [3]
