"""A rank of a server as a source of records: its KV events make the tree, its metrics the figures.

Either alone is shown where the other is switched off, and the state names the flag that switches it on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar

from probes.adapter import Adapter, Batch, Told
from probes.engines.access import Access, Address
from probes.engines.discovery import Discovery
from probes.engines.http import HttpClient
from probes.engines.server import KVEndpoint, ServerInfo, read_server
from probes.errors import FeedError
from probes.kv_feed.feed import Feed
from probes.kv_mirror.follower import TOLD, RankFollower
from probes.scrapes.figures import EngineFigures
from probes.scrapes.reading import Origin
from probes.scrapes.scraper import Scraper, ScrapeTarget
from probes.scrapes.source import page_source
from probes.snapshot import SourceState


class EngineAdapter(Adapter):
    """Attaches to a server that need not be there yet; a subclass says of which engine it is."""

    engine: ClassVar[str]
    provides = TOLD | {EngineFigures}

    def __init__(
        self,
        address: Address,
        access: Access | None = None,
        rank: int = 0,
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        access = access or Access()
        self._name = f"{self.engine}://{address.place}"
        self._rank = rank
        self._clock = clock
        self._seq = 0
        self._closed = False
        self._fault = ""
        self._follower: RankFollower | None = None
        self._discovery = Discovery(lambda: read_server(self.engine, HttpClient(address, access)), self._name)
        target = ScrapeTarget(Origin(self._name), self.engine, page_source(address, access))
        self._scraper = Scraper([target], clock=clock)

    def poll(self) -> Batch:
        """Return what came of events and metrics since the last call."""
        if self._follower is None and self._endpoint is not None and not self._closed and not self._fault:
            self._follow(self._endpoint)
        told = Batch() if self._follower is None else self._follower.poll()
        found: list[Told] = [record for _, record in told.records]
        found += self._scraper.take()
        first, self._seq = self._seq, self._seq + len(found)
        return Batch(list(enumerate(found, first)), told.resync)

    def state(self) -> SourceState:
        """Return how events and metrics come, what is wrong first."""
        info = self._discovery.info
        (scrape,) = self._scraper.state()
        if self._follower is not None:
            state = self._follower.state()
            return replace(state, message=state.message or scrape.message)
        if info is None:
            return SourceState(
                self._name, "starting", self._discovery.message or "asking the server", tree_known=False
            )
        message = "; ".join(filter(None, (self._without_events(info), scrape.message)))
        return SourceState(self._name, "live", message, config=self._facts(info), tree_known=False)

    def now(self) -> int:
        """Return the present of the reader's clock, which stamps the records."""
        return self._clock()

    def close(self) -> None:
        """Let go of the server; nothing is waited for."""
        self._closed = True
        self._discovery.close()
        self._scraper.close()
        if self._follower is not None:
            self._follower.close()

    @property
    def _endpoint(self) -> KVEndpoint | None:
        info = self._discovery.info
        return None if info is None else next((one for one in info.kv if one.rank == self._rank), None)

    def _follow(self, at: KVEndpoint) -> None:
        """Begin to follow a publisher; where one waits for us and something listens already, that may be it."""
        assert self._discovery.info is not None
        try:
            try:
                feed = Feed(at.live, at.replay, at.topic, bind=at.is_awaited)
            except FeedError:
                feed = Feed(at.live, at.replay, at.topic)
        except FeedError as error:
            self._fault = str(error)
            return
        self._follower = RankFollower(feed, self._name, self._facts(self._discovery.info), self._clock)

    def _without_events(self, info: ServerInfo) -> str:
        """Say why there is no tree: what to start the server with, or which ranks there are."""
        if self._fault:
            return self._fault
        if info.kv:
            ranks = ", ".join(str(endpoint.rank) for endpoint in info.kv[:8])
            return f"rank {self._rank} publishes no KV events; those that do: {ranks}"
        missing = next((one for one in info.missing if "kv-events" in one.flag), None)
        said = f"start it with {missing.flag}" if missing is not None else "see radixtop doctor"
        return f"the server publishes no KV events, so there is no tree: {said}"

    def _facts(self, info: ServerInfo) -> Mapping[str, object]:
        facts = {
            "engine": info.engine,
            "version": info.version,
            "model": info.model,
            "page_size": info.page_size,
            "full_slots": info.capacity_tokens,
            "rank": self._rank,
        }
        return MappingProxyType({name: fact for name, fact in facts.items() if fact is not None})
