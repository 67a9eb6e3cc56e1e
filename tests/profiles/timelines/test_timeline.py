"""The timeline of a run: slices where something took time, spans of requests, arrows, curves."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cache_core import events as ev
from cache_core.events import Record
from tests.support.golden import assert_golden
from tests.support.records import record
from tests.support.timed_run import CONFIG, exported_records, timed_run

GOLDENS = Path(__file__).parent / "goldens"


def timeline(records: list[Record], config: Mapping[str, object] = CONFIG) -> Any:
    return json.loads(exported_records(records, "chrome_trace", config))


def drawn(records: list[Record], phase: str, name: str = "") -> list[Any]:
    """Return the events of one phase, and of one name if that is given."""
    events = timeline(records)["traceEvents"]
    return [event for event in events if event["ph"] == phase and name in ("", event["name"])]


def test_a_short_run_is_the_golden_file() -> None:
    text = exported_records(timed_run(), "chrome_trace").decode()
    assert_golden(text.rstrip("\n"), GOLDENS / "timed_run.trace.json")


def test_an_operation_is_a_slice_that_ends_when_its_record_says() -> None:
    match = drawn(timed_run(), "X", "match")[0]
    assert (match["ts"], match["dur"]) == (11.5, 2.5)
    assert match["args"]["namespace"] == "adapter; =1"


def test_what_nobody_measured_is_a_mark_without_a_length() -> None:
    assert drawn(timed_run(), "i", "evict full")
    assert not drawn(timed_run(), "X", "evict full")


def test_the_queue_build_lies_inside_its_eviction() -> None:
    (outer,), (inner,) = drawn(timed_run(), "X", "evict swa"), drawn(timed_run(), "X", "queue build")
    assert (inner["ts"], inner["dur"]) == (outer["ts"], 1.75)
    assert inner["dur"] < outer["dur"]


def test_a_request_is_a_span_with_its_phases_inside() -> None:
    begun = [(event["name"], event["ts"]) for event in drawn(timed_run(), "b") if event["id2"]["local"] == "0x1"]
    ended = [(event["name"], event["ts"]) for event in drawn(timed_run(), "e") if event["id2"]["local"] == "0x1"]
    assert begun == [("request", 2.0), ("waiting", 2.0), ("prefill", 14.5), ("decode", 100.0)]
    assert ended == [("waiting", 14.5), ("prefill", 100.0), ("decode", 120.0), ("request", 120.0)]


@pytest.mark.parametrize(("request_id", "outcome"), [(1, "finished"), (2, "retracted"), (3, "refused")])
def test_a_request_says_how_it_ended(request_id: int, outcome: str) -> None:
    (end,) = [event for event in drawn(timed_run(), "e", "request") if event["id2"]["local"] == f"{request_id:#x}"]
    assert end["args"]["ended"] == outcome


def test_every_span_that_begins_ends_even_when_the_recording_ends_first() -> None:
    records = timed_run()
    for length in range(len(records)):
        begun, ended = drawn(records[:length], "b"), drawn(records[:length], "e")
        assert sorted((e["id2"]["local"], e["name"]) for e in begun) == sorted(
            (e["id2"]["local"], e["name"]) for e in ended
        )


def test_a_miss_points_to_the_insert_that_fills_it() -> None:
    (start,), (end,) = drawn(timed_run(), "s"), drawn(timed_run(), "f")
    (insert,), match = drawn(timed_run(), "X", "insert"), drawn(timed_run(), "X", "match")[0]
    assert match["ts"] <= start["ts"] <= match["ts"] + match["dur"]
    assert insert["ts"] <= end["ts"] <= insert["ts"] + insert["dur"]


def test_a_miss_without_a_length_has_no_arrow() -> None:
    records = [each._replace(duration_ns=0) if isinstance(each, ev.Match) else each for each in timed_run()]
    assert not drawn(records, "s")
    assert not drawn(records, "f")


def test_the_pools_are_curves_that_are_written_where_they_change() -> None:
    pools = [record(ev.Pool, at=at, component=0, free=free) for at, free in ((1, 5), (2, 5), (3, 6))]
    curve = drawn(pools, "C", "full pool")
    assert [event["args"]["free"] for event in curve] == [5, 6]


def test_the_hit_rate_is_that_of_requests_as_they_were_admitted() -> None:
    admitted = [
        record(ev.RequestAdmitted, at=at, request=at, prompt_tokens=100, device_hit_tokens=hit)
        for at, hit in ((10**9, 0), (2 * 10**9, 50))
    ]
    rates = drawn(admitted, "C", "hit rate, last 10 s")
    assert [event["args"]["percent"] for event in rates] == [0, 25]


def test_tombstones_of_one_operation_are_one_mark_per_component() -> None:
    left = [(5, 1), (5, 1), (5, 0), (9, 1)]
    records = [record(ev.Tombstoned, at=at, node=n, component=which) for n, (at, which) in enumerate(left, 1)]
    marks = [(event["name"], event["args"]["nodes"]) for event in drawn(records, "i")]
    assert marks == [("tombstone swa", 2), ("tombstone full", 1), ("tombstone swa", 1)]


def test_records_that_overlap_are_drawn_side_by_side() -> None:
    records = [
        record(ev.Match, at=1_000_000 + at, duration_ns=took, request=at)
        for at, took in ((100, 60), (150, 70), (400, 350), (500, 50))
    ]
    slices = sorted((round(1_000 * each["ts"]), -round(1_000 * each["dur"])) for each in drawn(records, "X", "match"))
    assert len(slices) == len(records)
    for (start, minus), (later, more) in pairwise(slices):
        assert later >= start - minus or later - more <= start - minus


def test_the_process_lies_apart_from_the_real_one() -> None:
    assert {event["pid"] for event in timeline(timed_run())["traceEvents"]} == {(1 << 24) + 42}


@pytest.mark.parametrize("anchor", [None, "yesterday", [1, "x"]])
def test_without_an_anchor_the_timeline_begins_with_the_first_record_and_has_no_date(anchor: object) -> None:
    records = [record(ev.CacheReset, at=5_000_000_000_000)]
    document = timeline(records, {"anchor": anchor})
    assert document["baseTimeNanoseconds"] == 0
    assert document["otherData"]["clock"] == "the date is not known"
    assert document["traceEvents"][-1]["ts"] == 1_000_000.0


def test_records_before_the_anchor_keep_their_distances() -> None:
    records = [record(ev.CacheReset, at=400_000), record(ev.CacheReset, at=900_000)]
    document = timeline(records)
    assert [event["ts"] for event in document["traceEvents"][-2:]] == [0.0, 500.0]
    assert document["baseTimeNanoseconds"] == CONFIG["anchor"][1] - 600_000  # type: ignore[index]


def test_a_recording_without_records_is_an_empty_timeline() -> None:
    assert {event["ph"] for event in timeline([])["traceEvents"]} == {"M"}


def test_what_was_loaded_from_the_host_is_a_hit_and_a_return_counts_no_more() -> None:
    second = 10**9
    records = [
        record(ev.RequestAdmitted, at=second, request=1, prompt_tokens=100, host_hit_tokens=60),
        record(ev.RequestPrefilled, at=second + 1, request=1, prompt_tokens=100, host_hit_tokens=40),
        record(ev.RequestRetracted, at=second + 2, request=1, prompt_tokens=100, host_hit_tokens=40),
        record(ev.RequestAdmitted, at=2 * second, request=1, prompt_tokens=100, device_hit_tokens=100),
        record(ev.RequestFinished, at=3 * second, request=1, prompt_tokens=100),
    ]
    rates = drawn(records, "C", "hit rate, last 10 s")
    assert [event["args"]["percent"] for event in rates] == [0, 40]
