"""A session on what is reached over a network; who watches a process of this machine imports nothing of it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from probes.engines.access import Access
from probes.fleet.engine_link import EngineLink
from probes.fleet.figures import RankName
from probes.fleet.fleet_adapter import FleetAdapter
from probes.fleet.link import Link
from probes.fleet.stream_link import StreamLink
from probes.kv_feed.feed import Feed
from probes.kv_feed.file_feed import FileFeed
from probes.kv_feed.shared_loop import SharedLoop
from probes.snapshot import Snapshot
from probes.text_options import TextOptions
from radixtop.engine_target import FileTarget, NetworkTarget, StreamTarget
from radixtop.errors import RadixtopError, UsageError
from radixtop.session import Session
from radixtop.text_sources import texts_of


class NetworkSession(Session):
    """A session on servers and streams, which need not be there: the state says so."""

    patience_s = longest_start_s = 3.0

    def __init__(self, targets: Sequence[NetworkTarget], access: Access, text: TextOptions | None = None) -> None:
        loop = SharedLoop(_clock(targets))
        if loop.goes_by_date:
            self.is_hurried = self.has_end = True
            self.patience_s = self.longest_start_s = math.inf
        self._fleet = FleetAdapter(
            [_link(target, access, loop) for target in targets], loop, texts_of(targets, access, text)
        )
        super().__init__(self._fleet)

    def is_whole(self, snapshot: Snapshot) -> bool:
        """See Session: each server has told its metrics and each rank its blocks, or could not."""
        return not self._fleet.is_reaching and (super().is_whole(snapshot) or not self.has_end)

    def is_catching_up(self) -> bool:
        """See Session."""
        return self._fleet.is_catching_up

    def has_failed(self, snapshot: Snapshot) -> bool:
        """See Session: what is wrong with all servers is known, such as a wrong port, and not that they are slow."""
        return self.is_dark(snapshot) and not self._fleet.is_reaching

    def is_dark(self, snapshot: Snapshot) -> bool:
        """See Session."""
        return snapshot.source.state == "starting" and self._fleet.has_failed

    def is_over(self, snapshot: Snapshot) -> bool:
        """See Session: one that is at its end does not end the others, nor before that is counted."""
        return super().is_over(snapshot) and not self._fleet.is_reaching

    def follow(self, server: str, rank: int) -> str:
        """Show the tree of another rank from the next tick on, and return the words for that.

        Raises RadixtopError for one that publishes no KV events, or that is not watched.
        """
        name = RankName(server, rank)
        if not self._fleet.follow(name):
            hint = "choose a rank whose row has cached tokens, or start the server with --kv-events-config"
            raise RadixtopError(f"{server} publishes no KV events of rank {rank}, so there is no tree to show", hint)
        return f"showing rank {rank} of {server}"


def _clock(targets: Sequence[NetworkTarget]) -> Callable[[], int]:
    """Return the clock that all of what is watched goes by: what is saved has dates."""
    saved = [isinstance(target, FileTarget) for target in targets]
    if any(saved) and not all(saved):
        raise UsageError("saved events and servers are of different times", "watch the one or the other")
    return time.time_ns if any(saved) else time.perf_counter_ns


def _link(target: NetworkTarget, access: Access, loop: SharedLoop) -> Link:
    if isinstance(target, FileTarget):
        return StreamLink(FileFeed(target.path), str(target), loop.clock)
    if isinstance(target, StreamTarget):
        return StreamLink(Feed(target.endpoint, loop=loop.lend()), str(target), loop.clock)
    return EngineLink(target.engine, target.address, access, loop)
