"""Recordings of KV events: written, read, cut, damaged, and handed out as feeds."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from random import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.errors import FeedError, WireError
from probes.kv_feed.file_feed import FileFeed
from probes.kv_feed.happenings import Cut, Delivery, Gap, Happening, Joined, Restarted
from probes.kv_feed.limits import FeedOptions
from probes.kv_feed.stream_file import MAGIC, Received, StreamReader, StreamWriter, is_stream

DATA = Path(__file__).parents[2] / "data"
RECORDINGS = sorted((*DATA.glob("kv_events/*.bin.gz"), *DATA.glob("kv_streams/*.bin.xz")))


def message(seq: int, ts: float | None = None) -> tuple[bytes, bytes, bytes]:
    """Return the frames of a batch without events."""
    stamp = float(seq) if ts is None else ts
    return (b"", seq.to_bytes(8, "big"), msgspec.msgpack.encode([stamp, [["AllBlocksCleared"]], 0]))


def written(path: Path, *messages: tuple[bytes, ...]) -> Path:
    """Return the path of a recording of messages, one a second."""
    with StreamWriter(path) as writer:
        for at, frames in enumerate(messages):
            writer.append(float(at), frames)
    return path


def read(path: Path) -> list[Received]:
    """Return all messages of a recording."""
    with StreamReader(path) as reader:
        return list(reader)


def all_of(feed: FileFeed) -> list[Happening]:
    """Return all that a recording hands out."""
    found: list[Happening] = []
    while not feed.state().ended:
        found += feed.take()
    return found


@pytest.mark.parametrize("name", ["run.bin", "run.bin.gz", "run.bin.xz"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    messages = [(b"topic", bytes(8), b"x" * 1000), (b"",), tuple(bytes([i]) for i in range(16))]
    path = written(tmp_path / name, *messages)
    assert read(path) == [Received(float(at), frames) for at, frames in enumerate(messages)]
    assert is_stream(path)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_a_recording_of_an_engine_is_a_feed(path: Path) -> None:
    feed = FileFeed(path)
    found = all_of(feed)
    state = feed.state()
    batches = [each for each in found if isinstance(each, Delivery)]
    gaps = [each for each in found if isinstance(each, Gap)]
    assert isinstance(found[0], Joined)
    assert len(batches) == state.received == len(read(path))
    assert (state.malformed, state.duplicates, state.restarts, state.message) == (0, 0, 0, "")
    numbers = [each.seq for each in batches] + [seq for gap in gaps for seq in range(gap.first, gap.last + 1)]
    assert sorted(numbers) == list(range(found[0].first_seq, batches[-1].seq + 1))


@pytest.mark.needs("kv_streams")
@pytest.mark.parametrize(
    ("name", "told"),
    [("gap", [Gap(1000, 1039)]), ("restart", [Restarted(0), Joined(0, False)])],
)
def test_what_is_wrong_with_a_recording_is_told(name: str, told: list[Happening]) -> None:
    found = all_of(FileFeed(Path(os.environ["RADIXTOP_KV_STREAMS"]) / f"derived_{name}.bin.gz"))
    assert [each for each in found[1:] if not isinstance(each, Delivery)] == told


def test_a_restart_within_a_recording_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "run.bin", message(0), message(1), message(0, ts=9.0))
    found = all_of(FileFeed(path))
    assert [type(each) for each in found] == [Joined, Delivery, Delivery, Restarted, Joined, Delivery]
    assert [each.received_at for each in found if isinstance(each, Delivery)] == [0, 10**9, 2 * 10**9]


def test_one_call_takes_so_much_at_most(tmp_path: Path) -> None:
    feed = FileFeed(written(tmp_path / "run.bin", *map(message, range(100))), FeedOptions(take_batches=10))
    assert [len(feed.take()) for _ in range(3)] == [10, 10, 10]
    assert not feed.state().ended
    feed.close()


def test_a_cut_recording_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path / "run.bin", message(0), message(1))
    whole = path.read_bytes()
    for size in range(len(MAGIC) + 1, len(whole)):
        path.write_bytes(whole[:size])
        feed = FileFeed(path)
        batches = [each for each in all_of(feed) if isinstance(each, Delivery)]
        is_between = size == len(MAGIC) + (len(whole) - len(MAGIC)) // 2
        assert len(batches) == (size >= (len(whole) + len(MAGIC)) // 2)
        assert ("it ends within the message at byte " in feed.state().message) != is_between


@pytest.mark.parametrize("name", ["run.bin.gz", "run.bin.xz"])
def test_a_cut_compression_ends_a_recording(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, *map(message, range(2000)))
    path.write_bytes(path.read_bytes()[:-20])
    feed = FileFeed(path)
    *told, last = all_of(feed)
    assert len(told) > 1000
    assert isinstance(last, Cut) and last.why in feed.state().message


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (struct.pack(">dB", 0.0, 0), "a message of 0 frames at byte 8"),
        (struct.pack(">dB", 0.0, 255), "a message of 255 frames at byte 8"),
        (struct.pack(">dBI", 0.0, 1, 1 << 31), "a frame of 2,147,483,648 bytes in the message at byte 8"),
    ],
)
def test_absurd_lengths_end_a_recording_and_are_said(tmp_path: Path, raw: bytes, words: str) -> None:
    path = tmp_path / "run.bin"
    path.write_bytes(MAGIC + raw)
    with pytest.raises(WireError, match=words), StreamReader(path) as reader:
        next(reader)
    feed = FileFeed(path)
    assert all_of(feed) == [Cut("it is damaged from byte 8 on")]
    assert words in feed.state().message
    assert feed.state().message.endswith(
        "it is damaged from there on, and only what came before is told; save it anew"
    )


@pytest.mark.parametrize("name", ["run.bin.gz", "run.bin.xz"])
def test_what_cannot_be_unpacked_is_said_and_where(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, *(message(seq, random()) for seq in range(8_000)))
    raw = bytearray(path.read_bytes())
    raw[-8:] = bytes(8)
    path.write_bytes(raw)
    feed = FileFeed(path)
    *told, last = all_of(feed)
    assert told and isinstance(last, Cut)
    assert f"{name}: what follows byte " in feed.state().message


@pytest.mark.parametrize("raw", [b"", b"RXKV", b"RTREC\r\n\x1a" + bytes(100), b"\x1f\x8b"])
def test_what_is_no_recording_is_refused(tmp_path: Path, raw: bytes) -> None:
    for name in ("run.bin", "run.bin.gz", "run.bin.xz"):
        path = tmp_path / name
        path.write_bytes(raw)
        with pytest.raises(WireError, match="does not begin as a recording of KV events"):
            FileFeed(path)
        assert not is_stream(path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="No such file or directory; name a file that is there"):
        FileFeed(tmp_path / "none.bin")
    with pytest.raises(FeedError, match="cannot write"):
        StreamWriter(tmp_path / "none" / "run.bin")
    assert not is_stream(tmp_path / "none.bin")


def test_messages_that_are_no_events_are_counted(tmp_path: Path) -> None:
    feed = FileFeed(written(tmp_path / "run.bin", (b"x",), (b"", b"short", b"y"), (b"", bytes(8), b"\xc1")))
    assert all_of(feed) == []
    assert feed.state().malformed == 3
    assert "none of them are KV events" in feed.state().message


def test_a_closed_feed_hands_out_nothing_more(tmp_path: Path) -> None:
    feed = FileFeed(written(tmp_path / "run.bin", message(0)))
    feed.close()
    assert feed.take() == []
    assert feed.state().ended


@given(st.binary(max_size=200))
def test_whatever_is_in_a_file_raises_nothing_else(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.bin"
    path.write_bytes(MAGIC + raw)
    all_of(FileFeed(path))
