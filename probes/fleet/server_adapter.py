"""One server as a source, for users of the library: a fleet of one. radixtop makes a FleetAdapter of links."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from probes.engines.access import Access, Address
from probes.fleet.engine_link import EngineLink
from probes.fleet.fleet_adapter import FleetAdapter
from probes.kv_feed.shared_loop import SharedLoop


class ServerAdapter(FleetAdapter):
    """Attaches to a server that need not be there yet; a subclass says of which engine it is."""

    engine: ClassVar[str]

    def __init__(
        self, address: Address, access: Access | None = None, clock: Callable[[], int] = time.perf_counter_ns
    ) -> None:
        loop = SharedLoop(clock)
        super().__init__([EngineLink(self.engine, address, access or Access(), loop)], loop)
