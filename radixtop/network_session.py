"""A session on what is reached over a network; who watches a process of this machine imports nothing of it."""

from __future__ import annotations

from collections.abc import Sequence

from probes.engines.access import Access
from probes.fleet.engine_link import EngineLink
from probes.fleet.figures import RankName
from probes.fleet.fleet_adapter import FleetAdapter
from probes.fleet.link import Link
from probes.fleet.stream_link import StreamLink
from probes.kv_feed.feed import Feed
from probes.kv_feed.shared_loop import SharedLoop
from radixtop.engine_target import NetworkTarget, StreamTarget
from radixtop.errors import RadixtopError
from radixtop.session import Session


class NetworkSession(Session):
    """A session on servers and streams, which need not be there: the state says so."""

    patience_s = longest_start_s = 3.0

    def __init__(self, targets: Sequence[NetworkTarget], access: Access) -> None:
        loop = SharedLoop()
        self._fleet = FleetAdapter([_link(target, access, loop) for target in targets], loop)
        super().__init__(self._fleet)

    def follow(self, server: str, rank: int) -> str:
        """Show the tree of another rank from the next tick on, and return the words for that.

        Raises RadixtopError for one that publishes no KV events, or that is not watched.
        """
        name = RankName(server, rank)
        if not self._fleet.follow(name):
            raise RadixtopError(f"{server} publishes no KV events of rank {rank}, so there is no tree to show")
        return f"showing rank {rank} of {server}"


def _link(target: NetworkTarget, access: Access, loop: SharedLoop) -> Link:
    if isinstance(target, StreamTarget):
        return StreamLink(Feed(target.endpoint, loop=loop.lend()), str(target), loop.clock)
    return EngineLink(target.engine, target.address, access, loop)
