"""Reports B44 and B45: what is not the same prompt is not the same key."""

from __future__ import annotations

from collections import Counter

import pytest

from cache_core import RadixKey
from tests.support.caches import insert, key, tokens
from tests.support.checked_cache import checked_full, checked_swa
from tests.support.observe import ledger, rows

SPACES = [(None, None), ("a", None), ("b", None), (None, "a"), ("a", "b")]
"""Extra key and salt: the same word in either place is not the same namespace."""


# ---- B44: namespaces


@pytest.mark.parametrize("make", [checked_full, checked_swa], ids=["full", "full+swa"])
@pytest.mark.parametrize("page", [1, 16])
def test_b44_five_namespaces_share_nothing(make: object, page: int) -> None:
    cache = make(page=page, slots=1024)
    found = []
    for extra_key, salt in SPACES:
        found.append(cache.match(key("A64", extra_key, salt)).hit_tokens)
        insert(cache, "A64", extra_key=extra_key, cache_salt=salt)
    assert found == [0, 0, 0, 0, 0]
    assert ledger(cache)["full"].evictable == 320
    assert cache.match(key("A64", "sixth")).hit_tokens == 0
    totals: Counter[object] = Counter()
    for row in rows(cache):
        totals[row.namespace] += row.length
    assert totals == dict.fromkeys(SPACES, 64)


def test_b44_a_request_carries_its_salt_to_what_it_writes() -> None:
    cache = checked_swa(slots=1024)
    for extra_key, salt in SPACES:
        request = cache.admit(key("A64", extra_key, salt))
        assert request.hit_tokens == 0
        request.prefill(64)
        for token in tokens("B3"):
            request.decode(token)
        request.finish()
    assert [cache.match(key("A64 B3", *space)).hit_tokens for space in SPACES] == [67] * 5
    assert cache.match(key("A64 B3", "b", "a")).hit_tokens == 0


def test_b44_an_evicted_namespace_takes_nothing_of_the_others() -> None:
    cache = checked_full(slots=1024)
    for extra_key, salt in SPACES:
        insert(cache, "A64", extra_key=extra_key, cache_salt=salt)
    assert cache.evict(full_tokens=64).full_tokens == 64
    assert [cache.match(key("A64", *space)).hit_tokens for space in SPACES] == [0, 64, 64, 64, 64]


# ---- B45: pictures


def with_picture(media_hash: int) -> RadixKey:
    """Return a prompt of 20 tokens, 32 placeholders that stand for a picture, and 8 tokens more."""
    return RadixKey([*range(20), *[media_hash] * 32, *range(20, 28)])


@pytest.mark.parametrize("bit", range(16, 31))
def test_b45_pictures_whose_hashes_differ_in_a_high_bit_share_only_the_text_before(bit: int) -> None:
    cache = checked_full()
    first = 0x1234
    keys = [with_picture(media_hash) for media_hash in (first, first ^ 1 << bit)]
    for radix_key in keys:
        cache.insert(radix_key, cache.allocate(len(radix_key)))
    assert cache.match(keys[0]).hit_tokens == 60
    other = with_picture(first ^ 1 << bit ^ 1 << 15)
    assert cache.match(other).hit_tokens == 20


@pytest.mark.parametrize("page", [1, 4, 16, 32])
def test_b45_no_page_of_a_picture_is_shared_with_another(page: int) -> None:
    cache = checked_full(page=page)
    first = with_picture(0x1234_5678)
    slots = cache.allocate(len(first))
    cache.insert(first, slots)
    cache.free(slots[len(first) // page * page :])
    assert cache.match(with_picture(0x2234_5678)).hit_tokens == 20 // page * page
