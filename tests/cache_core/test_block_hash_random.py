"""Random operations on the block-hash cache and on its naive model, compared after each of them."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import CacheConfig
from cache_core.controls.block_hash.cache import BlockHashCache
from tests.support.block_twin import OPERATIONS, BlockTwin
from tests.support.setups import name_of

pytestmark = pytest.mark.one_backend("no tree")

CONFIGS = (
    CacheConfig(components=("full",), full_slots=120),
    CacheConfig(components=("full",), full_slots=160, page_size=4),
    CacheConfig(window=6, full_slots=120, swa_slots=60),
    CacheConfig(window=5, full_slots=160, swa_slots=80, page_size=4),
    CacheConfig(window=16, full_slots=96, swa_slots=96, page_size=4),
    CacheConfig(window=9, full_slots=90, swa_slots=60, page_size=2),
)


class WeaklyHashed(BlockHashCache):
    """Hashes of a byte, so that other content often has a block's hash."""

    digest_bytes = 1


def walk(twin: BlockTwin, steps: int = 200) -> Counter[str]:
    """Take random steps and return what happened."""
    for _ in range(steps):
        twin.step()
    return twin.seen


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("config", CONFIGS, ids=name_of)
def test_the_cache_agrees_with_the_model(config: CacheConfig, seed: int) -> None:
    walk(BlockTwin(BlockHashCache(config), seed))


def test_the_walk_covers_what_is_rare() -> None:
    seen = sum((walk(BlockTwin(BlockHashCache(config), seed=9)) for config in CONFIGS), Counter[str]())
    assert min(seen[name] for name in (*OPERATIONS, "out of slots", "window missing")) > 0, seen


def test_slots_hold_what_their_blocks_say_when_hashes_collide() -> None:
    twins = [BlockTwin(WeaklyHashed(config), seed=1, model=False) for config in CONFIGS]
    assert sum(walk(twin)["hash taken"] for twin in twins) > 0
