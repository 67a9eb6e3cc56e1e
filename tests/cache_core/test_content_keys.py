"""Content keys and labels: stable across cuts, processes and late attachment."""

from __future__ import annotations

import random
from hashlib import blake2b

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from cache_core.content import REMEMBERED, ContentKeys
from cache_core.event_codec import decode
from cache_core.events import MARK_TOKENS, MOST_MARKS, SPARSE, NodeAdded, NodeLabelled, NodeMarked, RawRecord
from cache_core.key import namespace, pack


class ListSink:
    """Keeps every record."""

    def __init__(self) -> None:
        self.records: list[RawRecord] = []
        self.kept: list[RawRecord] = []

    def flush(self) -> None:
        self.kept += self.records
        self.records.clear()


def expected(tokens: list[int], extra_key: str | None = None) -> int:
    digest = blake2b(namespace(extra_key, None).prefix + pack(tokens), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def states(cache: PrefixCache) -> dict[tuple[int, int], NodeAdded]:
    found = [decode(raw[0] & 0xFFFF, raw[1:]) for raw in cache.snapshot_records()]
    return {(r.start, r.start + r.length): r for r in found if isinstance(r, NodeAdded)}


def test_the_key_of_a_node_hashes_everything_from_the_root() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=64), sink=ListSink())
    cache.insert(RadixKey([1, 2, 3, 4], "lora"), cache.allocate(4))
    cache.match(RadixKey([1, 2, 9], "lora"))
    found = states(cache)
    assert found[0, 2].content_key == expected([1, 2], "lora")
    assert found[2, 4].content_key == expected([1, 2, 3, 4], "lora")


def test_keys_do_not_depend_on_when_the_sink_came() -> None:
    late = PrefixCache(CacheConfig(components=("full",), full_slots=64))
    late.insert(RadixKey([1, 2, 3, 4]), late.allocate(4))
    late.insert(RadixKey([1, 2, 7]), late.allocate(3))
    late.attach_sink(ListSink())
    assert states(late)[2, 3].content_key == expected([1, 2, 7])


@pytest.mark.one_backend("size")
def test_forgotten_states_are_recomputed() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=2 * REMEMBERED + 8))
    rng = random.Random(3)
    prompts = [[5, rng.randrange(2**31)] for _ in range(REMEMBERED + 4)]
    for prompt in prompts:
        cache.insert(RadixKey(prompt), cache.allocate(2))
    keys = ContentKeys(cache.tree.root)
    nodes = [cache.match(RadixKey(prompt)).node for prompt in prompts]
    assert [keys.of(node) for node in nodes] == [expected(prompt) for prompt in prompts]
    put_last = cache.insert(RadixKey([*prompts[0], 8]), cache.allocate(3)).node
    assert keys.of(put_last) == expected([*prompts[0], 8])


def test_labels_follow_their_tokens_through_a_split() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=64), sink=ListSink())
    key = RadixKey(range(10), segments=((0, "system prompt 1"), (6, "question 1")))
    cache.insert(key, cache.allocate(10))
    cache.match(RadixKey([0, 1, 2, 99]))
    found = [decode(raw[0] & 0xFFFF, raw[1:]) for raw in cache.snapshot_records()]
    nodes = {r.node: r.start for r in found if isinstance(r, NodeAdded)}
    labelled = sorted((nodes[r.node], r.start) for r in found if isinstance(r, NodeLabelled))
    assert labelled == [(0, 0), (3, 3), (3, 6)]


def test_nothing_is_built_without_a_sink() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=64))
    cache.insert(RadixKey([1, 2, 3]), cache.allocate(3))
    assert cache.changes is None and list(cache.snapshot_records()) == []


def marks_of(cache: PrefixCache) -> dict[int, int]:
    """Return the content keys by position that were told inside nodes."""
    sink = cache.sink
    assert isinstance(sink, ListSink)
    sink.flush()
    records = [decode(raw[0] & 0xFFFF, raw[1:]) for raw in sink.kept]
    return {
        mark.first + i * mark.step: key
        for mark in records
        if isinstance(mark, NodeMarked)
        for i, key in enumerate(mark.content_keys)
    }


@pytest.mark.parametrize("start", [0, 5, MARK_TOKENS])
def test_a_new_node_is_marked_at_whole_steps_whatever_lies_above_it(start: int) -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=512), sink=ListSink())
    tokens = list(range(100, 100 + 3 * MARK_TOKENS))
    for length in (start, len(tokens)):
        if length:
            cache.insert(RadixKey(tokens[:length], "lora"), cache.allocate(length), owned_tokens=0)
    inside = [position for position in (MARK_TOKENS, 2 * MARK_TOKENS) if position > start]
    assert marks_of(cache) == {position: expected(tokens[:position], "lora") for position in inside}


def test_a_long_node_has_no_more_marks_than_a_shorter_one() -> None:
    length = 5 * MARK_TOKENS * MOST_MARKS
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=length), sink=ListSink())
    cache.insert(RadixKey(list(range(length))), cache.allocate(length))
    found = marks_of(cache)
    assert list(found) == [*range(8 * MARK_TOKENS, length, 8 * MARK_TOKENS)]
    assert found[8 * MARK_TOKENS] == expected([*range(8 * MARK_TOKENS)])


def test_marks_go_where_little_is_told() -> None:
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=512), sink=ListSink())
    cache.set_detail(SPARSE)
    cache.insert(RadixKey(list(range(100))), cache.allocate(100))
    assert marks_of(cache) == {}
