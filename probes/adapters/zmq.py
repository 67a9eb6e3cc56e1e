"""KV events of one publisher by itself, for users of the library: from a socket, or from a file of saved ones.

radixtop makes a FleetAdapter of links.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from probes.fleet.fleet_adapter import FleetAdapter
from probes.fleet.stream_link import StreamLink
from probes.kv_feed.shared_loop import SharedLoop
from probes.kv_mirror.follower import Feed


class ZmqAdapter(FleetAdapter):
    """Follows a feed, a fleet of one rank; `name` is what it is called."""

    def __init__(self, feed: Feed, name: str, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        super().__init__([StreamLink(feed, name, clock)], SharedLoop(clock))
