"""Begins and ends as py-spy writes them become slices that nest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles.cpu.thread_slices import Timed, read_slices
from profiles.errors import ProfilingError


def event(phase: str, name: str, at: int, *, tid: int = 9, file: str = "/srv/a.py") -> dict[str, Any]:
    args = {"filename": file, "line": 3 if file else 0}
    return {"ph": phase, "name": name, "ts": at, "pid": 7, "tid": tid, "args": args, "cat": "py-spy"}


def read(*events: dict[str, Any]) -> Timed:
    return read_slices(json.dumps(events).encode())


def shown(timed: Timed) -> list[tuple[str, int, int, int]]:
    (thread,) = timed.threads
    return [(str(s.frame), s.depth, s.start_ns, s.end_ns) for s in thread.slices]


def test_a_slice_is_what_lies_between_begin_and_end() -> None:
    timed = read(event("B", "main", 1), event("B", "f", 2), event("E", "f", 5), event("E", "main", 9))
    assert shown(timed) == [("main (a.py:3)", 0, 1_000, 9_000), ("f (a.py:3)", 1, 2_000, 5_000)]
    assert timed.last_ns == 9_000


def test_an_end_that_is_missing_comes_with_the_end_around_it() -> None:
    timed = read(event("B", "main", 1), event("B", "f", 2), event("E", "main", 9))
    assert shown(timed) == [("main (a.py:3)", 0, 1_000, 9_000), ("f (a.py:3)", 1, 2_000, 9_000)]


def test_what_never_ends_ends_with_the_last_thing_known() -> None:
    assert shown(read(event("B", "main", 1), event("B", "f", 4))) == [("main (a.py:3)", 0, 1_000, 4_000)]


def test_an_end_of_nothing_is_none() -> None:
    assert shown(read(event("E", "f", 1), event("B", "main", 1), event("E", "main", 2))) == [
        ("main (a.py:3)", 0, 1_000, 2_000)
    ]


def test_a_thread_and_its_process_are_names_and_no_slices() -> None:
    above = [
        event("B", 'process 1:"python a.py"', 1, file=""),
        event("B", 'process 7:"python -m b --key X"', 1, file=""),
    ]
    timed = read(*above, event("B", "thread (9): Main", 1, file=""), event("B", "f", 1), event("E", "f", 2))
    (thread,) = timed.threads
    assert (thread.process, thread.name) == ("python -m b [process 7]", "Main [thread 9]")
    assert [(str(s.frame), s.depth) for s in thread.slices] == [("f (a.py:3)", 0)]


@pytest.mark.parametrize("text", [b"{", b"[1]", b'[{"ph":"B"}]', b"[" * 100_000, b'{"a":1}', b"\xff"])
def test_what_is_no_trace_is_named(text: bytes) -> None:
    with pytest.raises(ProfilingError, match="no trace"):
        read_slices(text)


EVENTS = st.lists(st.tuples(st.sampled_from("BE"), st.sampled_from("fgh"), st.integers(0, 50), st.integers(1, 2)))


@given(EVENTS)
def test_slices_of_a_thread_nest_whatever_comes(events: list[tuple[str, str, int, int]]) -> None:
    for thread in read(*(event(phase, name, at, tid=tid) for phase, name, at, tid in events)).threads:
        enclosing: list[int] = []
        for slice in thread.slices:
            assert slice.start_ns < slice.end_ns
            while enclosing and enclosing[-1] <= slice.start_ns:
                enclosing.pop()
            assert not enclosing or slice.end_ns <= enclosing[-1]
            enclosing.append(slice.end_ns)
