"""The server of one page: what it answers, and that nobody can hold it up."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from radixtop.metrics import server as metrics_server
from radixtop.metrics.server import MetricsServer
from tests.support.processes import until

OK = ("200 OK", [("Content-Type", "text/plain")], b"page\n")


class Client:
    """A connection to a server."""

    def __init__(self, server: MetricsServer, timeout_s: float = 20) -> None:
        self.socket = socket.create_connection(server.server_address[:2], timeout_s)  # type: ignore[arg-type]

    def ask(self, request: bytes) -> bytes:
        """Send bytes and return all that comes until the server closes."""
        self.socket.sendall(request)
        return self.rest()

    def rest(self) -> bytes:
        """Return all that still comes."""
        with self.socket:
            return b"".join(iter(lambda: self.socket.recv(65_536), b""))


def is_served(server: MetricsServer) -> bool:
    """Say whether a request is answered; one that is turned away may find the connection reset."""
    try:
        return Client(server).ask(b"GET / HTTP/1.1\r\n\r\n").endswith(b"page\n")
    except ConnectionResetError:
        return False


@pytest.fixture
def asked() -> list[dict[str, str]]:
    """What the server passed on."""
    return []


@pytest.fixture
def server(asked: list[dict[str, str]]) -> Iterator[MetricsServer]:
    """A server that answers everything with one page."""

    def answer(environ: dict[str, str]) -> metrics_server.Answer:
        asked.append(environ)
        if environ["PATH_INFO"] == "/bug":
            raise ZeroDivisionError
        return OK

    made = MetricsServer(("127.0.0.1", 0), socket.AF_INET, answer)
    made.start()
    yield made
    made.stop()


def test_a_request_is_passed_on_in_the_words_of_wsgi(server: MetricsServer, asked: list[dict[str, str]]) -> None:
    answer = Client(server).ask(b"GET /metrics?name[]=x HTTP/1.1\r\nHost: a\r\naccept-ENCODING:gzip\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n")
    assert answer.endswith(b"\r\n\r\npage\n")
    assert asked == [
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": "/metrics",
            "QUERY_STRING": "name[]=x",
            "HTTP_HOST": "a",
            "HTTP_ACCEPT_ENCODING": "gzip",
        }
    ]


def test_a_request_may_come_in_pieces(server: MetricsServer) -> None:
    client = Client(server)
    client.socket.sendall(b"GET / HT")
    assert client.ask(b"TP/1.0\r\n\r\n").endswith(b"page\n")


@pytest.mark.parametrize(
    "nonsense", [b"\r\n\r\n", b"\x16\x03\x01\x00\r\n\r\n", b"GET /\r\n\r\n", b"GET / FTP/1\r\n\r\n"]
)
def test_what_is_no_request_is_told_so(nonsense: bytes, server: MetricsServer, asked: list[dict[str, str]]) -> None:
    assert Client(server).ask(nonsense).startswith(b"HTTP/1.1 400 ")
    assert asked == []


def test_a_head_without_end_is_cut_off(server: MetricsServer, asked: list[dict[str, str]]) -> None:
    client = Client(server)
    with pytest.raises(OSError, match=r"reset|pipe"):
        while True:
            client.socket.sendall(b"GET /x HTTP/1.1\r\nx: " + b"y" * 4_000 + b"\r\n")
    client.socket.close()
    assert len(asked) <= 1


def test_a_bug_closes_its_connection_and_no_other(server: MetricsServer, capfd: pytest.CaptureFixture[str]) -> None:
    assert Client(server).ask(b"GET /bug HTTP/1.1\r\n\r\n") == b""
    assert is_served(server)
    assert capfd.readouterr().err == ""


def test_one_who_says_nothing_is_let_go(server: MetricsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_server, "READ_S", 0.05)
    assert Client(server).rest() == b""


def test_one_who_drips_has_no_more_time_than_others(server: MetricsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics_server, "READ_S", 0.2)
    client = Client(server, timeout_s=0.01)
    sent = 0

    def is_cut() -> bool:
        nonlocal sent
        try:
            client.socket.sendall(b"G")
            sent += 1
            return client.socket.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    until(is_cut, 20, "an end of dripping")
    client.socket.close()
    assert sent > 2


def test_further_ones_are_turned_away_and_served_once_there_is_room(server: MetricsServer) -> None:
    silent = [Client(server) for _ in range(metrics_server.MOST_CONNECTIONS)]
    assert b"503" in Client(server).rest()
    for client in silent:
        client.socket.close()
    until(lambda: is_served(server), 20, "room for another connection")


def test_after_the_end_nobody_listens(server: MetricsServer) -> None:
    address = server.server_address[:2]
    server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, 5)  # type: ignore[arg-type]
