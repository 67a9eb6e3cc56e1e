"""A look at a port says whether ZeroMQ listens there, and what kind of socket."""

from __future__ import annotations

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from probes.engines.connection import Deadline
from probes.engines.zmtp import Port, kind_in, look_at
from tests.support.fake_server import Talk, dribbling, hang_up, listening, saying, serving, silence, unused_port


@pytest.mark.parametrize("name", ["PUB", "ROUTER", "XPUB"])
def test_a_socket_of_zeromq_says_its_kind(name: str) -> None:
    context = zmq.Context()
    with context, context.socket(getattr(zmq, name)) as socket:
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        assert look_at("127.0.0.1", port, Deadline(2)) == Port(True, name)


def test_nothing_listens() -> None:
    assert look_at("127.0.0.1", unused_port(), Deadline(1)) == Port(fault="nothing listens there")


def test_no_such_host() -> None:
    assert look_at("no-such-host.invalid", 1, Deadline(1)).fault == "no such host"


def test_a_server_over_http_is_no_zeromq() -> None:
    with serving({}) as server:
        assert look_at("127.0.0.1", server.address.port, Deadline(1)) == Port()


@pytest.mark.parametrize(
    "talk",
    [silence, hang_up, saying(b"\xff"), saying(b"\xff" * 400), dribbling(b"", b"\xff")],
    ids=["silence", "hanging up", "one byte", "nonsense", "a dribble"],
)
def test_others_are_no_zeromq(talk: Talk) -> None:
    with listening(talk) as address:
        assert look_at("127.0.0.1", address.port, Deadline(0.2)) == Port()


def test_a_greeting_that_ends_there_has_no_kind() -> None:
    with listening(saying(b"\xff" + bytes(8) + b"\x7f\x03", then_wait=True)) as address:
        assert look_at("127.0.0.1", address.port, Deadline(0.2)) == Port(True)


@given(st.binary(max_size=300))
def test_no_bytes_raise(raw: bytes) -> None:
    kind = kind_in(bytes(64) + b"\x04" + raw)
    assert kind is None or kind.isalpha()
