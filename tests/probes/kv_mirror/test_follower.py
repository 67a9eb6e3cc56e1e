"""A rank that is followed is a source like any other, and says how far it can be believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.adapter import Adapter, Batch
from probes.aggregator import Aggregator
from probes.builtin.tree_shape import TreeShapeSample
from probes.kv.wire import Cleared, Event, Removed, Stored, WireBatch
from probes.kv_feed.happenings import Cut, Delivery, FeedState, Gap, Happening, Joined, Repaired, Restarted
from probes.kv_mirror.badge import Badge
from probes.kv_mirror.follower import TOLD, RankFollower
from probes.snapshot import SourceState
from tests.support.made_kv_events import stored
from tests.support.scripted_feed import ScriptedFeed

S = 1_000_000_000


class Followed(Adapter):
    """A follower as an adapter."""

    provides = TOLD

    def __init__(self) -> None:
        self.feed = ScriptedFeed()
        self.follower = RankFollower(
            self.feed, "sglang://127.0.0.1:30000", {"engine": "sglang"}, clock=lambda: 5 * 10**9
        )
        self.aggregator = Aggregator(self)

    def poll(self) -> Batch:
        return self.follower.poll()

    def state(self) -> SourceState:
        return self.follower.state()

    def happens(self, *happenings: Happening) -> SourceState:
        self.feed.happenings += happenings
        return self.aggregator.tick(0).source


def delivery(seq: int, *events: Event) -> Delivery:
    return Delivery(WireBatch(1.0, events, 0), seq, 10**9 + seq)


def published(seq: int, at_s: float, *events: Event) -> Delivery:
    """Return a batch that was asked for a moment ago, and published at a time."""
    return Delivery(WireBatch(1.0, events, 0), seq, 5 * S, round(at_s * S))


def test_what_is_delivered_is_in_the_tree() -> None:
    followed = Followed()
    source = followed.happens(Joined(0, True), delivery(0, stored(1, 2)), delivery(1, stored(3, parent=1)))
    assert (source.state, source.message, source.tree_known) == ("live", "", True)
    shape = followed.aggregator.tick(0).get(TreeShapeSample)
    assert shape is not None
    assert (shape.nodes, len(followed.aggregator.mirror.nodes)) == (3, 4)
    assert source.config["page_size"] == 16


def test_who_was_never_reached_is_starting_and_says_why() -> None:
    followed = Followed()
    followed.feed.told = FeedState(is_connected=False, message="nothing listens at tcp://127.0.0.1:5557")
    source = followed.happens()
    assert (source.state, source.message, source.tree_known) == ("starting", followed.feed.told.message, False)


def test_who_is_quiet_is_live_and_says_that() -> None:
    assert Followed().happens().message == "connected, nothing was published yet"


def test_who_is_gone_is_stale_and_the_tree_stays() -> None:
    followed = Followed()
    followed.happens(Joined(0, True), delivery(0, stored(1)))
    followed.feed.told = replace(followed.feed.told, is_connected=False, message="the server is gone")
    source = followed.happens()
    assert (source.state, source.message) == ("stale", "the server is gone")
    assert len(followed.aggregator.mirror.nodes) == 2


def test_a_restart_begins_a_new_tree_and_keeps_what_came_before_it_apart() -> None:
    followed = Followed()
    followed.happens(Joined(0, True), delivery(0, stored(1)))
    followed.feed.happenings = [delivery(1, stored(2)), Restarted(0), Joined(0, True), delivery(0, stored(7))]
    before, after = followed.follower.poll(), followed.follower.poll()
    assert (before.resync, len(before.records)) == (False, 1)
    assert after.resync
    assert [number for number, _ in after.records] == [3, 4]
    assert len(followed.follower.rank.blocks) == 1


def test_between_a_restart_and_the_first_batch_after_it_nothing_is_known() -> None:
    followed = Followed()
    followed.happens(Joined(0, True), delivery(0, stored(1)))
    source = followed.happens(Restarted(0))
    assert source.message == "partial since 0 s: the server was started anew, and has told nothing since"
    assert [*followed.aggregator.mirror.nodes] == [0]


def test_what_two_servers_publish_at_one_address_is_unsure_until_one_of_them_is_joined_alone() -> None:
    followed = Followed()
    followed.feed.told = replace(followed.feed.told, is_contested=True)
    assert followed.happens(Joined(0, True), delivery(0, stored(1))).message == ""
    source = followed.happens(delivery(1, stored(2)))
    assert source.message.startswith("unsure: more than one server seems to publish here")
    followed.feed.told = replace(followed.feed.told, is_contested=False)
    assert followed.happens(delivery(2, stored(3))).message.startswith("unsure: ")
    assert followed.happens(Restarted(0), Joined(0, True)).message == ""
    assert followed.happens(delivery(0, stored(1))).tree_known


def test_more_blocks_than_the_pool_has_room_for_are_unsure_and_counted() -> None:
    feed = ScriptedFeed()
    follower = RankFollower(feed, "vllm://127.0.0.1:8000", {"full_slots": 70, "page_size": 16})
    feed.happenings = [Joined(0, True), delivery(0, stored(1, 2, 3)), delivery(1, stored(4, tier="host"))]
    follower.poll()
    assert follower.state().message == ""
    feed.happenings = [delivery(2, stored(1, 2)), delivery(3, Removed([1]))]
    follower.poll()
    assert follower.state().message == (
        "unsure: the events tell of 1 block more than the 4 of its pool; not all can be there"
    )
    feed.happenings = [delivery(4, Cleared())]
    follower.poll()
    assert follower.state().message == ""


@pytest.mark.parametrize("facts", [{"full_slots": 16}, {"page_size": 16}, {"full_slots": 32, "page_size": 32}])
def test_a_pool_of_which_the_size_is_not_known_or_counted_in_other_blocks_is_no_doubt(
    facts: dict[str, object],
) -> None:
    feed = ScriptedFeed()
    follower = RankFollower(feed, "vllm://127.0.0.1:8000", facts)
    feed.happenings = [Joined(0, True), delivery(0, stored(1, 2, 3))]
    follower.poll()
    assert follower.state().message == ""


def test_a_badge_that_is_not_complete_is_told() -> None:
    followed = Followed()
    source = followed.happens(Joined(0, True), delivery(0, stored(1)), Repaired(3))
    assert source.message == "repaired: 3 from the replay"
    source = followed.happens(Gap(1, 4), delivery(5, stored(2)))
    assert source.message.startswith("unsure: batches 1 to 4 never came")
    assert not source.tree_known
    late = Followed()
    assert late.happens(Joined(9, False), delivery(9, stored(1))).message.startswith("partial since 4 s: ")


def test_groups_are_components() -> None:
    followed = Followed()
    groups = [
        Stored([1], None, [], 16, group=0, kind="full_attention"),
        Stored([1], None, [], 16, group=1, kind="sliding_window"),
        Stored([1], None, [], 16, group=2, kind="sliding_window"),
        Stored([1], None, [], 16, group=3, kind="something_new"),
    ]
    source = followed.happens(Joined(0, True), delivery(0, *groups))
    assert source.config["components"] == ("full", "swa", "swa 2", "other")
    assert [node.live for node in followed.aggregator.mirror.nodes.values() if node.id] == [0b1111]


def test_the_configuration_is_one_object_while_nothing_changes() -> None:
    followed = Followed()
    first = followed.happens(Joined(0, True), delivery(0, stored(1)))
    assert followed.happens(delivery(1, stored(2))).config is first.config


def test_a_poll_ends_in_time_and_the_next_one_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.kv_mirror.follower.READ_NS", 0)
    followed = Followed()
    followed.feed.happenings = [Joined(0, False), *(delivery(seq, stored(seq + 1)) for seq in range(5))]
    for _ in range(6):
        state = followed.happens()
    assert len(followed.follower.rank.blocks) == 5
    assert state.message == ""


def test_who_cannot_read_as_fast_as_it_comes_says_how_late_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.kv_mirror.follower.READ_NS", 0)
    followed = Followed()  # whose clock stands at 5 s
    state = followed.happens(Joined(0, False), delivery(0, stored(1)), delivery(1, stored(2)))
    state = followed.happens()
    assert state.message == "4 s behind: events come faster than they can be read"


def asked_for(seq: int) -> Delivery:
    """Return a batch of a second ago or so that was asked for, and came then."""
    return delivery(seq, stored(seq))._replace(is_past=True)


def test_while_its_past_is_read_a_rank_is_not_complete_and_no_server_is_blamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("probes.kv_mirror.follower.READ_NS", 0)
    followed = Followed()
    followed.feed.told = FeedState(is_connected=True, is_catching_up=True, waiting=7, behind_s=4.0)
    live = delivery(3, stored(3))  # which came 4 s ago, while the past was read
    states = [followed.happens(Joined(0, True), asked_for(1), asked_for(2), live)]
    badges = [followed.follower.badge]
    followed.feed.told = FeedState(is_connected=True)
    for _ in range(3):
        states.append(followed.happens())
        badges.append(followed.follower.badge)
    assert [state.message for state in states] == [
        "reading what it told before: 10 batches to go",
        "reading what it told before: 2 batches to go",
        "reading what it told before: 1 batch to go",
        "",
    ]
    assert [badge and badge.word for badge in badges] == ["partial"] * 3 + ["complete"]


def test_more_waits_until_all_that_came_is_read() -> None:
    followed = Followed()
    followed.feed.told = FeedState(is_connected=True, waiting=512)
    followed.happens(Joined(0, True), delivery(0, stored(1)))
    assert followed.follower.has_more
    followed.happens()
    assert not followed.follower.has_more  # what waits is not handed out yet
    followed.feed.told = FeedState(is_connected=True)
    followed.happens(delivery(1, stored(2)))
    assert not followed.follower.has_more


@pytest.mark.parametrize(
    ("told", "said", "is_awaited"),
    [
        ({"is_catching_up": True}, "connected, not read yet", True),
        ({"is_silent": True}, "connected, nothing was published yet", False),
        ({}, "connected, nothing was published yet", True),
    ],
)
def test_who_was_not_read_is_not_said_to_have_published_nothing(
    told: dict[str, bool], said: str, is_awaited: bool
) -> None:
    followed = Followed()
    followed.feed.told = FeedState(is_connected=True, **told)
    assert (followed.happens().message, followed.follower.is_awaited) == (said, is_awaited)


def test_what_is_saved_is_awaited_until_the_last_of_it_is_in_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.kv_mirror.follower.READ_NS", 0)
    followed = Followed()
    followed.feed.told = FeedState(is_connected=False, ended=True, is_saved=True)
    states = [followed.happens(Joined(0, True), delivery(0, stored(1))).state]
    awaited = [followed.follower.is_awaited]
    states.append(followed.happens().state)
    awaited.append(followed.follower.is_awaited)
    assert (states, awaited) == (["starting", "ended"], [True, False])


def test_what_was_asked_for_happened_when_it_was_published() -> None:
    followed = Followed()
    state = followed.happens(Joined(3, True), published(3, 0.5, stored(1)), published(4, 2, stored(2)))
    created = [node.created_at for node in followed.aggregator.mirror.nodes.values() if node.id]
    assert (created, followed.follower.told_at) == ([S // 2, 2 * S], 2 * S)
    assert state.message.startswith("partial since 4 s: ")


def test_a_batch_is_never_older_than_the_one_before_it() -> None:
    followed = Followed()
    followed.happens(Joined(0, True), published(0, 3, stored(1)), published(1, 2, stored(2)))
    assert followed.follower.told_at == 3 * S


def test_when_the_newest_batch_was_published_is_not_known_before_a_live_one() -> None:
    followed = Followed()
    followed.feed.told = FeedState(is_connected=True, is_dated=False)
    followed.happens(Joined(0, True), published(0, 3, stored(1)))
    assert followed.follower.told_at is None


def test_what_is_told_of_the_past_is_turnover_of_its_own_time() -> None:
    followed = Followed()
    storm = [published(seq, seq / 1_000, stored(seq)) for seq in range(100)]
    followed.happens(Joined(0, True), *storm, published(100, 20, stored(100)), published(101, 21, Removed([100])))
    assert followed.follower.turnover(round(22.5 * S)) == (16 / 9.5, 16 / 9.5)


def test_until_it_is_read_the_turnover_of_a_rank_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.kv_mirror.follower.READ_NS", 0)
    followed = Followed()
    followed.happens(Joined(0, True), published(0, 1, stored(1)), published(1, 2, stored(2)))
    looks = [(followed.follower.is_read, followed.follower.turnover(4 * S))]
    for _ in range(2):
        followed.happens()
        looks.append((followed.follower.is_read, followed.follower.turnover(4 * S)))
    assert looks == [(False, (None, None)), (False, (None, None)), (True, (32 / 3, 0.0))]


@pytest.mark.parametrize("feed", [{"is_connected": True, "is_catching_up": True}, {"is_connected": False}])
def test_who_asks_for_more_or_is_cut_off_is_not_read(feed: dict[str, bool]) -> None:
    followed = Followed()
    followed.happens(Joined(0, True), delivery(0, stored(1)))
    assert followed.follower.is_read
    followed.feed.told = FeedState(**feed)
    followed.happens(Joined(0, True))
    assert not followed.follower.is_read


def test_what_was_saved_and_cannot_be_read_to_its_end_is_known_in_part() -> None:
    followed = Followed()
    followed.happens(Joined(0, True), delivery(0, stored(1)), Cut("it ends within the message at byte 99"))
    assert followed.follower.badge == Badge("partial", why="it ends within the message at byte 99")
    assert followed.follower.state().tree_known
