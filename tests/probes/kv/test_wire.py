"""Payloads of every layout mean what their engines meant."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.errors import WireError
from probes.kv.wire import Cleared, Event, Removed, Stored, decode
from tests.support.kv_streams import CUTS, messages, names

VECTORS: list[dict[str, Any]] = json.loads((CUTS / "vectors.json").read_text(encoding="utf-8"))["vectors"]
TIERS = {"GPU": "device", "CPU": "host", "CPU_PINNED": "host", "DISK": "disk", "EXTERNAL": "external"}


def encode(*batch: object) -> bytes:
    """Return the payload of a batch."""
    return msgspec.msgpack.encode(batch)


def only(event: object) -> Event:
    """Return what comes of a batch of one event."""
    (read,) = decode(encode(1.0, [event], 0)).events
    return read


def unsigned(name: object) -> object:
    """Return the name of a block as we have it; bytes are hex in the vectors."""
    if isinstance(name, dict):
        return bytes.fromhex(next(iter(name.values())))
    return name % 2**64 if isinstance(name, int) else bytes.fromhex(str(name))


def meant(event: dict[str, Any]) -> Event:
    """Return what the engine meant, from the fields of its own class."""
    if event["type"] == "AllBlocksCleared":
        return Cleared()
    hashes = [unsigned(name) for name in event["block_hashes"]]
    tier = TIERS.get(event.get("medium") or "GPU", str(event.get("medium")).lower())
    group = event.get("group_idx") or 0
    if event["type"] == "BlockRemoved":
        return Removed(hashes, tier, group)
    parent, tokens = event["parent_block_hash"], event["token_ids"]
    pairs = bool(tokens) and isinstance(tokens[0], list)
    lora = event.get("lora_name") or event.get("lora_id")
    return Stored(
        hashes=hashes,
        parent=None if parent is None else unsigned(parent),
        tokens=[token for pair in tokens for token in pair] if pairs else tokens,
        block_tokens=event["block_size"],
        tier=tier,
        group=group,
        has_bigrams=pairs,
        kind=event.get("kv_cache_spec_kind"),
        window_tokens=event.get("kv_cache_spec_sliding_window"),
        lora=None if lora is None else str(lora),
        salt=event.get("metadata", event).get("cache_salt"),
        session=event.get("session_id"),
        extra_keys=(),
    )


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_a_vector_means_what_it_is_said_to(vector: dict[str, Any]) -> None:
    batch = decode(bytes.fromhex(vector["hex"]))
    said = vector["decoded"]
    events = [event._replace(extra_keys=()) if isinstance(event, Stored) else event for event in batch.events]
    assert events == [meant(event) for event in said["events"]]
    assert batch.ts == said["ts"]
    assert batch.rank == said.get("attn_dp_rank", said.get("data_parallel_rank"))
    assert not batch.skipped


def test_the_keys_that_make_blocks_differ_are_told() -> None:
    (vector,) = (each for each in VECTORS if each["name"] == "vllm_array_v4_extra_keys")
    (stored,) = decode(bytes.fromhex(vector["hex"])).events
    assert isinstance(stored, Stored)
    assert list(stored.extra_keys) == [["tenant-9"], None, [["mmhash-aa", 3]]]


def test_a_batch_may_be_a_map_and_have_events_of_both_shapes() -> None:
    events = [["BlockRemoved", [7]], {"type": "BlockRemoved", "block_hashes": [8], "medium": None}]
    payload = msgspec.msgpack.encode({"ts": 2.5, "events": events, "data_parallel_rank": 3, "newer": [1]})
    assert decode(payload) == (2.5, (Removed([7]), Removed([8])), 3, {})


@pytest.mark.parametrize("cut", range(1, 13))
def test_fields_that_are_cut_off_are_fields_that_are_not_told(cut: int) -> None:
    whole = ["BlockStored", [1], None, [5, 6], 2, None, "GPU", "lora", [None], 1, "full_attention", None]
    if cut < 2:
        assert decode(encode(1.0, [whole[:cut]], 0)).skipped == {"no list of hashes": 1}
        return
    stored = only(whole[:cut])
    assert isinstance(stored, Stored)
    assert stored.hashes == [1]
    assert stored.block_tokens == (2 if cut > 4 else 0)
    assert stored.group == (1 if cut > 9 else 0)


def test_negative_and_large_numbers_are_one_name() -> None:
    for given_name in (-1, 2**64 - 1):
        assert only(["BlockRemoved", [given_name]]) == Removed([2**64 - 1])


def test_an_unknown_event_costs_nothing_but_itself() -> None:
    events = [["BlockMoved", 1], ["BlockRemoved", [7]], {"type": "BlockPinned"}, {"no": "type"}, 5, [], [None]]
    batch = decode(encode(1.0, events, 0))
    assert batch.events == (Removed([7]),)
    assert batch.skipped == {
        "unknown event BlockMoved": 1,
        "unknown event BlockPinned": 1,
        "an event without a name": 2,
        "an event of no known shape": 2,
    }


@pytest.mark.parametrize(
    "event",
    [
        ["BlockStored", 5, None, [], 1, None],
        ["BlockStored", [1.5], None, [], 1, None],
        ["BlockStored", ["text"], None, [], 1, None],
        ["BlockStored", [b""], None, [], 1, None],
        ["BlockStored", [b"x" * 65], None, [], 1, None],
        ["BlockStored", [1], "parent", [], 1, None],
        ["BlockStored", [1], None, ["a"], 1, None],
        ["BlockStored", [1], None, [[1, 2], 3], 1, None],
        ["BlockStored", [1], None, [[1, 2, 3]], 1, None],
        ["BlockStored", [1], None, [], -1, None],
        ["BlockStored", [1], None, [], 2**40, None],
        ["BlockStored", [1], None, [], 1, None, [1]],
        ["BlockRemoved", [1], "GPU", "group"],
        ["BlockRemoved", None],
    ],
)
def test_an_event_that_makes_no_sense_is_counted(event: list[object]) -> None:
    batch = decode(encode(1.0, [event, ["AllBlocksCleared"]], 0))
    assert batch.events == (Cleared(),)
    assert sum(batch.skipped.values()) == 1


def test_a_stream_of_made_up_names_takes_little_room() -> None:
    batch = decode(encode(1.0, [[f"Made up \x1b[31m {number} " + "x" * 1000] for number in range(1000)], 0))
    assert sum(batch.skipped.values()) == 1000
    assert len(batch.skipped) < 12
    assert all(len(reason) < 100 and reason.isprintable() for reason in batch.skipped)


NO_BATCHES = [
    b"",
    b"\xc1",
    b"GET / HTTP/1.1\r\n",
    encode(1.0),
    encode(1.0, 5, 0),
    b"\x91" * 5000,
    b"\xdd\xff\xff\xff\xff",
    b"\xa5abc",
]


@pytest.mark.parametrize("payload", NO_BATCHES)
def test_what_is_no_batch_is_one_error(payload: bytes) -> None:
    with pytest.raises(WireError, match="the port is that of something else"):
        decode(payload)


def test_a_time_that_is_none_is_not_known() -> None:
    assert math.isnan(decode(encode("now", [], 0)).ts)
    assert decode(encode(1.0, [], -5)).rank is None


NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats()
plain = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | st.binary(max_size=70),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
tags = st.sampled_from(["BlockStored", "BlockRemoved", "AllBlocksCleared", "Other"])
fields = st.sampled_from(["type", "block_hashes", "parent_block_hash", "token_ids", "block_size", "medium"])
arrays = st.tuples(tags, st.lists(plain, max_size=12)).map(lambda pair: [pair[0], *pair[1]])
events = arrays | st.dictionaries(fields, plain | tags)


@given(st.lists(events | plain, max_size=6), plain, plain)
def test_whatever_is_sent_is_read_or_counted(sent: list[object], ts: object, rank: object) -> None:
    batch = decode(encode(ts, sent, rank))
    assert len(batch.events) + sum(batch.skipped.values()) == len(sent)


@given(st.binary(max_size=200))
def test_bytes_are_a_batch_or_one_error(payload: bytes) -> None:
    with suppress(WireError):
        decode(payload)


@given(st.data())
def test_a_damaged_message_is_a_batch_or_one_error(data: st.DataObject) -> None:
    payloads = [bytes.fromhex(vector["hex"]) for vector in VECTORS]
    raw = bytearray(data.draw(st.sampled_from(payloads)))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(WireError):
        decode(bytes(raw))


@pytest.mark.parametrize("name", names())
def test_recorded_streams_are_read_whole(name: str) -> None:
    assert not any(decode(payload).skipped for _, payload in messages(name))
