"""Request logs: the names under which engines tell what was asked, when, by whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from profiles.logged_request import HASHES, LENGTHS, OUTPUT_LENGTHS, TIMES, TOKENS
from profiles.trace import TraceError, TraceRequest
from profiles.trace_format import open_trace
from tests.support.made_traces import MADE, ids_of, write_lines

SECOND = 1_000_000_000


def logged(folder: Path, *lines: object) -> list[TraceRequest]:
    return list(open_trace(write_lines(folder / "log", lines), "request_log"))


def test_a_request_that_is_told_twice_is_one_and_the_second_time_tells_its_output() -> None:
    requests = list(open_trace(MADE / "request_log.jsonl"))
    assert [ids_of(request) for request in requests] == [[11, 12, 13], [11, 12], [11, 12, 20, 21]]
    assert [request.output_tokens for request in requests] == [7, 2, 0]
    assert [request.at_ns / SECOND for request in requests] == [0, 0.5, 2.5]


def test_a_request_is_kept_apart_by_what_the_engine_keeps_apart() -> None:
    anna, salted, adapted = open_trace(MADE / "request_log.jsonl")
    assert (anna.namespace, adapted.namespace) == ("anna", "lora legal")
    assert str(salted.namespace).startswith("salt·")
    assert "secret" not in str(salted.namespace)
    assert (salted.session, salted.agent) == ("s", "sub")


@pytest.mark.parametrize("name", TOKENS)
def test_every_name_of_tokens_is_known(tmp_path: Path, name: str) -> None:
    (request,) = logged(tmp_path, {name: [5, 6, 7]})
    assert (ids_of(request), request.block_tokens, request.prompt_tokens) == ([5, 6, 7], 1, 3)


@pytest.mark.parametrize("name", HASHES)
def test_every_name_of_hashes_is_known(tmp_path: Path, name: str) -> None:
    (request,) = logged(tmp_path, {name: [1 << 63, 6], "block_size": 16})
    assert (request.blocks, request.block_tokens, request.prompt_tokens) == (2, 16, 32)


@pytest.mark.parametrize("name", OUTPUT_LENGTHS)
def test_every_name_of_what_was_generated_is_known(tmp_path: Path, name: str) -> None:
    (request,) = logged(tmp_path, {"input_ids": [5], name: 44})
    assert request.output_tokens == 44


@pytest.mark.parametrize("name", LENGTHS)
def test_a_length_that_tokens_contradict_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(TraceError, match=rf"log:1 has 2 tokens in `input_ids` and 9 as `{name}`; a log that cuts"):
        logged(tmp_path, {"input_ids": [5, 6], name: 9})


@pytest.mark.parametrize("name", TIMES)
def test_every_name_of_a_time_is_known(tmp_path: Path, name: str) -> None:
    _, second = logged(
        tmp_path, {"input_ids": [5], name: 1_769_860_801_000}, {"input_ids": [5], name: 1_769_860_803_500}
    )
    assert second.at_ns == 2.5 * SECOND


@pytest.mark.parametrize(
    ("early", "late"),
    [
        (10, 12.5),
        ("10", "12.5"),
        (1_769_860_801.5, 1_769_860_804),
        (1_769_860_801_500, 1_769_860_804_000),
        (1_769_860_801_500_000, 1_769_860_804_000_000),
        (1_769_860_801_500_000_000, 1_769_860_804_000_000_000),
        ("2026-01-31T12:00:00.5Z", "2026-01-31T12:00:03Z"),
        ("2026-01-31 12:00:00.5", "2026-01-31T13:00:03+01:00"),
    ],
)
def test_seconds_smaller_units_and_dates_are_told_apart(tmp_path: Path, early: object, late: object) -> None:
    _, second = logged(tmp_path, {"input_ids": [5], "timestamp": early}, {"input_ids": [6], "timestamp": late})
    assert second.at_ns == 2.5 * SECOND


def test_without_times_all_come_at_once_in_the_order_of_the_log(tmp_path: Path) -> None:
    requests = logged(tmp_path, {"input_ids": [9]}, {"input_ids": [3]}, {"input_ids": [5]})
    assert [(request.at_ns, ids_of(request)) for request in requests] == [(0, [9]), (0, [3]), (0, [5])]


def test_what_lies_further_out_goes_first(tmp_path: Path) -> None:
    inner = {"request": {"timestamp": 99, "replay": {"trace_block_size": 4, "input_sequence_hashes": [7, 8]}}}
    request, _ = logged(tmp_path, {"timestamp": 1, "event": inner}, {"timestamp": 2, "input_ids": [5]})
    assert (ids_of(request), request.block_tokens, request.at_ns) == ([7, 8], 4, 0)


def test_each_prompt_of_a_batch_is_a_request(tmp_path: Path) -> None:
    assert [ids_of(request) for request in logged(tmp_path, {"input_ids": [[1, 2], [3]]})] == [[1, 2], [3]]


def test_a_name_that_is_used_again_for_another_prompt_is_another_request(tmp_path: Path) -> None:
    lines = [{"rid": "a", "input_ids": [1]}, {"rid": "a", "input_ids": [2]}, {"rid": "a", "input_ids": [1]}]
    assert [ids_of(request) for request in logged(tmp_path, *lines)] == [[1], [2]]


@pytest.mark.parametrize(("tokens", "known"), [(64, 64), (70, 64), (50, 50)])
def test_an_end_without_a_hash_is_no_part_of_the_prompt(tmp_path: Path, tokens: int, known: int) -> None:
    (request,) = logged(tmp_path, {"hash_ids": [1, 2, 3, 4], "block_size": 16, "input_length": tokens})
    assert request.prompt_tokens == known


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"input_ids": [1, -2]}, "log:2 has tokens in `input_ids` that make no prompt; a prompt has 1 to 16,777,216"),
        ({"input_ids": [1, 1 << 31]}, "log:2 has tokens in `input_ids` that make no prompt"),
        ({"input_ids": []}, "log:2 has tokens in `input_ids` that make no prompt"),
        ({"prompt": ["hello"]}, "log:2 has tokens in `prompt` that make no prompt"),
        ({"input_ids": [[1], 2]}, "log:2 has 2 as `input_ids`; it should be a list of ids"),
        ({"hash_ids": [1, 2]}, "log:2 has `hash_ids` but no `block_size`; say how many tokens a hash stands for"),
        ({"hash_ids": [1], "block_size": 16, "input_length": 99}, "log:2 has 1 hashes of 16 tokens for 99 tokens"),
        ({"hash_ids": [], "block_size": 16}, "log:2 has 0 hashes of 16 tokens for 0 tokens"),
        ({"input_ids": [1], "timestamp": "yesterday"}, "log:2 has no time as `timestamp`; write it as 2026-01-31T12"),
        ({"input_ids": [1], "timestamp": True}, "log:2 has true as `timestamp`; it should be a time"),
        ({"input_ids": [1], "timestamp": None}, "log:2 has no time, unlike the requests above; give each request"),
        ({"input_ids": [1], "extra_key": "a" * 2_000}, r'log:2 has "aaa.*\.\.\. as `extra_key`; it should be a name'),
    ],
)
def test_what_is_no_request_is_told(tmp_path: Path, line: dict[str, object], problem: str) -> None:
    with pytest.raises(TraceError, match=problem):
        logged(tmp_path, {"input_ids": [1], "timestamp": 0}, {"timestamp": 1, **line})


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            {"messages": [{"role": "user"}]},
            "log has prompts as text, which only the model's tokenizer makes tokens of",
        ),
        ({"prompt": "hello"}, "log has prompts as text"),
        ({"prompt_tokens": 9, "completion_tokens": 2}, "log says how long prompts are, not what they share"),
        (
            {"level": "INFO"},
            "log has no line with the tokens of a prompt, or with hashes of its blocks; log `prompt_",
        ),
    ],
)
def test_a_log_without_prompts_says_what_is_missing(tmp_path: Path, line: object, problem: str) -> None:
    with pytest.raises(TraceError, match=problem):
        logged(tmp_path, line, line)
