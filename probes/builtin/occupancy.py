"""How full each pool is, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PoolState:
    """One component's slots, in tokens: free + evictable + protected + held = total."""

    name: str
    free: int
    evictable: int
    protected: int
    held: int
    total: int


@dataclass(frozen=True, slots=True)
class OccupancySample:
    """The pools in the cache's order; `history` is the share (0..1) in use, one a second, oldest first, by pool."""

    pools: tuple[PoolState, ...]
    history: Mapping[str, tuple[float | None, ...]]
