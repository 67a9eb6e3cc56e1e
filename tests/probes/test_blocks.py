"""The block codec: what goes in comes out, and nothing damaged does."""

from __future__ import annotations

import struct
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.event_codec import head as head_word
from cache_core.events import (
    MAX_COMPONENTS,
    WORDS_SHIFT,
    Evict,
    Label,
    Lock,
    NodeAdded,
    NodeRemoved,
    Pool,
    RawRecord,
    Record,
    Recovered,
    RequestQueued,
    Tombstoned,
)
from probes.blocks import (
    DELTAS,
    HEADER_BYTES,
    SLICE,
    BlockError,
    decode_block,
    decode_head,
    encode_block,
    open_block,
)
from tests.support.raw import raw

WORD = st.integers(-(2**63), 2**63 - 1)
COMPONENT = st.integers(0, MAX_COMPONENTS - 1)


def _fixed(cls: type) -> st.SearchStrategy[Record]:
    return st.tuples(*[WORD] * len(cls._fields)).map(lambda fields: cls(*fields))  # type: ignore[attr-defined]


RECORDS = st.one_of(
    *(_fixed(cls) for cls in (NodeAdded, NodeRemoved, RequestQueued)),
    st.builds(Pool, WORD, COMPONENT, WORD, WORD, WORD, WORD),
    st.builds(Label, WORD, st.text(max_size=60)),
    st.builds(Lock, WORD, WORD, st.lists(WORD, max_size=3).map(tuple)),
    st.tuples(st.tuples(*[WORD] * 10), st.lists(WORD, max_size=3)).map(
        lambda t: Evict(*t[0], tuple(t[1]))._replace(component=1)
    ),
)


@pytest.mark.parametrize("component", [-1, MAX_COMPONENTS, 2**62])
@pytest.mark.parametrize("cls", [Pool, Evict, Tombstoned, Recovered])
def test_a_component_that_no_cache_has_makes_no_record(cls: type, component: int) -> None:
    words = [component if name == "component" else 0 for name in cls._fields]  # type: ignore[attr-defined]
    words = words[:-1] if cls is Evict else words
    block = decode_block(encode_block(open_block(1, 0, 0), [(head_word(cls), *words)]))
    assert block.records() == []


@given(st.lists(RECORDS, max_size=20), st.integers(1, 2**60), st.integers(0, 2**60))
def test_records_come_back_numbered(records: list[Record], sequence: int, first_seq: int) -> None:
    block = decode_block(encode_block(open_block(sequence, first_seq, 7), [raw(record) for record in records]))
    assert (block.sequence, block.first_seq, block.flushed_at) == (sequence, first_seq, 7)
    assert list(block.records()) == list(enumerate(records, first_seq))
    assert block.end_seq == first_seq + len(records)


def test_records_of_a_slice_share_its_number() -> None:
    records = [raw(NodeRemoved(1, 2)), raw(NodeRemoved(3, 4))]
    block = decode_block(encode_block(open_block(0, 90, 7, SLICE), records))
    assert (block.kind, block.end_seq) == (SLICE, 90)
    assert [seq for seq, _ in block.records()] == [90, 90]


@given(st.data())
def test_one_flipped_bit_is_noticed(data: st.DataObject) -> None:
    whole = bytearray(encode_block(open_block(3, 10, 20), [raw(NodeRemoved(5, 6)), raw(Label(1, "system prompt"))]))
    bit = data.draw(st.integers(0, len(whole) * 8 - 1))
    whole[bit // 8] ^= 1 << bit % 8
    with pytest.raises(BlockError):
        decode_block(bytes(whole))


@given(st.integers(0, 200))
def test_a_cut_block_is_noticed(length: int) -> None:
    whole = encode_block(open_block(3, 10, 20), [raw(Label(1, "x" * 200))])
    with pytest.raises(BlockError):
        decode_block(whole[:length])


@given(st.binary(max_size=400))
def test_noise_is_no_block(noise: bytes) -> None:
    with pytest.raises(BlockError):
        decode_block(noise)


def test_lengths_that_lie_under_a_good_checksum_are_noticed() -> None:
    whole = bytearray(encode_block(open_block(3, 10, 20), [raw(NodeRemoved(5, 6))]))
    struct.pack_into("<q", whole, HEADER_BYTES, 18 | 900 << WORDS_SHIFT)
    struct.pack_into("<I", whole, 40, 0)
    struct.pack_into("<I", whole, 40, crc32(whole))
    with pytest.raises(BlockError, match="do not fill"):
        decode_block(bytes(whole))


def test_a_header_tells_the_size_of_the_block() -> None:
    whole = encode_block(open_block(3, 10, 20), [raw(NodeRemoved(5, 6))])
    head = decode_head(whole[:HEADER_BYTES])
    assert (head.size, head.record_count, head.kind) == (len(whole), 1, DELTAS)


def test_unknown_kinds_and_short_records_are_stepped_over_and_still_counted() -> None:
    records: list[RawRecord] = [(999 | 1 << WORDS_SHIFT, 5), (18 | 1 << WORDS_SHIFT, 5), raw(NodeRemoved(5, 6))]
    block = decode_block(encode_block(open_block(3, 10, 20), records))
    assert list(block.records()) == [(12, NodeRemoved(5, 6))]
