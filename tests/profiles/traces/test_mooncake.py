"""Traces of Mooncake: what a line becomes, and the size of the blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from profiles.trace import TraceError
from profiles.trace_format import open_trace
from tests.support.made_traces import MADE, counted, expected_cut, ids_of, public_trace, write_lines


def line(tokens: int, ids: list[object], **fields: object) -> dict[str, object]:
    return {"timestamp": 0, "input_length": tokens, "output_length": 1, "hash_ids": ids, **fields}


def test_a_line_is_a_request() -> None:
    first, _, third, last = open_trace(MADE / "mooncake.jsonl")
    assert ids_of(last) == [7, 8, 11, 12]
    assert (third.at_ns, last.at_ns) == (2_500_000_000, 60_000_000_000)
    assert (last.block_tokens, last.prompt_tokens, last.output_tokens) == (512, 1600, 12)
    assert [first.tokens_of(blocks) for blocks in range(4)] == [0, 512, 1024, 1100]


def test_a_session_is_kept(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "trace", [line(9, [1], session_id="anna"), line(9, [1], session_id=7)])
    assert [request.session for request in open_trace(path)] == ["anna", "7"]


def test_hashes_of_64_bits_stay_apart(tmp_path: Path) -> None:
    hashes: list[object] = [0, 1 << 63, (1 << 64) - 1, 1 << 64, 1 << 70, "ab", "cd", -5]
    path = write_lines(tmp_path / "trace", [line(512 * len(hashes), hashes)])
    (request,) = open_trace(path)
    assert len(set(ids_of(request))) == len(hashes)


@pytest.mark.parametrize(
    ("prompts", "size"),
    [
        ([(100, 1)], 512),
        ([(1024, 2), (513, 2)], 512),
        ([(8, 1), (1024, 16), (1025, 17)], 64),
        ([(640, 1)], 1024),
        ([(3000, 3), (3001, 4)], 1000),
    ],
)
def test_lengths_give_the_size_of_blocks_away(tmp_path: Path, prompts: list[tuple[int, int]], size: int) -> None:
    path = write_lines(tmp_path / "trace", [line(tokens, list(range(blocks))) for tokens, blocks in prompts])
    assert {request.block_tokens for request in open_trace(path)} == {size}


@pytest.mark.parametrize("ids", [[], [1, 2, 3, 4], [1]])
def test_ids_that_fit_no_size_of_blocks_are_refused(tmp_path: Path, ids: list[object]) -> None:
    path = write_lines(tmp_path / "trace", [line(1024, [1, 2]), line(1536, [1, 2, 3]), line(1100, ids)])
    problem = rf"trace:3 has {len(ids)} `hash_ids` for 1,100 tokens, unlike the lines above; all blocks of a trace"
    with pytest.raises(TraceError, match=problem):
        open_trace(path)


def test_lines_with_a_chat_have_seconds(tmp_path: Path) -> None:
    chats = [line(521, list(range(33)), timestamp=61.114, chat_id=159), line(9, [0], timestamp=62.5, chat_id=160)]
    requests = list(open_trace(write_lines(tmp_path / "trace", chats)))
    assert [(request.at_ns, request.block_tokens) for request in requests] == [(0, 16), (1_386_000_000, 16)]


@pytest.mark.needs("traces")
def test_the_public_trace_counts_as_others_count_it() -> None:
    trace = open_trace(public_trace("mooncake_fast25_conversation_dev6000.jsonl.gz"))
    expected = expected_cut("conversation_dev6000")
    assert counted(trace).items() <= expected.items()
