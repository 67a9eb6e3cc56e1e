"""Timelines in Perfetto: nothing is lost in the import, and what was recorded is there."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from cache_core import events as ev
from cache_core.events import Record
from profiles.recording import Recording
from tests.support.exporting import Exported
from tests.support.perfetto import opened
from tests.support.timed_run import exported_records, timed_run

pytestmark = [pytest.mark.needs("chromium", "perfetto"), pytest.mark.timeout(300)]


def counted(path: Path) -> Counter[type[Record]]:
    with Recording(path) as recording:
        return Counter(type(record) for record in recording.records())


def test_a_recording_is_imported_without_a_fault(recording: Path, exported: Exported) -> None:
    records = counted(recording)
    with opened(exported("chrome_trace")) as perfetto:
        assert perfetto.faults() == []
        slices = dict(perfetto.query("select name, count(*) from slice group by name"))
        assert slices["match"] == records[ev.Match]
        assert slices["insert"] == records[ev.Insert]
        assert slices["evict full"] + slices["evict swa"] == records[ev.Evict]
        nodes = "select sum(extract_arg(arg_set_id, 'args.nodes')) from slice where name like 'tombstone %'"
        assert perfetto.query(nodes) == [[records[ev.Tombstoned]]]
        assert slices.get("retraction", 0) == records[ev.RequestRetracted]
        inside = "select count(*) from slice s join slice p on s.parent_id = p.id where s.name = 'queue build'"
        assert perfetto.query(f"{inside} and p.name like 'evict %'") == [[slices["queue build"]]]
        assert perfetto.query("select count(*) from flow")[0][0] > 50
        open_ended = "select count(*) from slice where dur < 0"
        assert perfetto.query(open_ended) == [[0]]


def test_every_kind_of_event_is_imported_without_a_fault(tmp_path: Path) -> None:
    trace = tmp_path / "run.json.gz"
    trace.write_bytes(gzip.compress(exported_records(timed_run(), "chrome_trace")))
    with opened(trace) as perfetto:
        assert perfetto.faults() == []
        times = {name: (ts, dur) for name, ts, dur in perfetto.query("select name, ts, dur from slice")}
        assert times["insert"] == (101_750, 3_250)
        assert times["queue build"] == (146_000, 1_750)
        curves = {name for (name,) in perfetto.query("select name from counter_track")}
        assert {"full pool free", "hit rate, last 10 s percent", "requests running", "watching percent"} <= curves
        assert perfetto.query("select count(*), max(depth) from slice where name = 'request'") == [[3, 0]]


def test_slices_that_begin_together_nest_whatever_comes_first(tmp_path: Path) -> None:
    records = [
        ev.Match(1_000_100, 50, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1),
        ev.Match(1_000_150, 70, 0, 1, 0, 0, 0, -1, 0, 0, 0, 2),
        ev.Match(1_000_400, 350, 0, 1, 0, 0, 0, -1, 0, 0, 0, 3),
    ]
    trace = tmp_path / "run.json"
    trace.write_bytes(exported_records([*records], "chrome_trace"))
    with opened(trace) as perfetto:
        assert perfetto.faults() == []
        assert perfetto.query("select count(*) from slice") == [[3]]
