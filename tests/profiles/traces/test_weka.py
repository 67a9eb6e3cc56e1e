"""Traces of coding agents: prompts put together again, sessions that never meet."""

from __future__ import annotations

from pathlib import Path

import pytest

from profiles.trace import TraceError
from profiles.trace_cut import TraceCut, cut_trace
from profiles.trace_format import open_trace
from tests.support.made_traces import MADE, counted, expected_cut, ids_of, public_trace, write_lines

HEADER = {"format": "weka-delta-v1", "block_size": 64, "hash_id_scope": "session"}


def line(session: str = "red", **fields: object) -> dict[str, object]:
    whole = {"t_ms": 0, "input_length": 320, "output_length": 1, "base": 0, "keep": 0, "new": [1, 5]}
    return {**whole, "session": session, **fields}


def test_prompts_are_put_together_from_those_before_in_their_session() -> None:
    red = [request for request in open_trace(MADE / "weka.jsonl") if request.session == "red"]
    assert [ids_of(request) for request in red] == [[1, 2, 3, 4, 5], [40, 41, 50], [1, 2, 3, 4, 7, 8, 9]]


def test_sessions_have_no_id_in_common() -> None:
    ids: dict[str | None, set[int]] = {}
    for request in open_trace(MADE / "weka.jsonl"):
        ids.setdefault(request.session, set()).update(ids_of(request))
    assert ids["red"] & ids["blue"] == set()
    assert len(ids["blue"]) == 4


def test_a_session_is_in_its_own_order_among_the_others() -> None:
    told = [
        (request.session, request.agent, request.at_ns // 1_000_000) for request in open_trace(MADE / "weka.jsonl")
    ]
    assert told == [
        ("red", "main", 0),
        ("blue", "main", 0),
        ("red", "main.sub1", 2_500),
        ("blue", "main", 3_000),
        ("red", "main", 9_000),
    ]


def test_an_end_that_has_no_id_is_no_part_of_the_prompt() -> None:
    first, *_ = open_trace(MADE / "weka.jsonl")
    assert (first.block_tokens, first.prompt_tokens) == (64, 320)


def test_a_last_block_in_part_is_as_long_as_the_prompt(tmp_path: Path) -> None:
    (request,) = open_trace(write_lines(tmp_path / "trace", [HEADER, line(input_length=300)]))
    assert (request.blocks, request.prompt_tokens) == (5, 300)


def test_a_prompt_of_less_than_a_block_has_no_id(tmp_path: Path) -> None:
    (request,) = open_trace(write_lines(tmp_path / "trace", [HEADER, line(input_length=9, new=[])]))
    assert (request.blocks, request.prompt_tokens) == (0, 9)


def test_each_reading_builds_on_its_own_prompts(tmp_path: Path) -> None:
    again = line(base=1, keep=5, new=[])
    trace = open_trace(write_lines(tmp_path / "trace", [HEADER, line(), *[again] * 5, line(base=6, keep=5, new=[])]))
    halves = zip(trace, trace, strict=True)
    assert all(ids_of(one) == ids_of(other) == [1, 2, 3, 4, 5] for one, other in halves)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"base": 2}, "trace:3 has 2 as `base`; it should be a whole number from 0 to 1"),
        ({"base": 1, "keep": 6}, "trace:3 has 6 as `keep`; it should be a whole number from 0 to 5"),
        ({"keep": 1}, "trace:3 has 1 as `keep`; it should be a whole number from 0 to 0"),
        ({"new": [1]}, "trace:3 has no runs as `new`; it should be a list of starts and lengths, in turns"),
        ({"new": [1, 2.5]}, "trace:3 has no runs as `new`"),
        ({"new": None}, "trace:3 has no runs as `new`"),
        ({"new": [-1, 5]}, "trace:3 has a run in `new` that is none; starts are 0 or more, lengths 1 or more"),
        ({"new": [1, -5]}, "trace:3 has a run in `new` that is none"),
        ({"new": [1 << 60, 5]}, "trace:3 has a run in `new` that is none"),
        (
            {"new": [1, 1 << 39]},
            "trace:3 has 549,755,813,888 ids in `new`; no prompt is longer than 16,777,216 tokens",
        ),
        (
            {"new": [1, 4]},
            "trace:3 has 4 ids of 64 tokens for 320 tokens; `keep` and the lengths of `new` should make",
        ),
        ({"session": None}, "trace:3 lacks `session`; every request of this format has one"),
        ({"t_ms": -1}, "trace:3 is earlier than the line above it of its session; sort each session by time"),
    ],
)
def test_what_builds_on_nothing_is_refused(tmp_path: Path, fields: dict[str, object], problem: str) -> None:
    path = write_lines(tmp_path / "trace", [HEADER, line(), line(**fields)])  # type: ignore[arg-type]
    with pytest.raises(TraceError, match=problem):
        open_trace(path)


@pytest.mark.parametrize(
    "header", [line(), {**HEADER, "hash_id_scope": "global"}, {**HEADER, "format": "weka-delta-v9"}]
)
def test_another_header_is_refused(tmp_path: Path, header: dict[str, object]) -> None:
    path = write_lines(tmp_path / "trace", [header, line()])
    with pytest.raises(TraceError, match="trace:1 is no header of weka-delta-v1 with ids of sessions"):
        open_trace(path, "weka")


def test_a_header_alone_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="trace holds no request"):
        open_trace(write_lines(tmp_path / "trace", [HEADER]))


def test_prompts_that_build_on_too_much_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiles.traces.weka._MOST_KEPT_BYTES", 100)
    lines = [line(), line(new=[10, 5]), line(new=[20, 5]), *[line(base=3, keep=5, new=[])] * 3]
    trace = open_trace(write_lines(tmp_path / "trace", [HEADER, *lines]))
    with pytest.raises(TraceError, match=r"builds on over .* of earlier prompts; read a part of it"):
        list(trace)


@pytest.mark.needs("traces")
def test_a_cut_of_the_public_trace_counts_as_others_count_it() -> None:
    trace = open_trace(public_trace("weka_agentic_dev.jsonl.gz"))
    part = cut_trace(trace, TraceCut(sessions=12, within_ns=3_600_000_000_000))
    assert counted(part).items() <= expected_cut("weka_dev12h1").items()


@pytest.mark.needs("traces")
def test_the_whole_public_trace_is_put_together_again() -> None:
    trace = open_trace(public_trace("weka_agentic_dev.jsonl.gz"))
    assert (len(trace), len({request.session for request in trace})) == (17_455, 239)
    assert sum(request.blocks for request in trace) == 33_421_990
