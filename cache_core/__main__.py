"""A tour of the core without a model: what the tree, the window and the branching point do, step by step."""

from __future__ import annotations

import sys
from array import array

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.integrity import check_integrity
from cache_core.key import RadixKey
from cache_core.view import pretty_print

WINDOW = 4
SHARED = range(1000, 1022)
"""The stretch that every request of the tour starts with."""


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _serve(cache: PrefixCache, name: str, own: range) -> None:
    """Serve one request whose prompt is the shared stretch and 19 tokens of its own."""
    request = cache.admit(RadixKey(array("i", [*SHARED, *own])))
    _say(
        f"{name}: 41 tokens, hit {request.hit_tokens}, stored prefix {request.full_hit_tokens}, "
        f"branching point {request.branching_point}"
    )
    request.prefill(41)
    request.decode(7)
    request.finish()
    _say(pretty_print(cache) + "\n")


def main() -> int:
    """Print the tour; returns the exit code."""
    cache = PrefixCache(CacheConfig(window=WINDOW, full_slots=512, swa_slots=512))
    _say(f"A cache of 512 slots, sliding window of {WINDOW} tokens. Nodes: positions, F = full, S = window state.\n")
    _serve(cache, "first request", range(2000, 2019))
    _say("Behind the window the S state was given back: a tombstone, which a match may not end on.\n")
    _serve(cache, "second request", range(3000, 3019))
    _say("It shared 22 tokens, could use none, and left one live window at its branching point.\n")
    _serve(cache, "third request", range(4000, 4019))
    _say("So the third one hits all 22. Evicting 30 tokens takes the least recently used leaves:\n")
    gone = cache.evict(full_tokens=30)
    _say(f"{gone.full_tokens} full and {gone.swa_tokens} window tokens in {gone.victims} nodes")
    _say(pretty_print(cache) + "\n")
    check_integrity(cache)
    stats = cache.stats()
    for name, pool in stats["components"].items():
        _say(f"{name}: " + ", ".join(f"{state} {tokens}" for state, tokens in pool.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
