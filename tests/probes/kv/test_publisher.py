"""The publisher of KV events over real sockets: its messages, its replays, and what it does in want of room."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from threading import Event

import msgspec
import pytest
import zmq

from probes.errors import PublishError
from probes.kv.publisher import KVPublisher, PublisherOptions
from tests.support.kv_client import Subscriber, first_live
from tests.support.kv_consumer import DATA, decode
from tests.support.processes import until

ANY_PORT = "tcp://127.0.0.1:0"


def as_it_is(event: object) -> object:
    """Return an event that is plain already."""
    return event


def publisher_with(to_plain: Callable[[object], object] = as_it_is, **more: object) -> KVPublisher[object]:
    """Return a publisher at free ports."""
    options = {"endpoint": ANY_PORT, "replay_endpoint": ANY_PORT, "linger_ms": 0, **more}
    return KVPublisher(to_plain, PublisherOptions(**options))  # type: ignore[arg-type]


@pytest.fixture
def publisher() -> Iterator[KVPublisher[object]]:
    """A publisher with defaults, at free ports."""
    made = publisher_with()
    yield made
    made.close()


def subscriber_of(publisher: KVPublisher[object], room: int = 0) -> Subscriber:
    """Return a subscriber of a publisher."""
    return Subscriber(publisher.endpoint, publisher.replay_endpoint, room)


def sequences(answer: list[list[bytes]]) -> list[int]:
    """Return the number of each message of an answer, its end included."""
    return [int.from_bytes(frames[-2], "big", signed=True) for frames in answer]


def decode_events(frames: list[bytes]) -> list[object]:
    """Return the events of a message as they are."""
    events: list[object] = msgspec.msgpack.decode(frames[-1])[1]
    return events


class TestLive:
    """What subscribers get as it happens."""

    def test_a_message_is_topic_sequence_and_batch(self) -> None:
        publisher = publisher_with(topic="kv-events", rank=0)
        with subscriber_of(publisher) as subscriber:
            topic, sequence, payload = first_live(subscriber, lambda: publisher.publish([{"type": "X"}], ts=1.5))
            publisher.close()
        assert (topic, len(sequence)) == (b"kv-events", 8)
        assert msgspec.msgpack.decode(payload) == [1.5, [{"type": "X"}], 0]

    def test_numbers_go_up_by_one(self, publisher: KVPublisher[object]) -> None:
        with subscriber_of(publisher) as subscriber:
            _, first, _ = first_live(subscriber, lambda: publisher.publish([]))
            sent_by_then = int.from_bytes(first, "big") + 1
            publisher.publish(["last"])
            numbers = [int.from_bytes(first, "big")]
            while decode_events(payload := subscriber.receive()) != ["last"]:
                numbers.append(int.from_bytes(payload[1], "big"))
        assert numbers == list(range(sent_by_then - 1, sent_by_then - 1 + len(numbers)))

    def test_what_waits_is_sent_before_it_closes(self) -> None:
        publisher = publisher_with(linger_ms=5000)
        with subscriber_of(publisher) as subscriber:
            first_live(subscriber, lambda: publisher.publish([]))
            for number in range(100):
                publisher.publish([number])
            publisher.close()
            while decode_events(subscriber.receive()) != [99]:
                pass
        assert publisher.dropped_batches == 0

    def test_a_time_is_stamped(self, publisher: KVPublisher[object]) -> None:
        publisher.publish([])
        publisher.publish([])
        with subscriber_of(publisher) as subscriber:
            first, second, _ = subscriber.replay(0)
        assert 1.6e9 < decode(first[-1]).ts <= decode(second[-1]).ts


class TestReplay:
    """What subscribers get when they ask for what they missed."""

    def test_a_transcript_of_the_field_is_reproduced(self) -> None:
        transcript = json.loads((DATA / "replay_0.5.23.json").read_text())
        wanted = [[bytes.fromhex(frame) for frame in frames] for frames in transcript["DEALER"]["received"]]
        publisher = publisher_with(topic="kv")
        for _ in range(3):
            publisher.publish([])
        for frames in wanted[:-1]:
            told = msgspec.msgpack.decode(frames[-1])
            publisher.publish(told[1], ts=told[0])
        with subscriber_of(publisher) as subscriber:
            assert subscriber.replay(3) == wanted
        publisher.close()

    def test_a_req_socket_gets_the_first_batch(self, publisher: KVPublisher[object]) -> None:
        publisher.publish(["first"])
        context = zmq.Context()
        req: zmq.Socket[bytes] = context.socket(zmq.REQ)
        req.connect(publisher.replay_endpoint)
        req.send((0).to_bytes(8, "big"))
        topic, sequence, payload = req.recv_multipart()
        req.close(0)
        context.term()
        assert (topic, sequence, decode_events([payload])) == (b"", bytes(8), ["first"])

    def test_nothing_new_is_answered_with_the_end_alone(self, publisher: KVPublisher[object]) -> None:
        publisher.publish([])
        with subscriber_of(publisher) as subscriber:
            assert subscriber.replay(1) == [[b"", b"", b"\xff" * 8, b""]]

    def test_a_long_answer_to_a_slow_reader_is_whole(self) -> None:
        publisher = publisher_with()
        body = "x" * 2000
        for _ in range(3000):
            publisher.publish([body])
        with subscriber_of(publisher, room=1) as subscriber:
            assert sequences(subscriber.replay(0)) == [*range(3000), -1]
        publisher.close()

    def test_the_ring_keeps_the_newest(self) -> None:
        publisher = publisher_with(buffer_batches=5)
        for _ in range(12):
            publisher.publish([])
        with subscriber_of(publisher) as subscriber:
            assert sequences(subscriber.replay(0)) == [7, 8, 9, 10, 11, -1]
        publisher.close()

    def test_the_ring_is_bounded_in_bytes(self) -> None:
        publisher = publisher_with(buffer_bytes=1000)
        for _ in range(12):
            publisher.publish(["x" * 400])
        with subscriber_of(publisher) as subscriber:
            assert sequences(subscriber.replay(0)) == [10, 11, -1]
        publisher.close()

    @pytest.mark.parametrize("frames", [[b"", b"short"], [bytes(8)], [b"", bytes(8), b""], [b"x", bytes(8)]])
    def test_a_request_of_another_form_is_ignored(self, publisher: KVPublisher[object], frames: list[bytes]) -> None:
        publisher.publish([])
        with subscriber_of(publisher) as subscriber:
            subscriber.dealer.send_multipart(frames)
            assert sequences(subscriber.replay(0)) == [0, -1]
            assert subscriber.dealer.poll(50) == 0

    def test_who_asks_for_what_is_gone_needs_everything_until_it_was_sent(self) -> None:
        publisher = publisher_with(buffer_batches=2)
        with subscriber_of(publisher) as subscriber:
            for _ in range(4):
                publisher.publish([])
            assert sequences(subscriber.replay(2))
            assert not publisher.wants_everything
            subscriber.replay(0)
            assert publisher.wants_everything
            publisher.publish([], whole=True)
            assert not publisher.wants_everything
            assert sequences(subscriber.replay(0)) == [3, 4, -1]
            assert not publisher.wants_everything
        publisher.close()


class TestWantOfRoom:
    """A publisher that cannot keep up, or cannot go on, never holds up who publishes."""

    def test_what_the_queue_cannot_take_is_dropped_counted_and_seen_as_a_gap(self) -> None:
        hold = Event()
        publisher = publisher_with(lambda event: hold.wait(20) and event, queue_batches=2)
        publisher.publish([1])
        until(lambda: not publisher._sender.waiting, 10, "the first batch is being encoded")
        for number in (2, 3, 4, 5):
            publisher.publish([number])
        assert publisher.dropped_batches == 2
        assert not publisher.wants_everything
        hold.set()
        until(lambda: publisher.sent_batches == 3, 10, "all that was kept is sent")
        assert publisher.wants_everything
        publisher.publish([6], whole=True)
        assert not publisher.wants_everything
        with subscriber_of(publisher) as subscriber:
            assert sequences(subscriber.replay(0)) == [0, 1, 2, 5, -1]
        publisher.close()

    def test_what_cannot_be_encoded_ends_it_and_is_told(self) -> None:
        publisher = publisher_with()
        publisher.publish([object()])
        until(lambda: publisher.fault is not None, 10, "the fault")
        assert isinstance(publisher.fault, TypeError)
        publisher.publish([1])
        assert (publisher.dropped_batches, publisher.wants_everything) == (1, False)
        publisher.close()

    def test_after_its_end_everything_is_dropped(self, publisher: KVPublisher[object]) -> None:
        publisher.close()
        publisher.publish([])
        assert publisher.dropped_batches == 1


class TestAddresses:
    """Where it can publish, and what is said where it cannot."""

    def test_a_port_in_use_is_said(self, publisher: KVPublisher[object]) -> None:
        with pytest.raises(PublishError, match=f"{publisher.endpoint} is in use; choose another port"):
            KVPublisher(as_it_is, PublisherOptions(endpoint=publisher.endpoint))

    def test_a_replay_port_in_use_is_said_and_the_other_is_free_again(self, publisher: KVPublisher[object]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:
            free = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        options = PublisherOptions(endpoint=free, replay_endpoint=publisher.replay_endpoint)
        with pytest.raises(PublishError, match=f"{publisher.replay_endpoint} is in use"):
            KVPublisher(as_it_is, options)
        KVPublisher(as_it_is, PublisherOptions(endpoint=free, replay_endpoint="")).close()

    @pytest.mark.parametrize(
        ("endpoint", "words"),
        [
            ("5557", "is no address to publish at; use tcp://HOST:PORT"),
            ("tcp://127.0.0.1", "is no address to publish at"),
            ("http://127.0.0.1:5557", "is no address to publish at"),
            ("tcp://127.0.0.1:70000", "ports end at 65535"),
            ("tcp://192.0.2.1:5557", "is no address of this machine"),
            ("ipc:///no/such/folder/socket", "cannot publish at ipc:///no/such/folder/socket"),
        ],
    )
    def test_an_address_that_cannot_be_is_said(self, endpoint: str, words: str) -> None:
        with pytest.raises(PublishError, match=words):
            KVPublisher(as_it_is, PublisherOptions(endpoint=endpoint))

    def test_the_rank_is_in_the_batch(self) -> None:
        publisher = publisher_with(rank=2)
        publisher.publish([])
        with subscriber_of(publisher) as subscriber:
            assert decode(subscriber.replay(0)[0][-1]).rank == 2
        publisher.close()

    def test_a_path_has_the_rank_at_its_end(self, tmp_path: object) -> None:
        publisher: KVPublisher[object] = KVPublisher(
            as_it_is, PublisherOptions(endpoint=f"ipc://{tmp_path}/kv", rank=1, linger_ms=0)
        )
        assert publisher.endpoint == f"ipc://{tmp_path}/kv_dp1"
        assert publisher.replay_endpoint == f"ipc://{tmp_path}/kv_replay_dp1"
        publisher.close()

    def test_it_connects_to_a_subscriber_that_binds(self) -> None:
        context = zmq.Context()
        bound: zmq.Socket[bytes] = context.socket(zmq.SUB)
        bound.subscribe(b"")
        port = bound.bind_to_random_port("tcp://127.0.0.1")
        options = PublisherOptions(endpoint=f"tcp://127.0.0.1:{port}", bind=False, linger_ms=0)
        publisher: KVPublisher[object] = KVPublisher(as_it_is, options)
        assert publisher.replay_endpoint == ""
        until(lambda: publisher.publish(["hello"]) or bound.poll(20), 20, "a message")
        assert decode_events(bound.recv_multipart()) == ["hello"]
        publisher.close()
        bound.close(0)
        context.term()
