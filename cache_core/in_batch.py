"""In-batch prefix caching: who had better wait for a prefix that another request is about to store.

The reference keeps a scratch tree of the keys that go first and asks each further one how far it agrees with the
tree. Only "at least `defer_tokens` or not" matters, and a key agrees that far with the tree exactly when its first
`defer_tokens` are those of a key in it: the scratch tree is a set of heads.

What is being prefilled counts as well, so that a prefix computed in several chunks is waited for to its end:

    leader's key    |--stored--|--to come-------------|
    waiting key     |--hit--|                              put off while the two agree for `defer_tokens`
                            |--stored--|~~defer~~|         beyond what is stored and beyond the hit
"""

from __future__ import annotations

from collections.abc import Sequence

from cache_core.key import TOKEN_BYTES, RadixKey
from cache_core.lookup import QueueHit
from cache_core.schedule import Queue, ScheduleConfig


def put_off(queue: Queue, hits: Sequence[QueueHit], config: ScheduleConfig) -> frozenset[int]:
    """Return the indices of the waiting requests that had better wait for another's prefix."""
    if config.check_tokens < 0:
        return frozenset()
    later = set()
    heads: set[tuple[bytes, bytes]] = set()
    for index, (waiting, hit) in enumerate(zip(queue.waiting, hits, strict=True)):
        key, device_hit = waiting.key, hit.device_hit_tokens
        if any(
            _agree(key, under_way.key, max(device_hit, under_way.stored_tokens) + config.defer_tokens)
            for under_way in queue.under_way
        ):
            later.add(index)
        elif device_hit <= config.check_tokens and len(key) >= config.defer_tokens:
            head = (key.namespace.prefix, key.tokens[: config.defer_tokens * TOKEN_BYTES])
            if head in heads:
                later.add(index)
            heads.add(head)
    return frozenset(later)


def _agree(key: RadixKey, other: RadixKey, tokens: int) -> bool:
    """Return whether two keys of one namespace have their first `tokens` in common."""
    if min(len(key), len(other)) < tokens or key.namespace.prefix != other.namespace.prefix:
        return False
    end = tokens * TOKEN_BYTES
    return key.tokens[:end] == other.tokens[:end]
