"""Which window slot lies beside which Full slot: what the cache never asks, since it finds both by position."""

from __future__ import annotations

from cache_core import PrefixCache


def window_peers(cache: PrefixCache) -> dict[int, int]:
    """Return the window slot beside each Full slot that is out and has one: by node, request and loan."""
    window = cache.window
    if window is None:
        return {}
    pairs = list(cache.loans.pairs())
    for node in window.by_use():
        pairs.extend(zip(node.slots(), window.window_slots(node), strict=True))
    for request in cache.requests.values():
        assert request.peers is not None
        owned = request.protected_tokens
        pairs.extend(zip(request.slots[owned:], request.peers[owned:], strict=True))
    return {slot: peer for slot, peer in pairs if peer}
