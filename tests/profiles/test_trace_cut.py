"""Parts of traces: which requests are left, and that they read as a trace does."""

from __future__ import annotations

import pytest

from profiles.trace import TraceError
from profiles.trace_cut import TraceCut, cut_trace
from profiles.trace_format import open_trace
from tests.support.made_traces import MADE

WEKA = MADE / "weka.jsonl"
SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("cut", "left"),
    [
        (TraceCut(), [("red", 0), ("blue", 0), ("red", 2.5), ("blue", 3), ("red", 9)]),
        (TraceCut(requests=2), [("red", 0), ("blue", 0)]),
        (TraceCut(sessions=1), [("red", 0), ("red", 2.5), ("red", 9)]),
        (TraceCut(within_ns=3 * SECOND), [("red", 0), ("blue", 0), ("red", 2.5)]),
        (TraceCut(requests=2, sessions=1, within_ns=9 * SECOND), [("red", 0), ("red", 2.5)]),
        (TraceCut(requests=99, sessions=9), [("red", 0), ("blue", 0), ("red", 2.5), ("blue", 3), ("red", 9)]),
    ],
)
def test_what_is_left(cut: TraceCut, left: list[tuple[str, float]]) -> None:
    part = cut_trace(open_trace(WEKA), cut)
    assert [(request.session, request.at_ns / SECOND) for request in part] == left
    assert len(part) == len(left)
    assert list(part) == list(part)


def test_its_name_says_what_it_is() -> None:
    part = cut_trace(open_trace(WEKA), TraceCut(sessions=1, within_ns=3_600 * SECOND))
    assert part.name == "weka.jsonl (first 1 sessions, first 3,600 s)"


def test_nothing_is_no_trace() -> None:
    with pytest.raises(TraceError, match=r"weka.jsonl \(first 0 requests\) holds no request; ask for more of it"):
        cut_trace(open_trace(WEKA), TraceCut(requests=0))


def test_a_trace_without_sessions_has_none_to_be_cut_by() -> None:
    with pytest.raises(TraceError, match=r"mooncake.jsonl has requests of no session; cut it by requests"):
        cut_trace(open_trace(MADE / "mooncake.jsonl"), TraceCut(sessions=1))
