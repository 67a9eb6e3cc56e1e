"""The timeline writer: a whole document, exact times, and slices that nest."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles.dates import Origin, origin_of
from profiles.timelines.trace_events import TraceWriter, Track
from profiles.timelines.trace_lane import Lane

ORIGIN = Origin(clock_ns=1_000, epoch_ns=1_700_000_000_000_000_000)
TRACK = Track(7, 1, "cache")


def written(write: Any) -> Any:
    """Return the JSON document of what `write` puts into a writer."""
    out = io.BytesIO()
    with TraceWriter(out, ORIGIN, {"clock": "perf_counter"}) as trace:
        write(trace)
    return json.loads(out.getvalue())


def test_a_document_without_events_is_whole() -> None:
    document = written(lambda trace: None)
    assert document["traceEvents"] == []
    assert document["otherData"] == {"clock": "perf_counter"}


def test_the_date_of_an_event_is_the_base_and_its_time() -> None:
    document = written(lambda trace: trace.instant(TRACK, "reset", 1_000 + 2_000_500))
    event = document["traceEvents"][0]
    assert document["baseTimeNanoseconds"] + round(event["ts"] * 1_000) == ORIGIN.epoch_ns + 2_000_500


def test_times_keep_their_nanoseconds_after_a_year() -> None:
    year_ns = 365 * 86_400 * 10**9 + 7
    out = io.BytesIO()
    with TraceWriter(out, ORIGIN, {}) as trace:
        trace.slice(TRACK, "match", 1_000 + year_ns, 1_000 + year_ns + 1)
    assert b'"ts":31536000000000.007,' in out.getvalue()
    assert b'"dur":0.001}' in out.getvalue()


def test_what_began_before_the_origin_begins_at_it() -> None:
    slice_ = written(lambda trace: trace.slice(TRACK, "step", 0, 1_500))["traceEvents"][0]
    assert (slice_["ts"], slice_["dur"]) == (0.0, 0.5)


def test_names_and_args_may_hold_anything() -> None:
    name = 'a "quoted"\n \ud800 name;'
    event = written(lambda trace: trace.instant(TRACK, name, 2_000, {"text": name}))["traceEvents"][0]
    assert (event["name"], event["args"]["text"]) == (name, name)


def test_both_ends_of_a_flow_and_of_what_overlaps_share_an_id() -> None:
    def write(trace: TraceWriter) -> None:
        trace.begin(TRACK, "request", 5, 1_000)
        trace.end(TRACK, "request", 5, 2_000)
        trace.flow("miss", 9, (TRACK, 1_000), (TRACK, 2_000))

    events = written(write)["traceEvents"]
    assert [event["id2"]["local"] for event in events[:2]] == ["0x5", "0x5"]
    assert [(event["ph"], event["id"]) for event in events[2:]] == [("s", 9), ("f", 9)]
    assert events[3]["bp"] == "e"


def test_a_document_that_failed_half_way_is_not_ended() -> None:
    out = io.BytesIO()
    with pytest.raises(RuntimeError), TraceWriter(out, ORIGIN, {}):
        raise RuntimeError
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(out.getvalue())


@pytest.mark.parametrize("anchor", [None, [], [1], ["1", "2"], [1.5, 2], {"a": 1}, "12", [1, 2, 3]])
def test_an_anchor_that_is_none_is_none(anchor: object) -> None:
    assert origin_of({"anchor": anchor}) is None


def test_an_anchor_is_read_from_the_configuration() -> None:
    assert origin_of({"anchor": [1_000, 1_700_000_000_000_000_000]}) == ORIGIN


class TestLane:
    def test_what_encloses_or_follows_stays_as_it_is(self) -> None:
        lane = Lane()
        intervals = [(10, 20), (30, 40), (5, 50), (50, 60)]
        assert [lane.fit(*interval) for interval in intervals] == intervals

    def test_what_begins_inside_an_earlier_one_is_cut(self) -> None:
        lane = Lane()
        lane.fit(10, 20)
        assert lane.fit(15, 30) == (20, 30)

    @given(st.lists(st.tuples(st.integers(-50, 9_000), st.integers(0, 60)), max_size=60))
    def test_whatever_comes_the_slices_nest(self, durations: list[tuple[int, int]]) -> None:
        lane = Lane()
        drawn = [lane.fit(end - duration, end) for end, duration in durations]
        for first, second in ((a, b) for place, a in enumerate(drawn) for b in drawn[:place]):
            (start, end), (earlier_start, earlier_end) = first, second
            assert start <= end
            assert start >= earlier_end or (start <= earlier_start and end >= earlier_end)

    def test_a_long_row_of_slices_is_forgotten_in_part_and_still_nests(self) -> None:
        lane = Lane()
        for start in range(0, 100_000, 10):
            lane.fit(start, start + 5)
        start, end = lane.fit(-1, 100_000)
        assert (start % 10, end) == (5, 100_000)
