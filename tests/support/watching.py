"""A cache in this process and everything that the probes say of it."""

from __future__ import annotations

from time import perf_counter_ns

from cache_core import CacheConfig, PrefixCache
from probes.adapters.embedded import EmbeddedAdapter
from probes.aggregator import Aggregator
from probes.builtin.hit_rate import HitTotals
from probes.builtin.occupancy import PoolState
from probes.mirror import Mirror
from probes.snapshot import Snapshot


class Watching:
    """`cache` is the one to use; `snapshot` flushes it and returns what every probe makes of it."""

    def __init__(self, config: CacheConfig) -> None:
        self.adapter = EmbeddedAdapter(config.describe())
        self.cache = PrefixCache(config, sink=self.adapter)
        self.adapter.bind(snapshot=self.cache.snapshot_records, pools=self.cache.emit_pools)
        self._aggregator = Aggregator(self.adapter)

    @property
    def mirror(self) -> Mirror:
        """The tree as the records tell it, as of the last snapshot."""
        return self._aggregator.mirror

    def snapshot(self, now: int | None = None) -> Snapshot:
        """Return every sample, as of now unless a time is given."""
        self.adapter.flush()
        return self._aggregator.tick(perf_counter_ns() if now is None else now)

    def totals(self) -> HitTotals:
        """Return the hits of all admitted requests."""
        total: HitTotals = self.snapshot().samples["hit_rate"].total  # type: ignore[attr-defined]
        return total

    def pools(self) -> dict[str, PoolState]:
        """Return the occupancy of each pool."""
        sample = self.snapshot().samples["occupancy"]
        return {pool.name: pool for pool in sample.pools}  # type: ignore[attr-defined]
