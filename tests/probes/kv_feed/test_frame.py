"""The frames of messages, and the time in a payload."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.errors import WireError
from probes.kv_feed.frame import flushed_at, read_message

PAYLOAD = msgspec.msgpack.encode([1.5, [], 0])


@pytest.mark.parametrize("before", [[], [b""], [b"topic"], [b"", b"topic"]])
def test_number_and_payload_come_last(before: list[bytes]) -> None:
    frame = read_message([*before, (7).to_bytes(8, "big"), PAYLOAD], 99)
    assert frame is not None
    assert frame == (7, 1.5, PAYLOAD, 99, False)


@pytest.mark.parametrize("before", [[], [b""], [b"", b""]])
def test_an_end_has_no_payload(before: list[bytes]) -> None:
    assert read_message([*before, b"\xff" * 8, b""], 0) is None


@pytest.mark.parametrize(
    ("payload", "ts"),
    [
        (PAYLOAD, 1.5),
        (msgspec.msgpack.encode([1.5, []]), 1.5),
        (msgspec.msgpack.encode([3, [], None]), 3.0),
        (msgspec.msgpack.encode({"ts": 2.5, "events": []}), 2.5),
        (msgspec.msgpack.encode([None, []]), math.nan),
    ],
)
def test_the_time_of_every_layout(payload: bytes, ts: float) -> None:
    assert flushed_at(payload) == pytest.approx(ts, nan_ok=True)


@given(st.lists(st.one_of(st.binary(max_size=30), st.just(PAYLOAD), st.just(bytes(8))), max_size=6))
def test_any_frames_are_a_batch_or_refused(frames: list[bytes]) -> None:
    try:
        frame = read_message(frames, 0)
    except WireError:
        return
    assert frame is None or 0 <= frame.seq < 1 << 63
