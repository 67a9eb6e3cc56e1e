"""Sums over blocks, and kinds counted many at a time."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from cache_core.events import KIND_MASK, WORDS_SHIFT
from probes.blocks import SLICE, SNAPSHOT_BEGIN, SNAPSHOT_END, BlockHead
from probes.recordings.tally import MOST_PLACES, Tally, count_kinds


@given(st.lists(st.integers(0, 70) | st.integers(250, 260) | st.integers(0, KIND_MASK)), st.booleans())
def test_kinds_are_counted_whatever_their_number(kinds: list[int], is_short: bool) -> None:
    kinds = [kind & 0xFF for kind in kinds] if is_short else kinds
    counted = {7: 1}
    count_kinds([kind | index % 90 << WORDS_SHIFT for index, kind in enumerate(kinds)], counted)
    assert counted == Counter(kinds) + Counter({7: 1})


def head(kind: int, first_seq: int = 0, records: int = 0) -> BlockHead:
    return BlockHead(0, first_seq, 5, records, 0, kind, 0)


def test_very_many_snapshots_take_no_more_memory_and_the_last_one_is_kept() -> None:
    tally = Tally()
    for number in range(3 * MOST_PLACES):
        for kind in (SNAPSHOT_BEGIN, SLICE, SNAPSHOT_END):
            tally.add(head(kind, number, 3 * (kind == SLICE)), 100 * number)
    assert tally.snapshots == 3 * MOST_PLACES
    assert len(tally.places) <= MOST_PLACES
    assert tally.places[-1].seq == 3 * MOST_PLACES - 1
    assert {place.stated_records for place in tally.places} == {3}


def test_gaps_are_counted_and_repetitions_are_not() -> None:
    tally = Tally()
    for first_seq, records in ((10, 5), (20, 5), (15, 5), (25, 1)):
        tally.add(head(0, first_seq, records), 0)
    assert (tally.first_seq, tally.next_seq, tally.records) == (10, 26, 11)
    assert (tally.lost_records, tally.unordered_blocks) == (5, 1)
