"""A rank that is followed is a source like any other, and says how far it can be believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.adapter import Adapter, Batch
from probes.aggregator import Aggregator
from probes.builtin.tree_shape import TreeShapeSample
from probes.kv.wire import Cleared, Event, Removed, Stored, WireBatch
from probes.kv_feed.happenings import Delivery, FeedState, Gap, Happening, Joined, Repaired, Restarted
from probes.kv_mirror.follower import TOLD, RankFollower
from probes.snapshot import SourceState
from tests.support.made_kv_events import stored
from tests.support.scripted_feed import ScriptedFeed


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
    assert late.happens(Joined(9, False), delivery(9, stored(1))).message.startswith("partial since 0 s: ")


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


def test_what_is_saved_is_awaited_until_the_last_of_it_is_in_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.kv_mirror.follower.READ_NS", 0)
    followed = Followed()
    followed.feed.told = FeedState(is_connected=False, ended=True, is_saved=True)
    states = [followed.happens(Joined(0, True), delivery(0, stored(1))).state]
    awaited = [followed.follower.is_awaited]
    states.append(followed.happens().state)
    awaited.append(followed.follower.is_awaited)
    assert (states, awaited) == (["starting", "ended"], [True, False])
