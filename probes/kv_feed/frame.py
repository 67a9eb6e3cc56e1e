"""Messages as they come: which number a batch has, and when it was flushed, before anybody decodes it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from probes.errors import WireError
from probes.kv.wire import decode

SEQUENCE_BYTES = 8

_FEWEST_FRAMES, _MOST_FRAMES = 2, 4
_END = b"\xff" * SEQUENCE_BYTES
_LAST_SEQ = (1 << 63) - 1
_DOUBLE = 0xCB
_ARRAYS = range(0x92, 0x9F)


class Frame(NamedTuple):
    """A batch that is not decoded: its number, when it was flushed on the clock of its sender, when it came here.

    `is_answer` says that it was asked for, and is of the past.
    """

    seq: int
    ts: float
    payload: bytes
    received_at: int
    is_answer: bool = False


def read_message(frames: Sequence[bytes], received_at: int) -> Frame | None:
    """Return the batch of a message, live or of an answer: its last two frames are number and payload.

    None stands for the end of an answer. Raises WireError for what is no such message.
    """
    if not _FEWEST_FRAMES <= len(frames) <= _MOST_FRAMES:
        raise WireError(f"a message has {len(frames)} frames and not topic, number, batch", _NO_EVENTS)
    number, payload = frames[-2:]
    if number == _END and not payload:
        return None
    if len(number) != SEQUENCE_BYTES:
        raise WireError(f"the number of a message has {len(number)} bytes and not {SEQUENCE_BYTES}", _NO_EVENTS)
    seq = int.from_bytes(number, "big")
    if seq > _LAST_SEQ:
        raise WireError(f"a message has the number {seq}, which none can reach", _NO_EVENTS)
    return Frame(seq, flushed_at(payload), payload, received_at)


def flushed_at(payload: bytes) -> float:
    """Return the time in a payload, nan where there is none. Raises WireError for what can be no batch.

    Both engines put it first, as a double in an array: it is read without decoding what comes after.
    """
    if len(payload) > 10 and payload[0] in _ARRAYS and payload[1] == _DOUBLE:
        ts: float = struct.unpack_from(">d", payload, 2)[0]
        return ts
    return decode(payload).ts


_NO_EVENTS = "name the port of the publisher: the endpoint in --kv-events-config"
