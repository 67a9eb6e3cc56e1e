"""Servers on this machine that answer over HTTP as an engine does, or that answer anything else."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from probes.engines.access import Address

CERTIFICATE = Path(__file__).parent.parent / "data" / "tls" / "server.pem"
KEY = CERTIFICATE.with_suffix(".key")


@dataclass(frozen=True)
class Page:
    """What a path answers."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def page(document: object, status: int = 200) -> Page:
    """Return a page of JSON."""
    return Page(json.dumps(document).encode(), status, {"Content-Type": "application/json"})


def text_page(text: str, kind: str = "text/plain") -> Page:
    """Return a page of text."""
    return Page(text.encode(), headers={"Content-Type": kind})


@dataclass
class FakeServer:
    """A server that runs: where it is, what it was asked for, and what stood behind Authorization."""

    address: Address
    asked: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


@contextmanager
def serving(
    pages: Mapping[str, Page], *, token: str | None = None, tls: bool = False, host: str = "127.0.0.1"
) -> Iterator[FakeServer]:
    """Answer some paths, others with 404; with a token those that do not begin with /metrics want it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            fake.asked.append(self.path)
            fake.keys.append(self.headers["Authorization"])
            refused = token is not None and not self.path.startswith("/metrics")
            if refused and self.headers["Authorization"] != f"Bearer {token}":
                return self._answer(Page(b"", 401))
            return self._answer(pages.get(self.path, Page(b"not here", 404)))

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            fake.asked.append(self.rfile.read(length).decode())
            self._answer(pages.get(self.path, Page(b"", 404)))

        def _answer(self, answer: Page) -> None:
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

        def get_request(self) -> Any:
            request, client_address = super().get_request()
            if tls:  # its thread shakes hands when it begins to read
                request = _context().wrap_socket(request, server_side=True, do_handshake_on_connect=False)
            return request, client_address

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Take what a client does that trusts nobody."""

    server = Server((host, 0), Handler)
    fake = FakeServer(Address("localhost" if tls else host, server.server_port, tls))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    return context


Talk = Callable[[socket.socket, threading.Event], None]


@contextmanager
def listening(talk: Talk) -> Iterator[Address]:
    """Let something speak that is no server over HTTP, with everyone who connects; the event is set at the end."""
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def converse(connection: socket.socket) -> None:
        with connection:
            try:
                talk(connection, ended)
            except OSError:
                pass  # the client has left

    def accept() -> None:
        while not ended.is_set():
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            threads.append(threading.Thread(target=converse, args=(connection,), daemon=True))
            threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        accepting = threading.Thread(target=accept, daemon=True)
        accepting.start()
        try:
            yield Address("127.0.0.1", listener.getsockname()[1])
        finally:
            ended.set()
            listener.shutdown(socket.SHUT_RDWR)
            for thread in (accepting, *threads):
                thread.join(5)


def saying(raw: bytes, *, then_wait: bool = False) -> Talk:
    """Return a talk of some bytes, after something was heard; it hangs up unless it is to wait."""

    def talk(connection: socket.socket, ended: threading.Event) -> None:
        connection.recv(65536)
        connection.sendall(raw)
        if then_wait:
            ended.wait()

    return talk


def dribbling(begin: bytes, piece: bytes) -> Talk:
    """Return a talk that begins and then sends a piece every hundredth of a second, for ever."""

    def talk(connection: socket.socket, ended: threading.Event) -> None:
        connection.sendall(begin)
        while not ended.wait(0.01):
            connection.sendall(piece)

    return talk


def silence(connection: socket.socket, ended: threading.Event) -> None:
    """Say nothing and stay on the line."""
    ended.wait()


def hang_up(connection: socket.socket, ended: threading.Event) -> None:
    """Hear somebody out and hang up."""
    connection.recv(65536)


def unused_port() -> int:
    """Return a port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
