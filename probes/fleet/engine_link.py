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

ASK_AGAIN_NS, LONGEST_NS = 5_000_000_000, 60_000_000_000
"""How long until a server of which some is away is asked again what it is, at first and at last.

That goes through its schedulers.
"""


class EngineLink(Link):
    """Reaches a server that need not be there yet."""

    def __init__(self, engine: str, address: Address, access: Access, loop: SharedLoop) -> None:
        self.engine = engine
        self.name = f"{engine}{'+https' if address.is_tls else ''}://{address.place}"
        self._loop = loop
        self._members: list[Member] = []
        self._known: ServerInfo | None = None
        """What the server said when its ranks were last looked for."""
        self._is_closed = False
        self._ask_at, self._wait_ns = 0, ASK_AGAIN_NS
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
        self._look_again()
        info = self._discovery.info
        if info is not None and info is not self._known and not self._is_closed:
            self._settle(info)
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
        is_asking = self._known is None and not self._discovery.message
        return is_asking or not (self._has_told or scrape.failures) or super().is_reaching

    @property
    def has_failed(self) -> bool:
        """See Link: it does not say what it is, or has neither metrics nor a rank that can be followed."""
        if self._discovery.info is None:
            return bool(self._discovery.message)
        return not self._has_told and super().has_failed

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

    def _look_again(self) -> None:
        """Ask the server what it is again and again while some of it is away: it may come back as another one."""
        now = self._loop.clock()
        if self._known is None or now < self._ask_at:
            return
        (scrape,) = self._scraper.state()
        feeds = [member.follower.feed_state() for member in self._members]
        if (scrape.is_up is not False or scrape.last_at is None) and all(feed.is_connected for feed in feeds):
            self._ask_at, self._wait_ns = now + ASK_AGAIN_NS, ASK_AGAIN_NS
            return
        self._discovery.again()
        self._ask_at, self._wait_ns = now + self._wait_ns, min(LONGEST_NS, 2 * self._wait_ns)

    def _settle(self, info: ServerInfo) -> None:
        """Follow the ranks that the server has; those that publish elsewhere than before are followed there."""
        before, self._known = self._known, info
        if not self._has_told:
            self._scraper.learn(Origin(self.name, info.dp_size, info.tp_size))
        places = {} if before is None else {endpoint.rank: endpoint for endpoint in before.kv}
        is_other = before is not None and self._facts(before) != self._facts(info)
        self._faults.clear()
        for endpoint in info.kv[:MOST_RANKS]:
            if is_other or places.get(endpoint.rank) != endpoint:
                self._follow(endpoint, info)

    def _scrape_message(self) -> str:
        (scrape,) = self._scraper.state()
        return scrape.message

    def close(self) -> None:
        """See Link."""
        self._is_closed = True
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
        known = next((member for member in self._members if member.name.rank == at.rank), None)
        if known is not None:
            known.follower.turn_to(feed, facts)
            return
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
