"""Feeds over real sockets, with our own publisher at the other end."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from probes.errors import FeedError
from probes.kv_feed.feed import Feed
from probes.kv_feed.happenings import Delivery, Gap, Joined, Repaired, Restarted
from probes.kv_feed.limits import FeedOptions, Limits
from probes.kv_feed.loop import FeedLoop
from tests.support.followed import ANY_PORT, Told, following, publish, published, publisher_at, stored
from tests.support.processes import until


class TestFollowing:
    """What is handed out while all is well."""

    def test_who_is_there_first_gets_everything_in_order(self) -> None:
        with published() as publisher, following(publisher.endpoint, publisher.replay_endpoint) as told:
            until(lambda: told.feed.state().is_connected, 20, "the connection")
            publish(publisher, 50)
            told.until_batch(49)
        first = told.happenings[0]
        assert isinstance(first, Joined)
        assert first.first_seq == 0
        assert told.batches == told.blocks == list(range(50))

    def test_who_is_late_gets_what_was_before(self) -> None:
        with published() as publisher:
            publish(publisher, 300)
            with following(publisher.endpoint, publisher.replay_endpoint) as told:
                told.until_batch(299)
                publish(publisher)
                told.until_batch(300)
        assert told.others == [Joined(0, replayed=True)]
        assert told.blocks == list(range(301))

    def test_who_is_too_late_is_told_where_it_begins(self) -> None:
        with published(buffer_batches=5) as publisher:
            publish(publisher, 20)
            with following(publisher.endpoint, publisher.replay_endpoint) as told:
                told.until_batch(19)
        assert told.others == [Joined(15, replayed=True)]

    def test_without_replay_it_begins_with_what_comes(self) -> None:
        with published(replay="") as publisher:
            publish(publisher, 5)
            until(lambda: publisher.sent_batches == 5, 20, "nothing to wait to be sent")
            with following(publisher.endpoint) as told:
                told.until(lambda: publish(publisher) or told.batches, "a batch")
        (joined,) = told.others
        assert isinstance(joined, Joined)
        assert joined == Joined(told.batches[0], replayed=False)
        assert joined.first_seq >= 5

    def test_the_topic_chooses(self) -> None:
        with published(topic="kv@a") as publisher:
            publish(publisher, 3)
            where = (publisher.endpoint, publisher.replay_endpoint)
            with following(*where, topic="kv@") as told, following(publisher.endpoint, topic=b"other") as other:
                told.until_batch(2)
                publish(publisher)
                told.until_batch(3)
                assert other.feed.state().received == 0

    def test_it_says_how_it_is_doing(self) -> None:
        with published() as publisher:
            publish(publisher, 10)
            with following(publisher.endpoint, publisher.replay_endpoint) as told:
                until(lambda: told.feed.state().last_seq == 9, 20, "the last batch")
                assert told.feed.state().behind_s > 0
                told.until_batch(9)
                state = told.feed.state()
        assert (state.is_connected, state.message, state.behind_s) == (True, "", 0)
        assert (state.gaps, state.malformed, state.restarts, state.repaired) == (0, 0, 0, 0)
        assert state.received >= 10
        assert state.bytes > 100

    def test_a_publisher_may_connect_to_a_feed_that_binds(self) -> None:
        with (
            following(ANY_PORT, bind=True) as told,
            published(endpoint=told.feed.endpoint, replay="", bind=False) as publisher,
        ):
            told.until(lambda: publish(publisher) or told.batches, "a batch")
            assert told.feed.state().is_connected

    def test_paths_are_addresses_too(self, tmp_path: Path) -> None:
        live, replay = f"ipc://{tmp_path}/live", f"ipc://{tmp_path}/replay"
        with published(endpoint=live, replay=replay) as publisher, following(live, replay) as told:
            publish(publisher, 3)
            told.until_batch(2)

    @pytest.mark.needs("ipv6")
    def test_addresses_of_ipv6(self) -> None:
        with published(endpoint="tcp://[::1]:0", replay="tcp://[::1]:0") as publisher:
            publish(publisher, 3)
            with following(publisher.endpoint, publisher.replay_endpoint) as told:
                told.until_batch(2)


class TestLosses:
    """What becomes of what is lost."""

    def test_a_restart_is_told_and_the_new_process_is_followed_from_its_start(self) -> None:
        publisher = publisher_at()
        where = (publisher.endpoint, publisher.replay_endpoint)
        with following(*where) as told:
            publish(publisher, 20)
            told.until_batch(19)
            publisher.close()
            with published(endpoint=where[0], replay=where[1]) as another:
                publish(another, 3)
                told.until(lambda: told.batches[-3:] == [0, 1, 2] and len(told.batches) == 23, "the new process")
        assert told.others[1:] == [Restarted(0), Joined(0, replayed=True)]
        assert told.feed.state().restarts == 1

    def test_a_new_process_that_is_ahead_already_is_another_one(self) -> None:
        publisher = publisher_at()
        where = (publisher.endpoint, publisher.replay_endpoint)
        with following(*where) as told:
            publish(publisher, 5)
            told.until_batch(4)
            publisher.close()
            with published(endpoint=where[0], replay=where[1]) as another:
                publish(another, 50)
                told.until_batch(49)
        assert told.batches == [*range(5), *range(50)]
        assert [type(each) for each in told.others] == [Joined, Restarted, Joined]

    def test_what_a_slow_reader_has_no_room_for_is_asked_for_again(self) -> None:
        options = FeedOptions(waiting_batches=20, take_batches=5)
        with published() as publisher:
            where = (publisher.endpoint, publisher.replay_endpoint)
            with following(*where, options=options) as told:
                publish(publisher)
                told.until_live()
                publish(publisher, 500)
                until(lambda: told.feed.state().received > 500, 20, "all live batches")
                told.until_batch(500)
                told.until_live()
        assert told.batches == list(range(501))
        assert [type(each) for each in told.others] == [Joined]
        assert told.feed.state().repaired > 400

    def test_what_a_slow_reader_has_no_room_for_is_a_gap_without_replay(self) -> None:
        options = FeedOptions(waiting_batches=20)
        with published(replay="") as publisher, following(publisher.endpoint, options=options) as told:
            until(lambda: told.feed.state().is_connected, 20, "the connection")
            until(lambda: publish(publisher) or told.feed.state().received, 20, "the first batch")
            publish(publisher, 500)
            last = publisher.published_batches - 1
            until(lambda: told.feed.state().last_seq == last, 20, "the last batch")
            told.until(lambda: not told.feed.state().behind_s, "the end")
        joined, gap = told.others
        assert isinstance(joined, Joined)
        assert gap == Gap(joined.first_seq + len(told.batches), last)
        assert len(told.batches) <= 20

    def test_a_server_that_is_gone_is_said(self) -> None:
        publisher = publisher_at()
        with following(publisher.endpoint, publisher.replay_endpoint) as told:
            publish(publisher)
            told.until_batch(0)
            publisher.close()
            until(lambda: not told.feed.state().is_connected, 20, "the end of the connection")
            assert f"the server at {publisher.endpoint} is gone" in told.feed.state().message

    def test_a_replay_that_nobody_answers_is_said(self) -> None:
        options = FeedOptions(limits=Limits(patience_ns=100_000_000))
        where = "tcp://127.0.0.1:1"
        with published(replay="") as publisher, following(publisher.endpoint, where, options=options) as told:
            told.until(lambda: publish(publisher) or told.batches, "a batch")
            until(lambda: told.feed.state().message, 20, "a message")
            assert "tcp://127.0.0.1:1 answers no request for missed batches" in told.feed.state().message
            assert "replay_endpoint" in told.feed.state().message

    def test_a_replay_that_cannot_be_asked_is_one_that_does_not_answer(self) -> None:
        options = FeedOptions(limits=Limits(patience_ns=100_000_000))
        with published(replay="") as publisher, following(publisher.endpoint, "tcp://ü:5", options=options) as told:
            until(lambda: told.feed.state().message, 20, "a message")
            assert "tcp://ü:5 answers no request for missed batches" in told.feed.state().message
            told.until(lambda: publish(publisher) or told.batches, "a batch")

    def test_missed_batches_come_as_a_repair(self) -> None:
        options = FeedOptions(waiting_batches=4)
        with published() as publisher:
            where = (publisher.endpoint, publisher.replay_endpoint)
            with following(*where, options=options) as told:
                publish(publisher)
                told.until_live()
                publish(publisher, 30)
                until(lambda: told.feed.state().received > 30, 20, "all live batches")
                told.until_batch(30)
                told.until(lambda: any(isinstance(each, Repaired) for each in told.happenings), "the repair")


class TestManners:
    """How it takes part in a program."""

    def test_it_closes_at_once_whatever_is_on_its_way(self) -> None:
        with published() as publisher:
            publish(publisher, 2000)
            feed = Feed(publisher.endpoint, publisher.replay_endpoint)
            until(lambda: feed.state().received, 20, "a batch")
            feed.close()
            feed.close()
            until(lambda: not feed._loop.is_alive(), 20, "the end of its thread")
        assert feed.state().ended
        assert not feed.state().is_connected

    def test_one_thread_serves_many(self) -> None:
        loop = FeedLoop()
        publishers = [publisher_at() for _ in range(8)]
        feeds = [Feed(each.endpoint, each.replay_endpoint, loop=loop) for each in publishers]
        for publisher in publishers:
            publish(publisher, 10)
        for told in map(Told, feeds):
            told.until_batch(9)
            assert told.blocks == list(range(10))
        feeds[0].close()
        publish(publishers[1])
        Told(feeds[1]).until_batch(10)
        loop.close()
        for each in publishers:
            each.close()

    def test_what_fails_in_one_feed_leaves_the_others_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with published() as publisher:
            loop = FeedLoop()
            broken, whole = (Feed(publisher.endpoint, publisher.replay_endpoint, loop=loop) for _ in range(2))
            monkeypatch.setattr(broken._line.sequencer, "receive", None)
            monkeypatch.setattr(broken._line.sequencer, "receive_replayed", None)
            publish(publisher, 3)
            Told(whole).until_batch(2)
            until(lambda: broken.state().message, 20, "the fault")
            assert "TypeError" in broken.state().message
            assert broken.state().ended
            broken.close()
            loop.close()

    def test_one_call_takes_so_much_at_most(self) -> None:
        with published() as publisher:
            publish(publisher, 30)
            with following(
                publisher.endpoint, publisher.replay_endpoint, options=FeedOptions(take_batches=10)
            ) as told:
                until(lambda: told.feed.state().last_seq == 29, 20, "all batches")
                assert len(told.feed.take()) == 10

    @pytest.mark.parametrize(
        ("where", "words"),
        [
            (("5557",), "is no address to follow; use tcp://HOST:PORT"),
            (("http://127.0.0.1:5557",), "is no address to follow"),
            (("tcp://127.0.0.1:70000",), "has a port that cannot be"),
            (("tcp://127.0.0.1:0",), "has a port that cannot be"),
            (("tcp://*:5557",), "is where a server listens, not where it is"),
            (("tcp://127.0.0.1:5557", "tcp://0.0.0.0:5558"), "is where a server listens"),
            (("inproc://kv",), "is no address to follow"),
            (("tcp://a\x1b:5557",), "is no address to follow"),
            (("tcp://ü:5557",), "cannot follow tcp://ü:5557"),
            (("ipc://",), "is no address to follow"),
            (("ipc:///" + 110 * "x",), "is no address to follow"),
        ],
    )
    def test_an_address_that_cannot_be_is_said(self, where: tuple[str, ...], words: str) -> None:
        with pytest.raises(FeedError, match=words.replace("*", r"\*")):
            Feed(*where)

    def test_an_address_to_bind_that_is_taken_is_said(self) -> None:
        with following(ANY_PORT, bind=True) as told, pytest.raises(FeedError, match="is in use"):
            Feed(told.feed.endpoint, bind=True)

    def test_batches_have_the_time_at_which_they_came(self) -> None:
        before = time.perf_counter_ns()
        with published() as publisher, following(publisher.endpoint, publisher.replay_endpoint) as told:
            publisher.publish([stored(1)], ts=5.0)
            told.until_batch(0)
        delivery = told.happenings[-1]
        assert isinstance(delivery, Delivery)
        assert before < delivery.received_at < time.perf_counter_ns()
        assert delivery.batch.ts == 5.0

    @pytest.mark.parametrize("skew_s", [0.0, -3_600.0, 7_200.0])
    def test_a_late_watch_tells_the_past_as_of_when_it_was(self, skew_s: float) -> None:
        now = time.time() + skew_s
        with published() as publisher:
            for ago_s in (40, 10):  # no machine began its clock later
                publisher.publish([stored(1)], ts=now - ago_s)
            until(lambda: publisher.sent_batches == 2, 20, "sending")  # its thread sends; who comes then is late
            with following(publisher.endpoint, publisher.replay_endpoint) as told:
                told.until_batch(1)
                assert not told.feed.state().is_dated
                publisher.publish([stored(2)], ts=now)
                told.until_batch(2)
                assert told.feed.state().is_dated
        first, second, live = (each for each in told.happenings if isinstance(each, Delivery))
        assert second.at - first.at == pytest.approx(30e9, abs=1_000)
        assert live.at == live.received_at
