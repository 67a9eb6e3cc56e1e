"""Short ways to a cache with a host tier that checks itself, and to who makes its copies."""

from __future__ import annotations

from typing import Any

from cache_core import CacheConfig, Transfer
from tests.support.checked_cache import checked

KINDS: dict[str, dict[str, Any]] = {
    "full": {"components": ("full",)},
    "swa": {"components": ("full", "swa"), "window": 4, "swa_eviction": "lru"},
    "mamba": {"components": ("full", "mamba"), "mamba_slots": 8, "mamba_chunk_tokens": 4},
}


def hosted(kind: str = "full", slots: int = 64, host: int = 64, **more: Any) -> Any:
    """Return a checked cache of a kind with a host tier; loading back any number of tokens is worth it."""
    sizes = {"full_slots": slots, "host_slots": host, "load_back_tokens": 1}
    return checked(CacheConfig(**KINDS[kind] | sizes | more))


def take(cache: Any) -> list[Transfer]:
    """Take the transfers that are queued."""
    taken: list[Transfer] = cache.host.take_transfers()
    return taken


def settle(cache: Any) -> int:
    """Make every transfer that is queued; return how many there were."""
    transfers = take(cache)
    for transfer in transfers:
        cache.host.complete(transfer.id)
    return len(transfers)


def used(cache: Any) -> dict[str, int]:
    """Return the slots of each kind that the host has in use."""
    return {name: pool["used"] for name, pool in cache.stats()["host"].items()}
