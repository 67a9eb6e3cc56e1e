"""A tour of the core without a model: what the tree, a lock, the window and the branching point do, step by step."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.integrity import check_integrity
from cache_core.key import RadixKey
from cache_core.view import pretty_print

SLOTS = 512
WINDOW = 4
SHARED = range(1000, 1022)
"""The stretch that every request of the tour starts with."""


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _show(cache: PrefixCache) -> None:
    check_integrity(cache)
    _say("\n" + pretty_print(cache) + "\n")


def _key(*parts: Iterable[int]) -> RadixKey:
    return RadixKey(array("i", [token for part in parts for token in part]))


def _tree() -> None:
    """Show the operations of a tree that knows full attention alone."""
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=SLOTS))
    first, second = _key(range(100, 112)), _key(range(100, 107), range(200, 205))

    _say("1. INSERT. Twelve tokens were computed into slots that the cache lent; the tree takes both over.")
    cache.insert(first, cache.allocate(12))
    _show(cache)

    found = cache.match(second)
    _say(f"2. MATCH. Of 12 other tokens the tree has the first {found.hit_tokens}, in slots {list(found.slots())}.")
    _say("They end inside an edge. That is SPLIT, so that whoever matches can lock exactly what hit.")
    _show(cache)

    receipt = cache.lock(found.node)
    slots = found.slots()
    slots.extend(cache.allocate(5))
    present = cache.insert(second, slots, owned_tokens=found.hit_tokens).present_tokens
    _say(f"3. LOCK what hit, compute the other 5 tokens, insert: {present} were present, and a fork appears.")
    _show(cache)

    gone = cache.evict(full_tokens=100)
    _say(f"4. EVICT 100 tokens. Only {gone.full_tokens} may go, leaves first: what is locked stays.")
    _show(cache)
    cache.unlock(receipt)
    _say(f"Unlocked, the other {cache.evict(full_tokens=100).full_tokens} may go as well.\n")


def _serve(cache: PrefixCache, name: str, own: range) -> None:
    """Serve one request whose prompt is the shared stretch and 19 tokens of its own."""
    request = cache.admit(_key(SHARED, own))
    _say(
        f"{name} request: 41 tokens, hit {request.hit_tokens}, stored prefix {request.full_hit_tokens}, "
        f"branching point {request.branching_point}"
    )
    request.prefill(41)
    request.decode(7)
    request.finish()
    _show(cache)


def _window() -> None:
    """Show what a sliding window does to matches, and what branching points do about it."""
    cache = PrefixCache(CacheConfig(window=WINDOW, full_slots=SLOTS, swa_slots=SLOTS))
    _say(f"5. SLIDING WINDOW of {WINDOW} tokens beside full attention: F and S mark which state a node has.\n")
    _serve(cache, "first", range(2000, 2019))
    _say("Behind the window the S state was given back: a tombstone, which a match may not end on.\n")
    _serve(cache, "second", range(3000, 3019))
    _say("6. BRANCH. It shared 22 tokens, could use none, and left one live window where it branched off.\n")
    _serve(cache, "third", range(4000, 4019))
    gone = cache.evict(full_tokens=30)
    _say(
        f"So the third one hit all 22. EVICT 30 tokens: {gone.full_tokens} full and {gone.swa_tokens} window tokens "
        f"go in {gone.victims} nodes, the least recently used leaves first."
    )
    _show(cache)
    for name, pool in cache.stats()["components"].items():
        _say(f"{name}: " + ", ".join(f"{state} {tokens}" for state, tokens in pool.items()))


def main() -> int:
    """Print the tour; returns the exit code."""
    _say(f"A cache of {SLOTS} slots. Every line is a node: positions, state, first token, hits.\n")
    _tree()
    _window()
    return 0


if __name__ == "__main__":
    sys.exit(main())
