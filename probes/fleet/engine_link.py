"""A server of an engine: what it says of itself, its metrics, and the KV events of each of its ranks.

Events or metrics alone are shown where the other is switched off, and the state names the flag that switches it on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from probes.engines.access import Access, Address
from probes.engines.discovery import Discovery
from probes.engines.http import HttpClient
from probes.engines.server import KVEndpoint, ServerInfo, read_server
from probes.errors import FeedError
from probes.fleet.figures import RankName
from probes.fleet.link import Link, Member
from probes.kv_feed.feed import Feed
from probes.kv_feed.shared_loop import SharedLoop
from probes.kv_mirror.follower import RankFollower
from probes.ranks import MOST_RANKS
from probes.scrapes.figures import EngineFigures
from probes.scrapes.reading import Origin
from probes.scrapes.scraper import Scraper, ScrapeTarget
from probes.scrapes.source import page_source
from probes.snapshot import SourceState


class EngineLink(Link):
    """Reaches a server that need not be there yet."""

    def __init__(self, engine: str, address: Address, access: Access, loop: SharedLoop) -> None:
        self.engine = engine
        self.name = f"{engine}{'+https' if address.is_tls else ''}://{address.place}"
        self._loop = loop
        self._members: list[Member] = []
        self._is_settled = False
        """Whether the ranks of the server were looked for: that happens once."""
        self._has_told = False
        self._faults: list[str] = []
        self._discovery = Discovery(lambda: read_server(engine, HttpClient(address, access)), self.name)
        target = ScrapeTarget(Origin(self.name), engine, page_source(address, access))
        self._scraper = Scraper([target], clock=loop.clock)

    @property
    def members(self) -> Sequence[Member]:
        """See Link."""
        return self._members

    def poll(self) -> list[EngineFigures]:
        """Begin to follow what the server publishes once that is known, and return its metrics."""
        info = self._discovery.info
        if info is not None and not self._is_settled:
            self._is_settled = True
            if not self._has_told:
                self._scraper.learn(Origin(self.name, info.dp_size, info.tp_size))
            for endpoint in info.kv[:MOST_RANKS]:
                self._follow(endpoint, info)
        if info is None and not self._discovery.message:
            # counters of merged ranks are divided by their number: wait until that is known, or cannot be
            return []
        figures = self._scraper.take()
        self._has_told = self._has_told or bool(figures)
        return figures

    @property
    def is_reaching(self) -> bool:
        """See Link: what it says of itself, its metrics, and the KV events of every rank."""
        (scrape,) = self._scraper.state()
        is_asking = not (self._is_settled or self._discovery.message)
        return is_asking or not (self._has_told or scrape.failures) or super().is_reaching

    def state(self) -> SourceState:
        """See Link."""
        info = self._discovery.info
        if info is None:
            fault = self._discovery.message
            said = fault or "asking the server"
            return SourceState(self.name, "starting", said, tree_known=False, is_waiting=not fault)
        message = "; ".join(filter(None, (self._without_events(info), info.left_out, self._scrape_message())))
        return SourceState(self.name, "live", message, config=self._facts(info), tree_known=False)

    def remark(self) -> str:
        """See Link."""
        info = self._discovery.info
        left_out = "" if info is None else info.left_out
        return "; ".join(filter(None, (*dict.fromkeys(self._faults), left_out, self._scrape_message())))

    def _scrape_message(self) -> str:
        (scrape,) = self._scraper.state()
        return scrape.message

    def close(self) -> None:
        """See Link."""
        self._is_settled = True
        self._discovery.close()
        self._scraper.close()
        for member in self._members:
            member.follower.close()

    def _follow(self, at: KVEndpoint, info: ServerInfo) -> None:
        """Follow one publisher.

        If it wants to connect to us and our port is taken, connect to that port instead: it may be the publisher.
        """
        loop = self._loop.lend()
        try:
            try:
                feed = Feed(at.live, at.replay, at.topic, bind=at.is_awaited, loop=loop)
            except FeedError:
                feed = Feed(at.live, at.replay, at.topic, loop=loop)
        except FeedError as error:
            self._faults.append(str(error))
            return
        facts = MappingProxyType({**self._facts(info), "rank": at.rank})
        name = self.name if len(info.kv) == 1 else f"{self.name} rank {at.rank}"
        follower = RankFollower(feed, name, facts, self._loop.clock)
        self._members.append(Member(RankName(self.name, at.rank), follower))

    def _without_events(self, info: ServerInfo) -> str:
        """Say why there is no tree, or not of every rank: what to start the server with."""
        if self._faults:
            return "; ".join(dict.fromkeys(self._faults))
        missing = next((one for one in info.missing if one.feature == "events"), None)
        why = f"{missing.why}; {missing.start}" if missing else "; ".join(info.warnings) or "see radixtop doctor"
        return f"there is no tree: {why}"

    def _facts(self, info: ServerInfo) -> Mapping[str, object]:
        facts = {
            "engine": info.engine,
            "version": info.version,
            "model": info.model,
            "page_size": info.page_size,
            "full_slots": info.capacity_tokens,
        }
        return MappingProxyType({name: fact for name, fact in facts.items() if fact is not None})
