"""A server that comes back as another one is followed to where it publishes now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from probes.engines.access import Access, Address
from probes.engines.server import KVEndpoint, ServerInfo
from probes.fleet import engine_link
from probes.fleet.engine_link import EngineLink
from probes.kv.wire import WireBatch
from probes.kv_feed.happenings import Delivery, FeedState, Joined
from probes.kv_feed.shared_loop import SharedLoop
from tests.support.fake_server import unused_port
from tests.support.made_kv_events import stored
from tests.support.processes import until
from tests.support.scripted_feed import ScriptedFeed

S = 1_000_000_000


class Server:
    """What a server says of itself, and the feeds that were opened to it by address."""

    def __init__(self) -> None:
        self.info = ServerInfo(engine="sglang", model="old", page_size=16, kv=(KVEndpoint(0, "tcp://h:1"),))
        self.feeds: dict[str, ScriptedFeed] = {}
        self.asked = 0
        self.now = S

    def ask(self, *_: object) -> ServerInfo:
        self.asked += 1
        return replace(self.info)

    def feed(self, live: str, *_: object, **__: object) -> ScriptedFeed:
        self.feeds[live] = ScriptedFeed()
        return self.feeds[live]

    def clock(self) -> int:
        return self.now


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(engine_link, "read_server", server.ask)
    monkeypatch.setattr(engine_link, "Feed", server.feed)
    return server


@pytest.fixture
def link(server: Server) -> Iterator[EngineLink]:
    link = EngineLink("sglang", Address("127.0.0.1", unused_port()), Access(), SharedLoop(server.clock))
    polled(link, lambda: bool(link.members))
    yield link
    link.close()


def polled(link: EngineLink, condition: object) -> None:
    """Poll until something holds."""
    assert callable(condition)
    until(lambda: (link.poll(), condition())[1], 10, "what was waited for")


def tell(feed: ScriptedFeed, seq: int, *blocks: int) -> None:
    feed.happenings += [Joined(seq, False), Delivery(WireBatch(0.0, (stored(*blocks),)), seq, 5)]


def test_a_server_that_comes_back_elsewhere_is_followed_there(server: Server, link: EngineLink) -> None:
    (member,) = link.members
    tell(server.feeds["tcp://h:1"], 0, 1, 2)
    member.follower.poll()
    server.info = ServerInfo(
        engine="sglang", model="new", page_size=32, kv=(KVEndpoint(0, "tcp://h:5"), KVEndpoint(1, "tcp://h:6"))
    )
    server.feeds["tcp://h:1"].told = FeedState(is_connected=False)
    server.now += engine_link.ASK_AGAIN_NS
    polled(link, lambda: len(link.members) == 2)
    assert server.feeds["tcp://h:1"].is_closed
    assert link.members[0] is member
    assert member.follower.facts["model"] == "new"
    assert len(member.follower.rank.blocks) == 2  # until the new one tells more
    tell(server.feeds["tcp://h:5"], 0, 7)
    assert member.follower.poll().resync
    assert len(member.follower.rank.blocks) == 1


def test_one_that_comes_back_as_it_was_is_followed_as_before(server: Server, link: EngineLink) -> None:
    feed = server.feeds["tcp://h:1"]
    feed.told = FeedState(is_connected=False)
    asked = server.asked
    server.now += engine_link.ASK_AGAIN_NS
    polled(link, lambda: server.asked > asked)
    link.poll()
    assert not feed.is_closed
    assert server.feeds["tcp://h:1"] is feed


def test_one_that_is_all_there_is_not_asked_again(server: Server, link: EngineLink) -> None:
    asked = server.asked
    for _ in range(5):
        server.now += engine_link.LONGEST_NS
        link.poll()
    assert server.asked == asked
