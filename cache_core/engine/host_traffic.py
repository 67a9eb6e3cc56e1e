"""What moves between the device's pools and the host's: the queue of the cache's host tier, carried out by a lane."""

from __future__ import annotations

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.engine.device_pool import DevicePool
from cache_core.engine.host_pool import build_host_pools
from cache_core.engine.shape import LayerKind
from cache_core.engine.traffic import NoTraffic, Traffic
from cache_core.engine.transfers import Copier, DirectLane, Lane, StreamLane
from cache_core.host_tier import HostTier


class HostTraffic:
    """Takes copies from `tier` and gives them to `lane`, which has `copier` make them."""

    __slots__ = ("_tier", "copier", "lane")

    def __init__(self, tier: HostTier, copier: Copier, lane: Lane) -> None:
        self._tier = tier
        self.copier = copier
        self.lane = lane

    def start(self) -> None:
        """Start every copy that the cache has queued, in order."""
        for transfer in self._tier.take_transfers():
            self.lane.start(transfer)

    def fence(self) -> None:
        """Let the next forward read what was loaded."""
        self.lane.fence()

    def settle(self) -> None:
        """Tell the cache which copies have ended."""
        for transfer_id in self.lane.finished():
            self._tier.complete(transfer_id)

    def close(self) -> None:
        """Carry out what is queued, wait for what moves, tell the cache."""
        self.start()
        self.lane.drain()
        self.settle()


def build_traffic(cache: PrefixCache, pools: dict[LayerKind, DevicePool]) -> Traffic:
    """Return the traffic of `cache`, with host memory of the sizes that its configuration names."""
    if cache.host is None:
        return NoTraffic()
    copier = Copier(pools, build_host_pools(_host_rows(cache.config), pools))
    device = pools[LayerKind.FULL].layers.device
    lane: Lane = DirectLane(copier)
    if device.type == "cuda":
        lane = StreamLane(copier, device, backups_let_go=cache.config.write_policy == "write_back")
    return HostTraffic(cache.host, copier, lane)


def _host_rows(settings: CacheConfig) -> dict[LayerKind, int]:
    """Return the rows of each host pool: the page of slot 0, then every slot."""
    page = settings.page_size
    return {
        LayerKind.FULL: settings.host_slots + page,
        LayerKind.WINDOW: (settings.swa_host_slots or 0) + page,
        LayerKind.RECURRENT: (settings.mamba_host_slots or 0) + 1,
    }
