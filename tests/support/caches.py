"""Short ways to build a cache, write keys and read its tree, for tests whose numbers come from tables."""

from __future__ import annotations

import re
from array import array
from typing import Any

from cache_core import CacheConfig, InsertResult, PrefixCache, RadixKey, Request

STREAM = 100_000
"""Tokens of one letter: A is 0.., B is 100,000.., so that letters share nothing."""

_PART = re.compile(r"([A-Z])(?:(\d+):)?(\d+)")


def tokens(text: str) -> list[int]:
    """Return the tokens of "A22 B19": the first 22 of stream A, then the first 19 of B. "A4:8" is A's [4, 8)."""
    found: list[int] = []
    for part in text.split():
        match = _PART.fullmatch(part)
        assert match is not None, f"{part!r} is no part of a key"
        letter, start, end = match.groups()
        assert int(end) <= STREAM, f"{part!r} runs into the next stream"
        base = (ord(letter) - ord("A")) * STREAM
        found += range(base + int(start or 0), base + int(end))
    return found


def key(text: str, extra_key: str | None = None, cache_salt: str | None = None) -> RadixKey:
    """Return the key of `tokens(text)`."""
    return RadixKey(tokens(text), extra_key=extra_key, cache_salt=cache_salt)


def full_cache(page: int = 1, slots: int = 256, **more: Any) -> PrefixCache:
    """Return a cache with the Full component alone."""
    return PrefixCache(CacheConfig(page_size=page, components=("full",), full_slots=slots, **more))


def swa_cache(
    page: int = 1, window: int = 4, slots: int = 256, swa_slots: int | None = None, **more: Any
) -> PrefixCache:
    """Return a cache with Full and sliding-window components."""
    pools = {"full_slots": slots, "swa_slots": slots if swa_slots is None else swa_slots}
    components = more.pop("components", ("full", "swa"))
    return PrefixCache(CacheConfig(page_size=page, components=components, window=window, **pools, **more))


def insert(cache: PrefixCache, text: str, swa_from: int = 0, owned: int = 0, **more: Any) -> InsertResult:
    """Insert a key on slots of its own; `more` are names of the key's namespace and options of the insert."""
    names = {name: more.pop(name) for name in ("extra_key", "cache_salt") if name in more}
    radix_key = key(text, **names)
    slots = fresh_slots(cache, len(radix_key), swa_from)
    done = cache.insert(radix_key, slots, owned_tokens=owned, swa_from=swa_from, **more)
    whole = len(radix_key) // cache.config.page_size * cache.config.page_size
    cache.free(slots[whole:])
    return done


def chain(cache: PrefixCache, depth: int) -> None:
    """Make a chain of one-token nodes: insert a sequence and match its prefixes, each one token shorter."""
    insert(cache, f"A{depth}")
    text = tokens(f"A{depth}")
    for length in range(depth - 1, 0, -1):
        cache.match(RadixKey(array("i", text[:length])))
    assert cache.stats()["nodes"] == depth


def fresh_slots(cache: PrefixCache, count: int, swa_from: int = 0) -> array[int]:
    """Allocate slots for `count` positions, those before `swa_from` without a window peer."""
    slots = cache.allocate(count)
    if swa_from:
        cache.free_window(slots[:swa_from])
    return slots


def admit(cache: PrefixCache, text: str, prefilled: bool = True, **more: Any) -> Request:
    """Admit a request and, unless told otherwise, prefill and write back its whole prompt."""
    request = cache.admit(key(text), **more)
    if prefilled:
        request.prefill(len(tokens(text)))
    return request


def run(cache: PrefixCache, text: str, outputs: str = "Z2") -> None:
    """Serve a whole request: admit, prefill, decode `outputs`, finish."""
    request = admit(cache, text)
    for token in tokens(outputs):
        request.decode(token)
    request.finish()


def hits(cache: PrefixCache, text: str) -> tuple[int, int | None]:
    """Match a key and return its hit and its branching point."""
    found = cache.match(key(text))
    return found.hit_tokens, found.branching_point
