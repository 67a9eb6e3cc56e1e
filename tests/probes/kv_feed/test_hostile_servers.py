"""Feeds that meet something else than a server of KV events, or one that sends nonsense."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from random import Random

import msgspec
import pytest
import zmq

from probes.kv_feed.happenings import Delivery, Gap, Joined
from probes.kv_feed.limits import FeedOptions, Limits
from tests.support.followed import following, publish, published
from tests.support.hostile_kv import Answer, Publisher, http, mute, raw_server
from tests.support.processes import until

DATA = Path(__file__).parents[2] / "data" / "kv_streams"
END = b"\xff" * 8
NOTHING_YET = (b"", b"", END, b"")


def batch(seq: int, events: object = ()) -> list[bytes]:
    """Return a live message."""
    return [b"", seq.to_bytes(8, "big"), msgspec.msgpack.encode([float(seq), events, 0])]


def garbage(connection: socket.socket) -> None:
    """Send random bytes."""
    connection.sendall(os.urandom(5000))


class TestOtherServers:
    """What is said within a short time when something else is at the address."""

    def test_nothing(self) -> None:
        with following("tcp://127.0.0.1:1") as told:
            until(lambda: told.feed.state().message, 20, "a message")
            state = told.feed.state()
        assert not state.is_connected
        assert state.message == (
            "nothing listens at tcp://127.0.0.1:1; is the server started with --kv-events-config "
            '\'{"publisher":"zmq","endpoint":"tcp://*:1","replay_endpoint":"tcp://*:1001"}\' '
            '(vLLM: and "enable_kv_cache_events":true)?'
        )

    @pytest.mark.parametrize("answer", [http, mute, garbage])
    def test_something_else(self, answer: Answer) -> None:
        with raw_server(answer) as endpoint, following(endpoint) as told:
            until(lambda: told.feed.state().message, 20, "a message")
            assert endpoint in told.feed.state().message
            assert "no KV events" in told.feed.state().message
            assert told.feed.take() == []

    def test_a_name_that_is_unknown(self) -> None:
        with following("tcp://no-such-host.invalid:5557") as told:
            until(lambda: told.feed.state().message, 20, "a message")
            assert told.feed.state().message == (
                "the host of tcp://no-such-host.invalid:5557 is unknown; check its name"
            )

    def test_the_port_of_replays_and_then_the_right_server_there(self) -> None:
        context = zmq.Context()
        router: zmq.Socket[bytes] = context.socket(zmq.ROUTER)
        port = router.bind_to_random_port("tcp://127.0.0.1")
        endpoint = f"tcp://127.0.0.1:{port}"
        with following(endpoint) as told:
            until(lambda: "is it the port of HTTP or of replays?" in told.feed.state().message, 20, "the message")
            router.close(0)
            context.term()
            with published(endpoint=endpoint, replay="") as publisher:
                told.until(lambda: publish(publisher) or told.batches, "a batch")
                assert told.feed.state().message == ""

    def test_no_publisher_at_a_feed_that_binds(self) -> None:
        with following("tcp://127.0.0.1:0", bind=True) as told:
            until(lambda: told.feed.state().message, 20, "a message")
            assert f"no server has connected to {told.feed.endpoint} yet" in told.feed.state().message


class TestNonsense:
    """What a publisher may send, and what becomes of it."""

    def test_messages_that_are_none_are_counted_and_the_others_go_on(self) -> None:
        nonsense: list[list[bytes]] = [
            [b"single"],
            [b""] * 5,
            [b"x"] * 100,
            [b"", b"\0" * 7, b"payload"],
            [b"", b"\xff" * 8, b"payload"],
            [b"", b"\0" * 8, b""],
            [b"", b"\0" * 8, b"\xc1"],
            [b"", b"\0" * 8, msgspec.msgpack.encode(["LoadStat", 1, 2, 3])],
        ]
        with Publisher() as server, following(server.endpoint) as told:
            server.subscribed()
            server.send(*nonsense)
            until(lambda: told.feed.state().malformed == len(nonsense), 20, "the count")
            assert "are no KV events" in told.feed.state().message
            server.send(batch(0), *nonsense, batch(1))
            told.until_batch(1)
            assert told.feed.state().message == ""
        assert told.others == [Joined(0, replayed=False)]
        assert told.feed.state().malformed == 2 * len(nonsense)

    def test_a_batch_that_turns_out_to_be_none_is_a_gap(self) -> None:
        broken = batch(1)
        broken[-1] = broken[-1][:10] + b"\xc1" * 5
        with Publisher() as server, following(server.endpoint) as told:
            server.subscribed()
            server.send(batch(0), broken, batch(2))
            told.until_batch(2)
        assert told.others == [Joined(0, replayed=False), Gap(1, 1, has_come=True)]
        assert told.feed.state().malformed == 1

    def test_random_messages_raise_nothing(self) -> None:
        rng = Random(7)
        with Publisher() as server, following(server.endpoint, server.replay_endpoint) as told:
            identity, _ = server.asked()
            for _ in range(200):
                server.answer(identity, [rng.randbytes(rng.choice((0, 8, 20))) for _ in range(rng.randrange(1, 6))])
            until(lambda: told.feed.state().malformed > 100, 20, "the answer")
            server.subscribed()
            for _ in range(500):
                frames = [rng.randbytes(rng.choice((0, 1, 8, 8, 20))) for _ in range(rng.randrange(1, 6))]
                server.send(frames, [b"", rng.randbytes(8), b"\x93\xcb" + rng.randbytes(20)])
            until(lambda: (state := told.feed.state()).received + state.malformed > 1100, 20, "all messages")
            taken = told.feed.take()
            state = told.feed.state()
        assert not any(isinstance(each, Delivery) for each in taken)
        assert not state.ended

    def test_a_message_that_is_too_large_is_refused_and_the_feed_goes_on(self) -> None:
        options = FeedOptions(largest_message_bytes=100_000)
        with Publisher() as server, following(server.endpoint, options=options) as told:
            server.subscribed()
            server.send([b"", bytes(8), b"x" * 1_000_000])
            until(lambda: not told.feed.state().is_connected, 20, "the end of the connection")
            assert told.feed.state().received == 0
            server.subscribed()
            server.send(batch(0))
            told.until_batch(0)

    def test_two_servers_at_one_address_are_said(self) -> None:
        with Publisher() as server, following(server.endpoint) as told:
            server.subscribed()
            for seq in range(5):
                other = batch(seq, [["AllBlocksCleared"]])
                server.send(batch(seq), other)
            until(lambda: told.feed.state().message, 20, "a message")
            assert f"more than one server seems to publish at {server.endpoint}" in told.feed.state().message


class TestTranscripts:
    """Answers to questions as released engines gave them."""

    @pytest.mark.parametrize(
        "name", ["sglang_0.5.20", "sglang_0.5.23", "vllm_0.24.0", "vllm_0.33.0"],
    )  # fmt: skip
    def test_an_answer_of_an_engine_is_read(self, name: str) -> None:
        transcript = json.loads((DATA / f"replay_{name}.json").read_text())
        answer = [[bytes.fromhex(frame) for frame in frames] for frames in transcript["DEALER"]["received"]]
        with Publisher() as server, following(server.endpoint, server.replay_endpoint) as told:
            identity, first = server.asked()
            server.answer(identity, *answer)
            told.until_batch(5)
            state = told.feed.state()
        assert first == 0
        assert told.others == [Joined(3, replayed=True)]
        assert told.blocks == [4, 5, 6]
        assert (state.malformed, state.message) == (0, "")

    def test_answers_with_holes_are_asked_for_until_they_are_whole(self) -> None:
        sent = [batch(seq)[1:] for seq in range(2000)]
        options = FeedOptions(limits=Limits(silence_ns=50_000_000))
        questions: list[int] = []

        def serve() -> None:
            if server.replay.poll(0):
                identity, first = server.asked()
                questions.append(first)
                server.answer(identity, *([b"", b"", *frames] for frames in sent[first:]), NOTHING_YET)

        with (
            Publisher(room=10) as server,
            following(server.endpoint, server.replay_endpoint, options=options) as told,
        ):
            told.until(lambda: serve() or told.batches[-1:] == [1999], "the last batch")
        assert told.others == [Joined(0, replayed=True)]
        assert told.batches == list(range(2000))
        assert questions[0] == 0
        assert len(questions) > 1

    def test_nothing_but_an_end_is_an_answer(self) -> None:
        with Publisher() as server, following(server.endpoint, server.replay_endpoint) as told:
            identity, _ = server.asked()
            server.answer(identity, NOTHING_YET)
            server.send(batch(0))
            told.until_batch(0)
        assert told.feed.state().malformed == 0
