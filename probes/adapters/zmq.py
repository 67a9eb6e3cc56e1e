"""KV events of one publisher, of whatever engine: from a socket, or from a file that they were saved in."""

from __future__ import annotations

import time
from collections.abc import Callable

from probes.adapter import Adapter, Batch
from probes.kv_mirror.follower import TOLD, Feed, RankFollower
from probes.snapshot import SourceState


class ZmqAdapter(Adapter):
    """Follows a feed; `name` is what it is called."""

    provides = TOLD

    def __init__(self, feed: Feed, name: str, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self._clock = clock
        self._follower = RankFollower(feed, name, clock=clock)

    def poll(self) -> Batch:
        """Return what became of the events since the last call."""
        return self._follower.poll()

    def state(self) -> SourceState:
        """Return how the feed is doing, and how far the tree can be believed."""
        return self._follower.state()

    def now(self) -> int:
        """Return the present of the reader's clock, which stamps the records."""
        return self._clock()

    def close(self) -> None:
        """Let go of the feed."""
        self._follower.close()
