"""Asking a server over HTTP: what comes back, and what is said when nothing good does."""

from __future__ import annotations

import pickle
import socket
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probes.engines.access import Access, Address, Token
from probes.engines.errors import (
    BadAnswerError,
    DeniedError,
    EngineError,
    ServerFailedError,
    SlowAnswerError,
    UnknownPathError,
    UnreachableError,
    UntrustedError,
    WrongProtocolError,
)
from probes.engines.http import HttpClient
from tests.support.fake_server import (
    CERTIFICATE,
    KEY,
    Page,
    Talk,
    dribbling,
    hang_up,
    listening,
    page,
    saying,
    serving,
    silence,
    text_page,
    unused_port,
)

SECRET = "sk-very-secret"
OK = b"HTTP/1.1 200 OK\r\n"


def fault(address: Address, access: Access | None = None, path: str = "/x") -> EngineError:
    """Return the error that a question ends in."""
    with pytest.raises(EngineError) as caught:
        HttpClient(address, access).json(path)
    return caught.value


def test_json_comes_back_as_it_is() -> None:
    with serving({"/x": page({"a": [1, None, "b"]})}) as server:
        assert HttpClient(server.address).json("/x") == {"a": [1, None, "b"]}


def test_bytes_that_are_no_text_are_replaced() -> None:
    with serving({"/metrics": Page(b"a\xff 1\n")}) as server:
        assert HttpClient(server.address).text("/metrics") == "a\ufffd 1\n"


def test_a_document_is_posted() -> None:
    with serving({"/detokenize": page({"text": "hi"})}) as server:
        assert HttpClient(server.address).post("/detokenize", {"tokens": [1]}) == {"text": "hi"}
    assert server.asked == ['{"tokens": [1]}']


@pytest.mark.needs("ipv6")
def test_a_host_may_be_an_ipv6_address() -> None:
    with serving({"/x": page(1)}, host="::1") as server:
        assert str(server.address) == f"http://[::1]:{server.address.port}"
        assert HttpClient(server.address).json("/x") == 1


def test_a_chunked_answer_is_put_together() -> None:
    raw = OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n[1\r\n3\r\n,2]\r\n0\r\n\r\n"
    with listening(saying(raw)) as address:
        assert HttpClient(address).json("/x") == [1, 2]


def test_the_key_is_sent_to_the_server() -> None:
    with serving({"/x": page(1)}, token=SECRET) as server:
        assert HttpClient(server.address, Access(Token(SECRET))).json("/x") == 1
    assert server.keys == [f"Bearer {SECRET}"]


def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port()}")
    with serving({"/x": page(1)}) as server:
        assert HttpClient(server.address).json("/x") == 1


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, DeniedError, "refuses to answer without an API key"),
        (403, DeniedError, "(403)"),
        (404, UnknownPathError, "is not there (404)"),
        (500, ServerFailedError, "failed (500)"),
        (503, ServerFailedError, "failed (503)"),
        (418, BadAnswerError, "status 418"),
        (101, BadAnswerError, "status 101"),
    ],
)
def test_a_bad_status_says_what_and_where(status: int, kind: type[EngineError], said: str) -> None:
    with serving({"/x": Page(b"{}", status)}) as server:
        error = fault(server.address)
    assert type(error) is kind
    assert said in error.message
    assert f"{server.address}/x" in error.message
    assert error.hint


def test_a_missing_key_names_the_three_ways_to_give_it() -> None:
    with serving({"/x": page(1)}, token=SECRET) as server:
        hint = fault(server.address).hint
    assert all(way in hint for way in ("RADIXTOP_API_KEY", "--api-key-file", "--api-key"))


def test_a_wrong_key_is_said_to_be_wrong() -> None:
    with serving({"/x": page(1)}, token="another") as server:
        assert "refuses this API key" in fault(server.address, Access(Token(SECRET))).message


def test_nothing_listens() -> None:
    address = Address("127.0.0.1", unused_port())
    error = fault(address)
    assert type(error) is UnreachableError
    assert error.message == f"nothing listens at {address}"


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 70 + ".invalid", "."])
def test_a_name_that_is_none(host: str) -> None:
    error = fault(Address(host, 80))
    assert isinstance(error, UnreachableError)
    assert host in error.message


DRIBBLES = {
    "nothing": silence,
    "a status line": dribbling(b"HTTP/1.1 ", b"2"),
    "headers": dribbling(OK, b"X-Header: yes\r\n"),
    "continue": dribbling(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body": dribbling(OK + b"\r\n", b" "),
    "a body of known length": dribbling(OK + b"Content-Length: 100000\r\n\r\n", b" "),
    "chunks": dribbling(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "a chunk": dribbling(OK + b"Transfer-Encoding: chunked\r\n\r\nfffff\r\n", b" "),
    "a trailer": dribbling(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"a: b\r\n"),
}


@pytest.mark.parametrize("talk", DRIBBLES.values(), ids=DRIBBLES)
def test_whoever_dribbles_holds_nobody_past_the_deadline(talk: Talk) -> None:
    with listening(talk) as address:
        begun = time.monotonic()
        error = fault(address, Access(deadline_s=0.2))
        took = time.monotonic() - begun
    assert isinstance(error, SlowAnswerError | WrongProtocolError)
    assert took < 2  # the talk never ends


def test_a_name_that_is_looked_up_for_ever_holds_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()
    monkeypatch.setattr("socket.getaddrinfo", lambda *args, **options: ended.wait() and [])
    try:
        assert isinstance(fault(Address("slow.example", 80), Access(deadline_s=0.1)), SlowAnswerError)
    finally:
        ended.set()


STRANGERS = {
    "an ssh server": b"SSH-2.0-OpenSSH_9.2\r\n",
    "a web server of the first day": b"<html>",
    "nonsense": bytes(range(256)) * 100,
    "half a status": b"HTTP/9 what\r\n\r\n",
    "a status of words": b"HTTP/1.1 many OK\r\n\r\n",
    "headers without end": OK + b"a: b\r\n" * 200 + b"\r\n",
    "a line without end": OK + b"a" * 100_000,
}


@pytest.mark.parametrize("raw", STRANGERS.values(), ids=STRANGERS)
def test_what_speaks_something_else_is_named_so(raw: bytes) -> None:
    with listening(saying(raw)) as address:
        error = fault(address)
    assert type(error) is WrongProtocolError
    assert "speaks no HTTP" in error.message


def test_an_event_port_is_recognised() -> None:
    with listening(saying(b"\xff\0\0\0\0\0\0\0\x01\x7f", then_wait=True)) as address:
        error = fault(address)
    assert "ZeroMQ listens" in error.message
    assert f"tcp://127.0.0.1:{address.port}" in error.hint


def test_hanging_up_without_a_word_is_unreachable() -> None:
    with listening(hang_up) as address:
        assert "closed the connection" in fault(address).message


@pytest.mark.parametrize(
    "raw",
    [
        OK + b"Content-Length: 100\r\n\r\n[1]",
        OK + b"Transfer-Encoding: chunked\r\n\r\nff\r\n[1]",
        OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n[1]",
    ],
)
def test_an_answer_that_is_cut_off_is_none(raw: bytes) -> None:
    with listening(saying(raw)) as address:
        error = fault(address)
    assert type(error) is BadAnswerError
    assert "broke off" in error.message


@pytest.mark.parametrize(
    "raw",
    [
        OK + b"\r\n" + b" " * 200_000,
        OK + b"Content-Length: 200000\r\n\r\n" + b" " * 200_000,
        OK + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + b" " * 900_000,
    ],
)
def test_an_answer_that_is_too_large_is_not_read(raw: bytes) -> None:
    with listening(saying(raw)) as address:
        error = fault(address, Access(most_bytes=100_000))
    assert type(error) is BadAnswerError
    assert "more than is read" in error.message


@pytest.mark.parametrize(
    "body", [b"", b"no", b"{", b"\xff\xfe\xff", b'{"a": NaN}', b"[" * 100_000, b"1" * 10_000, b'{"a":' * 50_000]
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with serving({"/x": Page(body)}) as server:
        error = fault(server.address)
    assert type(error) is BadAnswerError
    assert "no JSON" in error.message


PIECES = [
    OK,
    b"HTTP/1.1 500 \r\n",
    b"\r\n",
    b"Content-Length: ",
    b"9",
    b"-1",
    b"Transfer-Encoding: chunked\r\n",
    b"[1]",
]


@given(st.lists(st.sampled_from(PIECES) | st.binary(max_size=20), max_size=12))
@settings(max_examples=200)
def test_no_bytes_raise_anything_else(pieces: list[bytes]) -> None:
    ours, theirs = socket.socketpair()
    with theirs, pytest.MonkeyPatch.context() as patch:
        theirs.sendall(b"".join(pieces))
        theirs.shutdown(socket.SHUT_WR)
        patch.setattr("probes.engines.http.connect", lambda *where: ours)
        patch.setattr("probes.engines.http.speaks_tls", lambda *where: False)
        try:
            assert len(HttpClient(Address("127.0.0.1", 1)).get("/x").body) <= 300
        except EngineError as error:
            assert error.hint


def test_a_web_page_is_named_as_one() -> None:
    with serving({"/x": text_page("<!doctype html><p>welcome", "text/html")}) as server:
        assert "but a web page" in fault(server.address).message


def test_a_redirection_to_another_server_is_not_followed() -> None:
    with serving({"/x": page(1)}) as other, serving({}) as first:
        location = {"Location": f"{other.address}/x"}
        with serving({"/x": Page(b"", 302, location)}) as server:
            error = fault(server.address, Access(Token(SECRET)))
    assert "sends to another place" in error.message
    assert other.asked == [] == first.asked


def test_a_redirection_on_the_same_server_is_followed() -> None:
    with serving({"/x": Page(b"", 307, {"Location": "/x/"}), "/x/": page(1)}) as server:
        assert HttpClient(server.address).json("/x") == 1


def test_a_redirection_in_circles_ends() -> None:
    with serving({"/x": Page(b"", 302, {"Location": "/x"})}) as server:
        assert "in circles" in fault(server.address).message


class TestTls:
    """Certificates."""

    def test_who_is_told_to_trust_it_gets_an_answer(self) -> None:
        with serving({"/x": page(1)}, tls=True) as server:
            assert HttpClient(server.address, Access(ca_file=CERTIFICATE)).json("/x") == 1

    def test_a_certificate_of_nobody_names_the_two_ways_out(self) -> None:
        with serving({"/x": page(1)}, tls=True) as server:
            error = fault(server.address, Access(Token(SECRET)))
        assert type(error) is UntrustedError
        assert "is not trusted" in error.message
        assert "--ca-file" in error.hint
        assert "--insecure" in error.hint
        assert server.keys == []

    def test_insecure_takes_any(self) -> None:
        with serving({"/x": page(1)}, tls=True) as server:
            assert HttpClient(server.address, Access(insecure=True)).json("/x") == 1

    def test_a_certificate_for_another_name(self) -> None:
        with serving({"/x": page(1)}, tls=True) as server:
            error = fault(Address("127.0.0.1", server.address.port, True), Access(ca_file=CERTIFICATE))
        assert "is for another name" in error.message

    def test_tls_to_a_server_without(self) -> None:
        with serving({"/x": page(1)}) as server:
            error = fault(Address("127.0.0.1", server.address.port, True))
        assert type(error) is WrongProtocolError
        assert "speaks no TLS" in error.message

    def test_no_tls_to_a_server_with(self) -> None:
        with serving({"/x": page(1)}, tls=True) as server:
            error = fault(Address("localhost", server.address.port))
        assert type(error) is WrongProtocolError
        assert "sglang+https://" in error.hint

    def test_no_tls_to_a_server_that_says_so(self) -> None:
        said = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"
        with listening(saying(said)) as address:
            assert "speaks TLS" in fault(address).message

    def test_a_handshake_without_end_holds_nobody(self) -> None:
        with listening(silence) as address:
            error = fault(Address(address.host, address.port, True), Access(insecure=True, deadline_s=0.2))
        assert type(error) is SlowAnswerError

    @pytest.mark.parametrize("name", ["not-there.pem", "README.md"])
    def test_a_file_without_certificates_is_named(self, name: str) -> None:
        with serving({"/x": page(1)}, tls=True) as server:
            error = fault(server.address, Access(ca_file=CERTIFICATE.parent / name))
        assert type(error) is UntrustedError
        assert name in error.message

    def test_a_client_certificate_is_taken(self) -> None:
        access = Access(ca_file=CERTIFICATE, client_certificate=CERTIFICATE, client_key=KEY)
        with serving({"/x": page(1)}, tls=True) as server:
            assert HttpClient(server.address, access).json("/x") == 1

    def test_a_client_certificate_that_is_none_is_named(self) -> None:
        access = Access(ca_file=CERTIFICATE, client_certificate=Path("no-such.pem"))
        with serving({"/x": page(1)}, tls=True) as server:
            assert "--client-cert no-such.pem" in fault(server.address, access).message


class TestToken:
    """The key is never shown."""

    @pytest.mark.parametrize("show", [repr, str, lambda token: f"{token}", lambda token: repr(Access(token))])
    def test_no_text_shows_it(self, show: object) -> None:
        assert callable(show)
        assert SECRET not in show(Token(SECRET))

    def test_it_is_not_pickled(self) -> None:
        with pytest.raises(TypeError):
            pickle.dumps(Token(SECRET))

    @pytest.mark.parametrize("text", [f"{SECRET}\r\nX-Evil: 1", f"{SECRET}é", f"{SECRET}\0", "", "  "])
    def test_what_no_header_carries_is_refused_without_showing_it(self, text: str) -> None:
        with pytest.raises(EngineError) as caught:
            Token(text)
        assert SECRET not in str(caught.value)

    @pytest.mark.parametrize("status", [302, 401, 404, 500])
    def test_no_error_shows_it(self, status: int) -> None:
        location = {"Location": "http://elsewhere.example/"}
        with serving({"/x": Page(b"", status, location)}) as server:
            assert SECRET not in str(fault(server.address, Access(Token(SECRET))))
