"""How full each pool is, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cache_core.events import Pool, Transfers
from probes.fold import Folds
from probes.mirror import Mirror
from probes.probe import Probe
from probes.window import Gauge


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
class TransferState:
    """Copies between device and host that did not end, and how old the oldest is, None without any."""

    under_way: int
    untaken: int
    oldest_ns: int | None


@dataclass(frozen=True, slots=True)
class OccupancySample:
    """The pools in the cache's order; `history` is the share (0..1) in use, one a second, oldest first, by pool.

    `transfers` is None without a host tier.
    """

    pools: tuple[PoolState, ...]
    history: Mapping[str, tuple[float | None, ...]]
    transfers: TransferState | None = None


class Occupancy(Probe):
    """Keeps the newest statement about each pool."""

    needs = frozenset({Pool})

    def __init__(self, mirror: Mirror) -> None:
        super().__init__(mirror)
        self._newest: dict[int, Pool] = {}
        self._used: dict[int, Gauge] = {}
        self._transfers: TransferState | None = None

    def folds(self) -> Folds:
        """See Probe."""
        return {Pool: self._pool, Transfers: self._moving}

    def sample(self, now: int) -> OccupancySample | None:
        """See Probe; None before the first statement."""
        if not self._newest:
            return None
        name = self.mirror.component_name
        components = sorted(self._newest)
        return OccupancySample(
            tuple(_state(name(component), self._newest[component]) for component in components),
            MappingProxyType({name(component): self._used[component].history(now) for component in components}),
            self._transfers,
        )

    def _pool(self, record: Pool) -> None:
        self._newest[record.component] = record
        in_use = record.evictable + record.protected + record.held
        total = record.free + in_use
        gauge = self._used.setdefault(record.component, Gauge())
        if total:
            gauge.set(record.at, in_use / total)

    def _moving(self, record: Transfers) -> None:
        oldest_ns = None if record.oldest_ns < 0 else record.oldest_ns
        self._transfers = TransferState(record.under_way, record.untaken, oldest_ns)


def _state(name: str, pool: Pool) -> PoolState:
    total = pool.free + pool.evictable + pool.protected + pool.held
    return PoolState(name, pool.free, pool.evictable, pool.protected, pool.held, total)
