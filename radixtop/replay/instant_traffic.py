"""Copies between a device and a host that are not there: each is over as soon as it began, and its tokens counted."""

from __future__ import annotations

from cache_core.cache import PrefixCache
from cache_core.engine.traffic import NoTraffic, Traffic
from cache_core.host_tier import HostTier


class InstantTraffic:
    """Ends every copy that a cache queues. `loaded_tokens` counts what came back to the device."""

    __slots__ = ("_done", "_tier", "loaded_tokens")

    def __init__(self, tier: HostTier) -> None:
        self._tier = tier
        self._done: list[int] = []
        self.loaded_tokens = 0

    def start(self) -> None:
        """Count what is queued."""
        for transfer in self._tier.take_transfers():
            if transfer.direction == "load":
                self.loaded_tokens += len(transfer.parts["full"][0]) if "full" in transfer.parts else 0
            self._done.append(transfer.id)

    def fence(self) -> None:
        """Do nothing: all is there."""

    def settle(self) -> None:
        """Tell the cache that what was queued has ended."""
        done, self._done = self._done, []
        for transfer_id in done:
            self._tier.complete(transfer_id)

    def close(self) -> None:
        """End what is queued."""
        self.start()
        self.settle()


def instant_traffic(cache: PrefixCache) -> Traffic:
    """Return the traffic of a cache whose memory nobody has."""
    return NoTraffic() if cache.host is None else InstantTraffic(cache.host)
