"""Traces of RAGPulse: the order of the parts of a prompt, and what each weighs."""

from __future__ import annotations

from pathlib import Path

import pytest

from profiles.trace import TraceError
from profiles.trace_format import open_trace
from profiles.traces.ragpulse import part_tokens
from tests.support.made_traces import MADE, counted, expected_cut, ids_of, public_trace, write_lines


def line(parts: object) -> dict[str, object]:
    return {"timestamp": "1", "input_length": 10, "output_length": 1, "hash_ids": parts}


def test_parts_are_put_one_after_another_by_category_not_as_the_line_has_them() -> None:
    assert [ids_of(request) for request in open_trace(MADE / "ragpulse.jsonl")] == [
        [1, 40, 41, 90],
        [1, 41, 40, 90],
        [1, 2, 60, 70, 91],
    ]


def test_all_parts_of_a_prompt_weigh_the_same() -> None:
    requests = list(open_trace(MADE / "ragpulse.jsonl"))
    assert [(request.block_tokens, request.prompt_tokens) for request in requests] == [
        (226, 904),
        (3, 12),
        (512, 2560),
    ]


@pytest.mark.parametrize(
    ("tokens", "parts", "weight"),
    [(7, 2, 4), (5, 2, 3), (4, 3, 1), (5, 3, 2), (4096, 8, 512), (4100, 8, 512), (1, 9, 1)],
)
def test_halves_are_rounded_up_and_512_is_the_most(tokens: int, parts: int, weight: int) -> None:
    assert part_tokens(tokens, parts) == weight


def test_sessions_and_seconds_are_kept() -> None:
    requests = list(open_trace(MADE / "ragpulse.jsonl"))
    assert [request.session for request in requests] == ["anna", "anna", "bert"]
    assert [request.at_ns for request in requests] == [0, 2_000_000_000, 4_000_000_000]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"sys_prompt": [], "user_input": []}, "trace:2 has no ids in `hash_ids`; every prompt has parts"),
        ({"sys_prompt": [1], "images": [2]}, "trace:2 has a part `images`; parts are: sys_prompt, passages_ids,"),
        ({"sys_prompt": 5}, "trace:2 has 5 as `sys_prompt`; it should be a list of ids"),
        ([1, 2], "trace:2 has a list of 2 as `hash_ids`; it should be an object"),
    ],
)
def test_what_is_no_prompt_is_refused(tmp_path: Path, parts: object, problem: str) -> None:
    path = write_lines(tmp_path / "trace", [line({"sys_prompt": [1]}), line(parts)])
    with pytest.raises(TraceError, match=problem):
        open_trace(path)


@pytest.mark.needs("traces")
def test_the_public_trace_counts_as_others_count_it() -> None:
    trace = open_trace(public_trace("ragpulse_trace_dev3500.jsonl.gz"))
    assert counted(trace).items() <= expected_cut("ragpulse_dev3500").items()
