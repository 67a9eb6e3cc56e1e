"""Addresses of ZeroMQ sockets: what they become for a rank, and who can reach them."""

from __future__ import annotations

import pytest

from probes.errors import PublishError
from probes.kv.endpoints import is_loopback, shifted


@pytest.mark.parametrize(
    ("endpoint", "by", "wanted"),
    [
        ("tcp://127.0.0.1:5557", 0, "tcp://127.0.0.1:5557"),
        ("tcp://*:5557", 3, "tcp://*:5560"),
        ("tcp://[::1]:5557", 1, "tcp://[::1]:5558"),
        ("tcp://host.example:5557", 1, "tcp://host.example:5558"),
        ("tcp://127.0.0.1:0", 4, "tcp://127.0.0.1:0"),
        ("ipc:///tmp/kv", 0, "ipc:///tmp/kv"),
        ("ipc:///tmp/kv", 2, "ipc:///tmp/kv_dp2"),
        ("inproc://kv", 1, "inproc://kv_dp1"),
    ],
)
def test_an_address_goes_up_by_rank(endpoint: str, by: int, wanted: str) -> None:
    assert shifted(endpoint, by) == wanted


@pytest.mark.parametrize(
    "endpoint", ["", "5557", "tcp://127.0.0.1", "tcp://:5557", "tcp://a b:1", "ipc://", "udp://a:1"]
)
def test_what_is_no_address_is_refused_with_a_hint(endpoint: str) -> None:
    with pytest.raises(PublishError, match="use tcp://HOST:PORT"):
        shifted(endpoint, 0)


def test_there_is_no_port_above_the_last() -> None:
    with pytest.raises(PublishError, match="no port 65536"):
        shifted("tcp://127.0.0.1:65535", 1)


@pytest.mark.parametrize(
    ("endpoint", "alone"),
    [
        ("tcp://127.0.0.1:1", True), ("tcp://127.5.0.1:1", True), ("tcp://localhost:1", True),
        ("tcp://[::1]:1", True), ("ipc:///tmp/kv", True), ("tcp://*:1", False), ("tcp://0.0.0.0:1", False),
        ("tcp://[::]:1", False), ("tcp://192.168.0.1:1", False), ("tcp://host.example:1", False),
    ],
)  # fmt: skip
def test_who_can_reach_an_address(endpoint: str, alone: bool) -> None:
    assert is_loopback(endpoint) is alone
