"""Events as plain values: byte for byte what SGLang's own classes and publishers encode."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from cache_core import ConfigError
from cache_core.kv_blocks import BlockRemoved, BlockStored, Group
from cache_core.kv_wire import LAYOUTS, batch, layout_named, to_plain
from tests.support.kv_consumer import DATA, decode, messages, to_event

pytestmark = pytest.mark.one_backend("no tree")

VECTORS: list[dict[str, Any]] = json.loads((DATA / "vectors.json").read_text())["vectors"]
LAYOUT_OF_VECTOR = {
    "sglang_array_v1_store_remove_clear": ["0.5.1"],
    "sglang_array_v2_medium": ["0.5.9", "0.5.18"],
    "sglang_array_v2_tiers": ["0.5.9", "0.5.18"],
    "sglang_array_bigram_tokens": ["0.5.9", "0.5.18"],
    "sglang_array_v3_metadata_salt": ["0.5.18"],
    "sglang_map_v1": ["0.5.20", "0.5.22"],
    "sglang_map_v1_salt_session": ["0.5.20", "0.5.22"],
    "sglang_map_v2_lora_name": ["0.5.22"],
    "sglang_map_medium_absent": ["0.5.20", "0.5.22"],
}
LAYOUT_OF_STREAM = {
    "sglang_0.5.23_page16": "0.5.22",
    "sglang_0.5.23_hicache_wt": "0.5.22",
    "sglang_0.5.20_page16": "0.5.20",
    "sglang_0.5.18_radix_page16_ns": "0.5.18",
    "sglang_0.5.12_radix_page16": "0.5.9",
    "sglang_0.5.6_radix_page16": "0.5.1",
}


def encoded(events: list[dict[str, Any]], ts: float, rank: int | None, layout: str) -> bytes:
    """Return decoded events, encoded by us."""
    plain = [to_plain(to_event(event), layout_named(layout)) for event in events]
    return msgspec.msgpack.encode(batch(ts, plain, rank))


def test_every_vector_is_encoded() -> None:
    assert LAYOUT_OF_VECTOR.keys() == {vector["name"] for vector in VECTORS}
    assert {layout for layouts in LAYOUT_OF_VECTOR.values() for layout in layouts} == set(LAYOUTS)


@pytest.mark.parametrize(
    ("vector", "layout"),
    [(vector, layout) for vector in VECTORS for layout in LAYOUT_OF_VECTOR[vector["name"]]],
    ids=lambda value: value if isinstance(value, str) else value["name"],
)
def test_a_vector_is_encoded_byte_for_byte(vector: dict[str, Any], layout: str) -> None:
    told = vector["decoded"]
    assert encoded(told["events"], told["ts"], told["attn_dp_rank"], layout).hex() == vector["hex"]


@pytest.mark.parametrize(("name", "layout"), LAYOUT_OF_STREAM.items())
def test_a_recorded_stream_is_encoded_byte_for_byte(name: str, layout: str) -> None:
    payloads = [payload for _, _, payload in messages(name)]
    again = [encoded(told.events, told.ts, told.rank, layout) for told in map(decode, payloads)]
    assert again == payloads


def test_an_unknown_layout_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"0\.5\.1, 0\.5\.9, 0\.5\.18, 0\.5\.20, 0\.5\.22"):
        layout_named("0.4")


def test_a_group_is_told_in_the_fields_of_vllm() -> None:
    group = Group(1, "sliding_window", 128)
    stored = to_plain(BlockStored((5,), None, b"\1\0\0\0", 1, group=group))
    assert isinstance(stored, dict)
    assert list(stored)[-3:] == ["group_idx", "kv_cache_spec_kind", "kv_cache_spec_sliding_window"]
    assert list(stored.values())[-3:] == [1, "sliding_window", 128]
    assert to_plain(BlockRemoved((5,), group=group)) == {
        "type": "BlockRemoved", "block_hashes": (5,), "medium": "GPU", "group_idx": 1,
    }  # fmt: skip
