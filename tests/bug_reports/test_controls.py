"""Reports B26 and B39, and B09 on every cache: what cannot be hit goes first, and nothing falls off a cliff."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from cache_core import CacheConfig, DoubleFreeError, RadixKey, check_integrity
from cache_core.control import CACHES, build
from tests.support.checked_cache import checked
from tests.support.observe import everything, free

REUSING = ("prefix", "block_hash")
PAGE = 16


# ---- B09: one block twice in one call


@pytest.mark.parametrize("kind", CACHES)
@pytest.mark.parametrize("page", [1, 4])
def test_b09_every_cache_refuses_a_block_named_twice(kind: str, page: int) -> None:
    cache = checked(CacheConfig(page_size=page, components=("full",), full_slots=64), kind)
    block = cache.allocate(page)
    before = everything(cache)
    with pytest.raises(DoubleFreeError):
        cache.free([*block, *block])
    assert everything(cache) == before
    cache.free(block)
    assert free(cache) == (64,)
    assert not set(cache.allocate(page)) & set(cache.allocate(page))


# ---- B26: partial blocks


def prompt(session: int, blocks: int, own: int = 0) -> RadixKey:
    """Return a prompt of one session, whole blocks and `own` tokens more."""
    return RadixKey([session, *range(blocks * PAGE + own - 1)])


def serve(cache: Any, key: RadixKey) -> int:
    """Serve a request without outputs and return its hit in blocks."""
    request = cache.admit(key)
    request.prefill(len(key))
    request.finish()
    return request.hit_tokens // PAGE


@pytest.mark.parametrize("kind", REUSING)
def test_b26_partial_blocks_do_not_push_out_cached_ones(kind: str) -> None:
    cache = checked(CacheConfig(page_size=PAGE, components=("full",), full_slots=10 * PAGE), kind)
    serve(cache, prompt(0, 6))
    for number in range(1, 101):
        serve(cache, prompt(number, 0, own=5))
        assert cache.match(prompt(0, 6)).hit_tokens == 6 * PAGE
    assert free(cache) == (4 * PAGE,)


# ---- B39: chats in turn

BLOCKS, WINDOW_BLOCKS = 25, 4


CONFIG = CacheConfig(page_size=PAGE, window=WINDOW_BLOCKS * PAGE, full_slots=500 * PAGE, swa_slots=500 * PAGE)
"""1,000 blocks, half of them of either kind: 20 chats fit."""


@pytest.mark.parametrize("kind", REUSING)
def test_b39_in_the_second_round_every_chat_is_usable(kind: str) -> None:
    cache = checked(CONFIG, kind)
    rounds = [[serve(cache, prompt(session, BLOCKS)) for session in range(8)] for _ in range(2)]
    assert rounds[0] == [0] * 8
    assert min(rounds[1]) >= 24


@pytest.mark.parametrize("kind", REUSING)
@pytest.mark.parametrize("sessions", [8, 12, 16, 19])
def test_b39_in_turn_nothing_is_lost_while_the_chats_fit(kind: str, sessions: int) -> None:
    cache = checked(CONFIG, kind)
    for _ in range(2):
        found = [serve(cache, prompt(session, BLOCKS)) for session in range(sessions)]
    assert min(found) >= 24


@pytest.mark.parametrize("kind", REUSING)
def test_b39_past_that_reuse_falls_as_the_share_of_chats_that_fit(kind: str) -> None:
    shares = []
    for sessions in (8, 16, 20, 24, 32, 40):
        dice = random.Random(sessions)
        cache = build(kind, CONFIG)
        for session in range(sessions):
            serve(cache, prompt(session, BLOCKS))
        found = [serve(cache, prompt(dice.randrange(sessions), BLOCKS)) for _ in range(150)]
        check_integrity(cache)
        shares.append(sum(found) / (24 * len(found)))
        assert shares[-1] >= 0.8 * min(1, 20 / sessions)
    assert all(later <= earlier + 0.1 for earlier, later in pairwise(shares))
