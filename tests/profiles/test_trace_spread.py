"""Sessions one after another: each as it was, later."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from profiles.trace import TraceError
from profiles.trace_format import open_trace
from profiles.trace_spread import spread_sessions
from tests.support.made_traces import MADE, write_lines

SECOND = 1_000_000_000


def many_sessions(folder: Path) -> Path:
    lines = [
        {"t_ms": 700 * turn, "session": f"s{number}", "input_length": 64, "base": 0, "keep": 0, "new": [turn, 1]}
        for number in range(7)
        for turn in range(5 + number)
    ]
    header = {"format": "weka-delta-v1", "block_size": 64, "hash_id_scope": "session"}
    return write_lines(folder / "trace", [header, *lines])


def test_each_session_comes_later_than_the_one_before() -> None:
    trace = spread_sessions(open_trace(MADE / "weka.jsonl"), 5 * SECOND)
    told = [(request.session, request.at_ns / SECOND) for request in trace]
    assert told == [("red", 0), ("red", 2.5), ("blue", 5), ("blue", 8), ("red", 9)]


@pytest.mark.parametrize("gap_ns", [0, 1, SECOND // 2, SECOND, 100 * SECOND])
def test_nothing_is_lost_and_times_do_not_fall(tmp_path: Path, gap_ns: int) -> None:
    plain = open_trace(many_sessions(tmp_path))
    trace = spread_sessions(plain, gap_ns)
    requests = list(trace)
    assert len(requests) == len(trace) == len(plain)
    assert [request.at_ns for request in requests] == sorted(
        request.at_ns + gap_ns * int(str(request.session)[1:]) for request in plain
    )
    for session, own in groupby(sorted(requests, key=lambda each: str(each.session)), lambda each: each.session):
        assert [each.path for each in own] == [each.path for each in plain if each.session == session]


def test_without_a_gap_nothing_changes() -> None:
    plain = open_trace(MADE / "weka.jsonl")
    assert list(spread_sessions(plain, 0)) == list(plain)


def test_requests_of_no_session_come_when_they_came() -> None:
    plain = open_trace(MADE / "mooncake.jsonl")
    assert list(spread_sessions(plain, 5 * SECOND)) == list(plain)


def test_a_gap_below_0_is_refused() -> None:
    with pytest.raises(TraceError, match="-1 ns is no gap between sessions; take 0 or more"):
        spread_sessions(open_trace(MADE / "weka.jsonl"), -1)


def test_too_much_that_waits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiles.trace_spread.MOST_HELD_BYTES", 30)
    with pytest.raises(TraceError, match=r"weka.jsonl .* has too many requests that wait; take a smaller gap"):
        list(spread_sessions(open_trace(MADE / "weka.jsonl"), 5 * SECOND))
