"""What is said of a connection, by what its socket told."""

from __future__ import annotations

import pytest

from probes.kv_feed import connection as connections
from probes.kv_feed.connection import (
    ACCEPTED,
    CLOSED,
    CONNECT_DELAYED,
    CONNECT_RETRIED,
    CONNECTED,
    DISCONNECTED,
    HANDSHAKE_SUCCEEDED,
    Connection,
    flag_for,
)

SECOND = 1_000_000_000
ENDPOINT = "tcp://10.0.0.7:5557"
REFUSED = (CONNECT_DELAYED, CLOSED, CONNECT_RETRIED)
MADE = (CONNECT_DELAYED, CONNECTED, HANDSHAKE_SUCCEEDED)


def connection(*events: int, binds: bool = False) -> Connection:
    """Return a connection to which something happened at time 0."""
    made = Connection(ENDPOINT, binds, 0)
    for event in events:
        made.note(event, 3, 0)
    return made


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ((), "no answer from tcp://10.0.0.7:5557"),
        ((CONNECT_DELAYED,), "no answer from"),
        (REFUSED, "nothing listens at"),
        (REFUSED + REFUSED, "nothing listens at"),
        ((CONNECT_RETRIED,), "the host of tcp://10.0.0.7:5557 is unknown"),
        ((CONNECT_DELAYED, CONNECTED), "publishes no KV events"),
        *(((CONNECTED, failed), "publishes no KV events") for failed in (0x800, 0x2000, 0x4000)),
        ((CONNECTED, DISCONNECTED), "publishes no KV events"),
        ((CONNECTED, DISCONNECTED, CONNECTED), "publishes no KV events"),
        (MADE, ""),
        ((*MADE, DISCONNECTED), "is gone; waiting for it"),
        ((*MADE, DISCONNECTED, CONNECT_RETRIED, *REFUSED), "is gone; waiting for it"),
        ((*MADE, DISCONNECTED, CONNECT_RETRIED, *MADE), ""),
        ((*MADE, DISCONNECTED, CONNECTED), "answers no more: it hangs"),
        ((*MADE, DISCONNECTED, *MADE, DISCONNECTED), "breaks as soon as something comes"),
    ],
)
def test_what_happened_is_said(events: tuple[int, ...], words: str) -> None:
    said = connection(*events).message(2 * SECOND)
    assert words in said
    assert bool(words) == bool(said)


def test_a_connection_that_comes_up_while_one_asks_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    made = connection(*REFUSED)

    def flag(endpoint: str) -> str:
        made.note(HANDSHAKE_SUCCEEDED, 3, SECOND)
        return endpoint

    monkeypatch.setattr(connections, "flag_for", flag)
    assert "nothing listens at" in made.message(SECOND)
    assert made.message(SECOND) == ""


def test_a_server_that_stands_still_is_gone_until_its_port_is_known_to_be_silent() -> None:
    made = connection(*MADE)
    made.note(DISCONNECTED, 3, 2 * SECOND)
    made.note(CONNECTED, 3, 2 * SECOND)
    assert "is gone; waiting for it" in made.message(2 * SECOND + SECOND // 2)
    assert "answers no more: it hangs" in made.message(4 * SECOND)


@pytest.mark.parametrize("events", [(), (CONNECT_DELAYED, CONNECTED)])
def test_nothing_is_said_before_an_answer_can_be_expected(events: tuple[int, ...]) -> None:
    assert connection(*events).message(SECOND // 2) == ""


def test_a_feed_that_binds_counts_who_connects() -> None:
    bound = connection(ACCEPTED, binds=True)
    assert bound.note(HANDSHAKE_SUCCEEDED, 0, 0)
    bound.note(ACCEPTED, 4, 0)
    bound.note(DISCONNECTED, 3, 0)
    assert (bound.is_up, bound.message(9 * SECOND)) == (True, "")
    bound.note(DISCONNECTED, 4, 9 * SECOND)
    assert not bound.is_up
    assert "no server has connected" in bound.message(11 * SECOND)


def test_a_socket_that_may_have_given_up_is_connected_anew() -> None:
    stuck = connection(CONNECTED, DISCONNECTED)
    assert stuck.stuck_at == 3 * SECOND
    stuck.reopened(3 * SECOND)
    assert stuck.stuck_at == 6 * SECOND
    assert connection(*REFUSED).stuck_at is None
    assert connection(*MADE).stuck_at is None


def test_the_flag_has_the_ports_of_the_address() -> None:
    assert flag_for(ENDPOINT) == (
        '--kv-events-config \'{"publisher":"zmq","endpoint":"tcp://*:5557","replay_endpoint":"tcp://*:6557"}\' '
        '(vLLM: and "enable_kv_cache_events":true)'
    )
    assert '"ipc:///tmp/kv_replay"' in flag_for("ipc:///tmp/kv")
