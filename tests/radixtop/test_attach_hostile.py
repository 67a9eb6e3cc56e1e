"""Attaching to what is hostile, broken or frozen: the session lives, and says what is wrong."""

from __future__ import annotations

import asyncio
import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import msgspec
import pytest
import zmq

from probes.builtin.fleet import FleetSample
from probes.engines.access import Access
from probes.snapshot import SourceState
from radixtop import cli
from radixtop.engine_target import network_targets_of
from radixtop.network_session import NetworkSession
from tests.support import engine_pages
from tests.support.fake_server import Talk, dribbling, hang_up, listening, serving
from tests.support.followed import publish, published, stored
from tests.support.hostile_kv import Publisher
from tests.support.screen import dashboard

RANKS = 64
NO_EVENTS = "publishes no KV events"


def ssh(connection: socket.socket, ended: threading.Event) -> None:
    """Greet as a server of SSH does, and hear the other out."""
    connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")
    while connection.recv(1024):
        pass


def frozen(connection: socket.socket, ended: threading.Event) -> None:
    """Shake hands as a publisher does, and do nothing more: as a process that is stopped, or a line that is dead."""
    connection.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48))
    ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x03PUB"
    connection.sendall(bytes((4, len(ready))) + ready)
    ended.wait()


def of_zeromq(connection: socket.socket, ended: threading.Event) -> None:
    """Greet as any socket of ZeroMQ does."""
    connection.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48))
    ended.wait()


@contextmanager
def watching(target: str) -> Iterator[NetworkSession]:
    session = NetworkSession(network_targets_of([target]), Access())
    try:
        yield session
    finally:
        session.close()


def until(session: NetworkSession, holds: Callable[[SourceState], bool]) -> SourceState:
    """Tick until the state of a session is as wanted, and return it."""
    for _ in range(4_000):
        state = session.tick(0).source
        if holds(state):
            return state
        threading.Event().wait(0.005)
    raise AssertionError(state)


@pytest.mark.parametrize(
    ("scheme", "talk", "said"),
    [
        ("tcp", ssh, NO_EVENTS),
        ("sglang", ssh, "speaks no HTTP"),
        ("vllm", ssh, "speaks no HTTP"),
        ("sglang", of_zeromq, "ZeroMQ listens at"),
        ("sglang", dribbling(b"HTTP/1.1 200 OK\r\n", b"X"), "gave no whole answer within"),
        ("tcp", dribbling(b"\xff", b"\0"), NO_EVENTS),
        ("vllm", hang_up, "closed the connection without an answer"),
    ],
)
def test_what_listens_there_is_said_and_is_exit_1(
    scheme: str, talk: Talk, said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NetworkSession, "longest_start_s", 1.3)
    with listening(talk) as at:
        code = cli.main(["attach", f"{scheme}://{at.place}", "--headless", "--json", "--timeout", "0.5"])
    shown = capsys.readouterr()
    assert code == 1
    assert said in shown.err
    assert at.place in shown.err
    assert "Traceback" not in shown.err


def test_a_screen_of_80_columns_says_all_of_what_is_wrong() -> None:
    async def main() -> None:
        with (
            serving(engine_pages.sglang("0.5.23", kv_events=None), token="secret") as server,
            watching(f"sglang://{server.address.place}") as session,
        ):
            until(session, lambda state: "(401)" in state.message)
            async with dashboard(80, 24, session) as running:
                await running.tick()
                assert "--api-key-file FILE or --api-key" in running.text()

    asyncio.run(main())


def test_a_server_that_is_killed_is_stale_and_its_tree_stays() -> None:
    with ExitStack() as ended:
        publisher = ended.enter_context(published())
        session = ended.enter_context(watching(publisher.endpoint))
        until(session, lambda _: publish(publisher) or len(session.mirror.nodes) > 1)
        publisher.close()
        state = until(session, lambda state: state.state == "stale" and bool(state.message))
        assert state.message == f"the server at {publisher.endpoint} is gone; waiting for it to come back"
        assert len(session.mirror.nodes) > 1


def test_a_server_that_stands_still_is_said_to_be_gone() -> None:
    with listening(frozen) as at, watching(f"tcp://{at.place}") as session:
        until(session, lambda state: state.message == "connected, nothing was published yet")
        until(session, lambda state: f"the server at tcp://{at.place} is gone" in state.message)


def batch(seq: int, *events: object) -> list[bytes]:
    return [b"", seq.to_bytes(8, "big"), msgspec.msgpack.encode([float(seq), events, 0])]


def test_hostile_payloads_are_counted_and_what_is_sound_is_shown() -> None:
    head = b"\x93\xcb" + bytes(8)
    payloads = [
        head + b"\x91" * 200_000,  # arrays in arrays
        head + b"\x81\x01" * 100_000,  # maps in maps
        head + b"\xdd\xff\xff\xff\xff",  # an array of four billion
        head + b"\xc6\xff\xff\xff\xff" + bytes(100),  # bytes of four gigabytes
        head + b"\xdb\xff\xff\xff\xff",
    ]
    wrong = [7, None, [], {}, ["BlockStored"], ["BlockStored", [1], None, [1] * 16, -5], {"type": [1]},
             {"type": "BlockStored", "block_hashes": {}}, {"type": "BlockRemoved", "block_hashes": [2.5]},
             {"type": "BlockStored", "block_hashes": [1], "token_ids": ["x"], "block_size": 1 << 60},
             ["BlockRemoved", [1], {"deep": [[[]]]}]]  # fmt: skip
    with Publisher() as server, watching(server.endpoint) as session:
        server.subscribed()
        server.send(batch(0, stored(1)))
        server.send(*([b"", seq.to_bytes(8, "big"), each] for seq, each in enumerate(payloads, 1)))
        server.send(batch(len(payloads) + 1, *wrong, stored(2)))
        state = until(session, lambda _: len(session.mirror.nodes) == 3)
    assert state.message.startswith("unsure: batches 1 to 5 came and could not be read")
    assert not state.tree_known


def bound(context: zmq.Context[zmq.Socket[bytes]]) -> tuple[int, list[zmq.Socket[bytes]]]:
    """Return publishers at ports in a row, and the first of these."""
    while True:
        first, publishers = random.randrange(20_000, 30_000), []
        try:
            for rank in range(RANKS):
                publishers.append(context.socket(zmq.XPUB))
                publishers[-1].setsockopt(zmq.RCVTIMEO, 20_000)
                publishers[-1].bind(f"tcp://127.0.0.1:{first + rank}")
        except zmq.ZMQError:
            for publisher in publishers:
                publisher.close(0)
        else:
            return first, publishers


def test_64_ranks_of_a_server_are_followed_at_once_and_the_one_that_goes_is_named() -> None:
    context = zmq.Context()
    first, publishers = bound(context)
    events = {
        "publisher": "zmq",
        "endpoint_host": "*",
        "endpoint_port_base": first,
        "block_size": 1,
        "dp_size": RANKS,
    }

    def told(session: NetworkSession) -> dict[int, tuple[str, int | None]]:
        sample = session.tick(0).get(FleetSample)
        ranks = () if sample is None else sample.ranks
        return {rank.state.name.rank: (rank.state.state, rank.state.device_blocks) for rank in ranks}

    try:
        with (
            serving(engine_pages.sglang("0.5.23", kv_events=events)) as server,
            watching(f"sglang://{server.address.place}") as session,
        ):
            until(session, lambda state: state.state == "live")
            for rank, publisher in enumerate(publishers):
                assert publisher.recv()[0] == 1
                publisher.send_multipart(batch(0, stored(rank)))
            until(session, lambda _: told(session) == dict.fromkeys(range(RANKS), ("live", 1)))
            publishers.pop().close(0)
            until(session, lambda _: told(session)[RANKS - 1][0] == "stale")
            assert {state for state, _ in told(session).values()} == {"live", "stale"}
    finally:
        for publisher in publishers:
            publisher.close(0)
        context.term()


def test_of_a_server_that_hangs_no_empty_screen_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NetworkSession, "patience_s", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        target = f"sglang://127.0.0.1:{silent.getsockname()[1]}"
        code = cli.main(["attach", target, "--once", "--timeout", "0.1"])
    shown = capsys.readouterr()
    assert (code, shown.out) == (1, "")
    assert "gave no whole answer" in shown.err
