"""torch's trace as it is read: dated, and with slices that nest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles.errors import ProfilingError
from profiles.timelines.torch_trace import TorchTrace, read_torch_trace

BASE = 1_790_857_026_000_000_000


def slice_(name: str, ts: float, dur: float, tid: int = 1) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 7, "tid": tid, "ts": ts, "dur": dur}


def read(folder: Path, *events: dict[str, Any]) -> TorchTrace:
    path = folder / "torch.json"
    path.write_text(json.dumps({"traceEvents": events, "baseTimeNanoseconds": BASE}))
    return read_torch_trace(path)


def test_what_nests_stays_as_it_is(tmp_path: Path) -> None:
    events = [slice_("step", 1, 10), slice_("mm", 2, 3), slice_("add", 5, 6), slice_("elsewhere", 3, 90, tid=2)]
    trace = read(tmp_path, *events)
    assert trace == TorchTrace(events, BASE)


def test_a_slice_that_outlasts_the_one_around_it_is_cut_and_counted(tmp_path: Path) -> None:
    trace = read(tmp_path, slice_("step", 1, 10), slice_("mm", 9, 4.5))
    assert [event["dur"] for event in trace.events] == [10, 2]
    assert (trace.cut_slices, trace.most_cut_ns) == (1, 2_500)


def test_slices_are_dated(tmp_path: Path) -> None:
    assert read(tmp_path, slice_("step", 5.5, 1), slice_("step", 2, 1)).starts_of("step") == [
        BASE + 2_000,
        BASE + 5_500,
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"traceEvents": 3}', '{"traceEvents": [{"ph": "X"}]}', "\ufeff{"])
def test_what_is_no_trace_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "torch.json"
    path.write_text(text)
    with pytest.raises(ProfilingError, match="no trace"):
        read_torch_trace(path)


TIMES = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), max_size=20)


@given(TIMES)
def test_slices_nest_whatever_comes(tmp_path_factory: pytest.TempPathFactory, times: list[tuple[int, int]]) -> None:
    trace = read(tmp_path_factory.mktemp("trace"), *(slice_("op", start / 8, length / 8) for start, length in times))
    around: list[float] = []
    for event in sorted(trace.events, key=lambda event: (event["ts"], -event["dur"])):
        while around and around[-1] <= event["ts"]:
            around.pop()
        assert not around or event["ts"] + event["dur"] <= around[-1]
        around.append(event["ts"] + event["dur"])
