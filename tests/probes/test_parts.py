"""Records that make no block as they come: spread, cut or dropped, and never in another order."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from cache_core.event_codec import text_record
from cache_core.events import WORDS_SHIFT, Label, NodeRemoved, RawRecord
from probes.blocks import HEADER_WORDS, decode_block, encode_block, open_block
from probes.parts import write_in_parts
from tests.support.raw import raw


class Parts:
    """Collects the runs that fit `limit` words and hold nothing but integers."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.written: list[RawRecord] = []
        self.largest = 0
        self.dropped = 0

    def write(self, run: Sequence[RawRecord]) -> bool:
        words = HEADER_WORDS + sum(map(len, run))
        if words > self.limit or any(not isinstance(word, int) for record in run for word in record):
            return False
        self.written += run
        self.largest = max(self.largest, words)
        return True

    def drop(self) -> None:
        self.dropped += 1


@given(st.lists(st.integers(0, 30), max_size=300))
def test_many_records_are_spread_in_order(sizes: list[int]) -> None:
    records: list[RawRecord] = [(1 | size << WORDS_SHIFT, *range(size)) for size in sizes]
    parts = Parts(64)
    write_in_parts(records, parts.write, parts.drop, 64)
    assert parts.written == records
    assert parts.dropped == 0


def test_a_text_longer_than_a_block_is_cut() -> None:
    parts = Parts(32)
    write_in_parts([text_record(Label, 7, "long " * 200)], parts.write, parts.drop, 32)
    [record] = parts.written
    (_, label), *_ = decode_block(encode_block(open_block(1, 0, 0), [record])).records()
    assert label == Label(7, ("long " * 200)[: 8 * (32 - HEADER_WORDS - 3)])


def test_a_record_that_cannot_be_written_is_dropped_alone() -> None:
    parts = Parts(64)
    good = [raw(NodeRemoved(at, 1)) for at in range(100)]
    write_in_parts([*good[:50], (1, 0.5), *good[50:]], parts.write, parts.drop, 64)  # type: ignore[list-item]
    assert (parts.written, parts.dropped) == (good, 1)
