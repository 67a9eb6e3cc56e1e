"""Many ranks as one source: one of them is told in records, any other can be at once, and all are counted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.adapter import Batch
from probes.aggregator import Aggregator
from probes.builtin.fleet import FleetSample
from probes.fleet.figures import FleetFigures, RankName
from probes.fleet.fleet_adapter import FleetAdapter
from probes.fleet.link import Link, Member
from probes.kv.wire import Cleared, Event, Removed, WireBatch
from probes.kv_feed.happenings import Delivery, FeedState, Joined, Restarted
from probes.kv_feed.shared_loop import SharedLoop
from probes.kv_mirror.follower import RankFollower
from probes.scrapes.figures import SERVER, EngineFigures
from probes.snapshot import Snapshot, SourceState
from tests.support.made_kv_events import REMOVALS, STORES, stored
from tests.support.scripted_feed import ScriptedFeed

S = 1_000_000_000


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = S

    def __call__(self) -> int:
        return self.now


class Server(Link):
    """A server of some ranks that a test speaks for; it is away until it is there."""

    engine = "sglang"

    def __init__(self, name: str, ranks: int, clock: Clock) -> None:
        self.name = name
        self.is_there = True
        self.feeds = [ScriptedFeed() for _ in range(ranks)]
        facts = {"engine": "sglang", "model": "m"}
        self._all = [
            Member(RankName(name, rank), RankFollower(feed, f"{name} rank {rank}", facts, clock))
            for rank, feed in enumerate(self.feeds)
        ]
        self._seqs = [0] * ranks
        for feed in self.feeds:
            feed.happenings.append(Joined(0, False))

    @property
    def members(self) -> Sequence[Member]:
        return self._all if self.is_there else ()

    def poll(self) -> list[EngineFigures]:
        return []

    def state(self) -> SourceState:
        return SourceState(self.name, "starting", f"nothing listens at {self.name}", tree_known=False)

    def tell(self, rank: int, *events: Event) -> None:
        self.feeds[rank].happenings.append(Delivery(WireBatch(0.0, events), self._seqs[rank], 5))
        self._seqs[rank] += 1

    def restart(self, rank: int) -> None:
        self.feeds[rank].happenings += [Restarted(0), Joined(0, False)]
        self._seqs[rank] = 0

    def close(self) -> None:
        pass


class Fleet:
    """Servers, watched."""

    def __init__(self, *ranks: int) -> None:
        self.clock = Clock()
        self.servers = [Server(f"server{number}", count, self.clock) for number, count in enumerate(ranks)]
        self.adapter = FleetAdapter(self.servers, SharedLoop(self.clock))
        self.aggregator = Aggregator(self.adapter)

    def tick(self, seconds: int = 1) -> Snapshot:
        self.clock.now += seconds * S
        return self.aggregator.tick(self.clock.now)

    def sample(self) -> FleetSample:
        sample = self.tick().get(FleetSample)
        assert sample is not None
        return sample

    def nodes(self) -> dict[int, tuple[int, int, int, int]]:
        nodes = self.aggregator.mirror.nodes.values()
        return {node.content_key: (node.start, node.length, node.live, node.copied) for node in nodes if node.id}


def test_the_first_rank_is_told_until_another_is_followed() -> None:
    fleet = Fleet(2)
    fleet.servers[0].tell(0, stored(1, 2))
    fleet.servers[0].tell(1, stored(7, 8, 9))
    fleet.tick()
    assert fleet.nodes() == {2: (0, 32, 1, 0)}
    assert fleet.adapter.follow(RankName("server0", 1))
    fleet.tick()
    assert fleet.nodes() == {9: (0, 48, 1, 0)}
    assert fleet.adapter.followed == RankName("server0", 1)
    fleet.servers[0].tell(0, stored(3, parent=2))
    fleet.servers[0].tell(1, stored(10))
    fleet.tick()
    assert fleet.nodes().keys() == {9, 10}


def test_a_rank_that_is_not_there_cannot_be_followed() -> None:
    fleet = Fleet(1)
    fleet.servers[0].tell(0, stored(1))
    fleet.tick()
    assert not fleet.adapter.follow(RankName("server0", 1))
    fleet.tick()
    assert fleet.nodes().keys() == {1}


def test_a_large_tree_is_told_in_parts_while_its_rank_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.fleet.fleet_adapter.STATED", 3)
    fleet = Fleet(2)
    for name in range(10):
        fleet.servers[0].tell(1, stored(name * 2 + 1), stored(100 + name, tier="host"))
    fleet.tick()
    fleet.adapter.follow(RankName("server0", 1))
    fleet.servers[0].tell(1, stored(99))
    fleet.tick()
    assert 0 < len(fleet.nodes()) <= 3
    for _ in range(20):
        fleet.tick()
    assert fleet.nodes().keys() == {*range(1, 21, 2), *range(100, 110), 99}


STEPS = st.tuples(st.integers(0, 2), st.lists(STORES | REMOVALS | st.builds(Cleared), max_size=3), st.booleans())


@settings(max_examples=80)
@given(st.lists(STEPS, max_size=15))
def test_a_tree_told_anew_is_the_one_that_was_told_all_along(steps: list[tuple[int, list[Event], bool]]) -> None:
    fleet = Fleet(3)
    alone = [Fleet(1) for _ in range(3)]
    for rank, events, is_restart in steps:
        for server, place in ((fleet.servers[0], rank), (alone[rank].servers[0], 0)):
            if is_restart:
                server.restart(place)
            server.tell(place, *events)
        alone[rank].tick()
        fleet.adapter.follow(RankName("server0", (rank + 1) % 3))
        fleet.tick()
    for rank in range(3):
        fleet.adapter.follow(RankName("server0", rank))
        fleet.tick()
        fleet.tick()
        alone[rank].tick()
        assert fleet.nodes() == alone[rank].nodes()


def test_each_rank_has_a_line_with_what_it_holds() -> None:
    fleet = Fleet(2, 1)
    fleet.servers[0].tell(1, stored(1, 2), stored(1, tier="host"))
    fleet.servers[1].is_there = False
    sample = fleet.sample()
    assert [rank.name for rank in sample.ranks] == [("server0", 0), ("server0", 1), ("server1", SERVER)]
    state = sample.ranks[1].state
    assert (state.device_blocks, state.device_tokens, state.host_tokens, state.stored_tokens) == (2, 32, 16, 32)
    assert state.badge is not None
    assert state.badge.word == "complete"
    assert sample.ranks[2].state.message == "nothing listens at server1"


def test_how_far_a_rank_can_be_believed_is_not_said_twice() -> None:
    fleet = Fleet(1)
    fleet.servers[0].feeds[0].happenings = [Joined(7, False)]
    state = fleet.sample().ranks[0].state
    assert state.badge is not None
    assert (state.badge.word, state.message, state.is_away) == ("partial", "", False)


def test_a_rank_whose_first_answer_is_awaited_is_not_away_and_one_that_failed_is() -> None:
    fleet = Fleet(2)
    for feed, message in zip(fleet.servers[0].feeds, ("", "refused"), strict=True):
        feed.happenings, feed.told = [], FeedState(is_connected=False, message=message)
    states = [rank.state for rank in fleet.sample().ranks]
    assert [(state.state, state.is_away) for state in states] == [("starting", False), ("starting", True)]


@pytest.mark.parametrize("kinds", [("full_attention", "sliding_window"), (None, None)])
def test_what_goes_out_of_a_window_is_not_gone_from_the_rank(kinds: tuple[str | None, str | None]) -> None:
    fleet = Fleet(1)
    whole, window = (stored(1, 2, 3, group=group)._replace(kind=kind) for group, kind in enumerate(kinds))
    last = (stored(4, parent=3),) if None in kinds else (stored(4, parent=3, group=1), stored(4, parent=3))
    fleet.servers[0].tell(0, window, whole, Removed([1, 2], group=1), *last)
    (rank,) = fleet.sample().ranks
    assert (rank.state.device_blocks, rank.state.removed_tokens) == (4, 0)


def test_a_server_that_is_away_is_named_beside_one_that_is_there() -> None:
    fleet = Fleet(1, 1, 1)
    for server in fleet.servers[1:]:
        server.is_there = False
    fleet.servers[0].tell(0, stored(1))
    fleet.tick()
    assert fleet.tick().source.message == "away: server1 (nothing listens), server2 (nothing listens)"
    fleet.servers[1].is_there = fleet.servers[2].is_there = True
    fleet.tick()
    assert fleet.tick().source.message == ""


def test_a_rank_of_the_same_server_that_is_gone_is_named() -> None:
    fleet = Fleet(3)
    for rank in range(3):
        fleet.servers[0].tell(rank, stored(1))
    fleet.tick()
    for feed in fleet.servers[0].feeds[1:]:
        feed.told = FeedState(is_connected=False, message="it hung up")
    fleet.tick()
    assert fleet.tick().source.message == "away: server0 rank 1 (it hung up), server0 rank 2 (it hung up)"


def test_a_rank_that_is_gone_without_a_word_is_named_by_its_state() -> None:
    fleet = Fleet(2)
    for rank in range(2):
        fleet.servers[0].tell(rank, stored(1))
    fleet.tick()
    fleet.servers[0].feeds[1].told = FeedState(is_connected=False)
    fleet.tick()
    assert fleet.tick().source.message == "away: server0 rank 1 (stale)"


def test_one_that_comes_late_takes_its_place_and_shares_what_it_has() -> None:
    fleet = Fleet(1, 1)
    fleet.servers[0].is_there = False
    fleet.servers[1].tell(0, stored(1, 2))
    fleet.tick()
    fleet.servers[0].is_there = True
    fleet.servers[0].tell(0, stored(1, 3, 4))
    overlap = fleet.sample().overlap
    assert overlap is not None
    assert overlap.names == (("server0", 0), ("server1", 0))  # as the ranks are told, and not as they came
    assert overlap.shared == ((48, 16), (16, 32))
    assert overlap.alone == (32, 16)
    assert fleet.adapter.followed == RankName("server1", 0)


def test_one_rank_alone_has_nothing_to_share() -> None:
    fleet = Fleet(1)
    fleet.servers[0].tell(0, stored(1, 2))
    assert fleet.sample().overlap is None


def test_figures_come_once_a_second() -> None:
    fleet = Fleet(2)
    assert sum(type(record) is FleetFigures for _, record in fleet.adapter.poll().records) == 1
    fleet.clock.now += S // 2
    assert fleet.adapter.poll().records == []


def test_who_goes_is_counted_at_once() -> None:
    fleet = Fleet(2)
    fleet.tick()
    fleet.servers[0].feeds[1].told = FeedState(is_connected=False)
    (figures,) = (told for _, told in fleet.adapter.poll().records if type(told) is FleetFigures)
    assert [state.state for state in figures.ranks] == ["live", "stale"]


def test_the_rank_that_is_followed_is_read_however_little_time_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.fleet.fleet_adapter.READ_NS", 0)
    fleet = Fleet(3)
    fleet.servers[0].tell(0, stored(1))
    fleet.tick()
    assert fleet.nodes().keys() == {1}


def test_ranks_that_are_not_followed_have_fair_parts_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.fleet.fleet_adapter.LEAST_NS", 0)
    fleet = Fleet(5)
    given: list[int] = []
    for member in fleet.servers[0].members[1:]:

        def poll(most_ns: int | None = None) -> Batch:
            assert most_ns is not None
            given.append(most_ns)
            fleet.clock.now += most_ns  # all that it may take
            return Batch()

        monkeypatch.setattr(member.follower, "poll", poll)
    fleet.tick()
    assert len(given) == 4
    assert max(given) < 1.5 * min(given)


def test_more_is_said_to_wait_until_all_ranks_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.fleet.fleet_adapter.LEAST_NS", 0)
    monkeypatch.setattr("probes.fleet.fleet_adapter.READ_NS", 1)
    fleet = Fleet(2)
    fleet.servers[0].tell(1, stored(1))
    said = [fleet.tick().source.has_more for _ in range(4)]
    assert (said[0], said[-1]) == (True, False)
