"""The tokens of nodes are those of their blocks, whatever becomes of nodes; unless text is wanted, none is kept."""

from __future__ import annotations

import tracemalloc
from array import array

import pytest

from probes.bench.event_load import BLOCK_TOKENS, batches
from probes.kv.wire import Removed, Stored, decode
from probes.kv_mirror.blocks import BlockMirror
from probes.kv_mirror.rank import RankMirror
from probes.kv_mirror.tokens import LIMIT_BYTES, BlockTokens, NoTokens, Room
from probes.kv_mirror.tree import KVTree
from tests.support.kv_streams import messages

STREAMS = ("sglang_0.5.23_page16", "sglang_0.5.23_hicache_wt", "sglang_0.5.18_radix_page16_ns", "vllm_0.33.0_hybrid")


def ids(raw: bytes) -> list[int]:
    return list(array("i", raw))


@pytest.mark.parametrize("stream", STREAMS)
def test_every_node_of_a_recorded_stream_has_the_tokens_of_its_blocks(stream: str) -> None:
    kept, known = BlockTokens(), dict[object, list[int]]()
    mirror = BlockMirror()
    tree = KVTree(mirror)
    tree.kept = kept
    for seq, payload in messages(stream):
        batch = decode(payload)
        tree.apply(batch.events, seq)
        for event in batch.events:
            if isinstance(event, Stored):
                size = event.block_tokens
                known |= {name: [*event.tokens[size * at :][:size]] for at, name in enumerate(event.hashes)}
    runs = {id(run): run for run in tree._run_of if run.blocks}.values()
    assert set(kept._runs) == {run.id for run in runs}
    assert len(kept._runs) > 20
    for run in runs:
        whole = [token for slot in run.blocks for token in known[mirror.name_at(slot)]]
        assert ids(kept.first(run.id, 100_000)) == whole
        assert ids(kept.first(run.id, 7)) == whole[:7]


def followed(kept: NoTokens) -> KVTree:
    tree = KVTree(BlockMirror())
    tree.kept = kept
    return tree


def test_events_without_tokens_that_fit_are_told_of() -> None:
    kept = BlockTokens()
    tree = followed(kept)
    tree.apply([Stored([1], None, [], 2)], 0)
    assert kept.message == "no text of prompts: its events carry no token ids"
    tree.apply([Stored([2], None, [5], 2)], 1)
    assert kept.message == "no text of prompts: its events carry token ids that do not fit their blocks"
    tree.apply([Stored([3], None, [5, 6], 2)], 2)
    assert kept.message.startswith("some prompts have no text: their events carry")
    kept.cleared()
    assert kept.message == ""


def test_a_node_that_is_split_has_its_own_tokens_and_a_block_that_goes_takes_its_with_it() -> None:
    kept = BlockTokens()
    tree = followed(kept)
    tree.apply([Stored([1, 2, 3], None, [10, 11, 20, 21, 30, 31], 2)], 0)
    tree.apply([Stored([4], 1, [40, 41], 2)], 0)
    said = sorted(ids(kept.first(node, 64)) for node in kept._runs)
    assert said == [[10, 11], [20, 21, 30, 31], [40, 41]]
    tree.apply([Removed([3]), Removed([4])], 0)
    assert sorted(ids(kept.first(node, 64)) for node in kept._runs) == [[10, 11], [20, 21]]
    tree.clear(0)
    assert kept.first(1, 64) == b""
    assert kept._room.left_bytes == LIMIT_BYTES


def test_of_two_tokens_a_position_the_first_is_told() -> None:
    kept = BlockTokens()
    followed(kept).apply([Stored([1], None, [10, 11, 11, 12], 2, has_bigrams=True)], 0)
    assert ids(kept.first(1, 64)) == [10, 11]


@pytest.mark.parametrize(
    "event",
    [
        Stored([1, 2], None, [10, 11, 20, 21, 30, 31], 2),
        Stored([1], None, [], 1 << 30),
        Stored([1], None, [10], 0),
        Stored([1], None, [1 << 40], 1),
    ],
    ids=["blocks that are not named", "none told", "no size", "no token of any model"],
)
def test_tokens_of_which_nothing_says_whose_they_are_are_not_kept(event: Stored) -> None:
    kept = BlockTokens()
    followed(kept).apply([event], 0)
    assert kept.first(1, 64) == b""


def test_tokens_have_a_limit_and_who_is_left_out_is_told() -> None:
    room = Room(10_000)
    kept, other = BlockTokens(room), BlockTokens(room)
    tree = followed(kept)
    for number in range(1, 400):
        tree.apply([Stored([number], None, [number] * 16, 16)], 0)
    assert sum(map(len, kept._tokens)) < 10_000
    assert "no text" in kept.message
    assert ids(kept.first(1, 64)) == [1] * 16
    assert kept.first(399, 64) == b""
    followed(other).apply([Stored([1], None, [1] * 16, 16)], 0)
    assert other.first(1, 64) == b""
    tree.clear(0)
    followed(other).apply([Stored([1], None, [1] * 16, 16)], 0)
    assert ids(other.first(1, 64)) == [1] * 16


def bytes_a_block(kept: NoTokens | None, blocks: int = 6_000) -> float:
    payloads = [*batches(blocks, 0)]
    tracemalloc.start()
    try:
        rank = RankMirror()
        rank.tree.kept = kept or rank.tree.kept
        for seq, payload in enumerate(payloads):
            rank.apply(seq, decode(payload), seq)
        return tracemalloc.get_traced_memory()[0] / blocks
    finally:
        tracemalloc.stop()


def test_without_text_a_block_takes_what_it_took_and_with_it_little_more_than_its_tokens() -> None:
    plain, off, on = bytes_a_block(None), bytes_a_block(NoTokens()), bytes_a_block(BlockTokens())
    assert off < 1.01 * plain + 1
    assert 4 * BLOCK_TOKENS < on - off < 3 * 4 * BLOCK_TOKENS
