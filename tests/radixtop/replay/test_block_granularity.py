"""When `--tokens blocks` hits what all tokens hit, and when not: ids of one length, and of several."""

from __future__ import annotations

import random
from array import array

import pytest

from cache_core import CacheConfig
from profiles.trace import TraceRequest
from radixtop.replay.settings import ReplaySettings
from radixtop.replay.trace_replay import replay_trace

LARGE = ReplaySettings(CacheConfig(components=("full",), full_slots=1_000_000), outputs=False)


def _asks(ids: list[int], block_tokens: int, at_ms: int) -> TraceRequest:
    path = array("q", ids).tobytes()
    return TraceRequest(at_ms * 1_000_000, path, block_tokens, block_tokens * len(ids), 1)


def _hits(requests: list[TraceRequest]) -> tuple[int, int]:
    """Return what is hit in blocks, and of all tokens."""
    blocks, tokens = (replay_trace(requests, LARGE.changed(tokens=each)) for each in ("blocks", "all"))
    return blocks.hit_tokens, tokens.hit_tokens


@pytest.mark.parametrize("seed", range(3))
def test_blocks_of_one_length_hit_what_tokens_hit(seed: int) -> None:
    draw = random.Random(seed)
    requests = [
        _asks([0, *(draw.randrange(2) for _ in range(draw.randrange(3))), 100 + number], 40, number * 5000)
        for number in range(20)
    ]
    blocks, tokens = _hits(requests)
    assert blocks == tokens > 0


def test_an_id_of_another_length_in_each_prompt_hits_more_in_blocks() -> None:
    blocks, tokens = _hits([_asks([1, 2, 3], 400, 0), _asks([1, 2, 4], 500, 90_000)])
    assert (blocks, tokens) == (1000, 400)
