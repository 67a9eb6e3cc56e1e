"""The quick way from words to records says what the careful codec says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cache_core.events import Evict, Label, Lock, NodeRemoved, Pool, RawRecord, Record
from probes.block_stream import RawBlock
from probes.blocks import BlockError, check_block, encode_block, open_block
from probes.recordings.unpack import Unpacker
from tests.probes.test_blocks import RECORDS
from tests.support.raw import raw

ODD: tuple[RawRecord, ...] = (
    (999 | 2 << 16, 1, 2), (18 | 1 << 16, 5), (18 | 3 << 16, 1, 2, 3), (48 | 6 << 16, 1, 99, 3, 4, 5, 6),
    (65 | 2 << 16, 1, 500), (4 | 1 << 16, 7), (0,),
)  # fmt: skip
"""A kind that nobody knows, fields missing, a field more, a component that no cache has, a text that is not there."""

RUNS = st.lists(st.one_of(RECORDS.map(raw), st.sampled_from(ODD)), max_size=30)
CLASSES = st.sets(st.sampled_from([Evict, Label, Lock, NodeRemoved, Pool]))


def block_of(records: list[RawRecord]) -> RawBlock:
    view = memoryview(encode_block(open_block(1, 0, 0), records))
    return RawBlock(check_block(view), view, 0)


@given(RUNS)
def test_all_records_are_those_of_the_codec(records: list[RawRecord]) -> None:
    block = block_of(records)
    assert Unpacker()(block) == [record for _, record in block.decoded().records()]


@given(RUNS, CLASSES)
def test_some_records_are_those_among_all(records: list[RawRecord], kinds: set[type[Record]]) -> None:
    block = block_of(records)
    unpack = Unpacker(kinds)
    expected = [record for _, record in block.decoded().records() if type(record) in kinds]
    assert unpack(block) == expected
    assert unpack(block) == expected  # by what it has learnt


@pytest.mark.parametrize("kinds", [None, {NodeRemoved}, {Label}])
@pytest.mark.parametrize("last", [(18 | 9 << 16, 1, 2), (-1, 1), (999 | 40 << 16,), (4 | 9 << 16, 1)])
def test_records_that_do_not_fill_their_block_are_an_error(kinds: set[type[Record]] | None, last: RawRecord) -> None:
    block = block_of([raw(NodeRemoved(1, 2)), last])
    for _ in range(2):
        with pytest.raises(BlockError, match="do not fill"):
            Unpacker(kinds)(block)


def test_a_stream_of_ever_new_head_words_takes_no_memory() -> None:
    unpack = Unpacker({Pool})
    for kind in range(1000, 9000):
        unpack(block_of([(kind | 1 << 16, 0)]))
    assert len(unpack._shapes) <= 4096
    assert len(unpack._steps) <= 4096
