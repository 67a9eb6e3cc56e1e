"""A stream of KV events alone: one rank, of a server of which nothing else is known."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from probes.fleet.figures import RankName
from probes.fleet.link import Link, Member
from probes.kv_mirror.follower import Feed, RankFollower
from probes.scrapes.figures import EngineFigures
from probes.snapshot import SourceState


class StreamLink(Link):
    """Follows a feed; `name` is what it is called."""

    engine = ""

    def __init__(self, feed: Feed, name: str, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.name = name
        self._follower = RankFollower(feed, name, clock=clock)
        self._members = (Member(RankName(name, 0), self._follower),)

    @property
    def members(self) -> Sequence[Member]:
        """See Link."""
        return self._members

    def poll(self) -> list[EngineFigures]:
        """Return nothing: there are no metrics."""
        return []

    def state(self) -> SourceState:
        """See Link."""
        return self._follower.state()

    def close(self) -> None:
        """Let go of the feed."""
        self._follower.close()
