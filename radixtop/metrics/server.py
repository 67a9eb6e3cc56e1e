"""A small HTTP server for one page. Nobody can hold it up: connections are few, and each has a deadline.

A request is read to the end of its head and answered once; then the connection is closed. Reading and writing share
no lock with anything else, and what goes wrong on a connection ends that connection.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import BoundedSemaphore, Thread
from typing import Any

Answer = tuple[str, list[tuple[str, str]], bytes]
"""Status, headers and body of a response."""

MOST_CONNECTIONS = 16
"""Further ones are told to come back."""
READ_S = 5.0
"""How long the head of a request may take."""
WRITE_S = 10.0
"""How long a response may take to be read."""

_MOST_HEAD_BYTES = 16_384
_POLL_S = 0.1


class MetricsServer(ThreadingTCPServer):
    """Serves what `answer` says to the requests that it is given, in the words of WSGI, on threads of its own.

    Listening starts at once; raises OSError when that address cannot be listened at. `answer` runs on the threads of
    connections, several at a time.
    """

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST_CONNECTIONS

    def __init__(
        self, address: tuple[str, int], family: socket.AddressFamily, answer: Callable[[dict[str, str]], Answer]
    ) -> None:
        self.address_family = family
        self.answer = answer
        self._free = BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(address, _Exchange)
        self._thread = Thread(target=self.serve_forever, args=(_POLL_S,), name="radixtop-metrics", daemon=True)

    def start(self) -> None:
        """Start to accept connections."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening; connections that are open end by themselves."""
        if self._thread.is_alive():
            self.shutdown()
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection, or turn it away when there are too many."""
        if not self._free.acquire(blocking=False):
            request.setblocking(False)
            request.send(_response("503 Service Unavailable", [("Retry-After", "5")], b"too many connections\n"))
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be started
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer on the connection's own thread."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: the terminal belongs to the screen, and who asked knows by the closed connection."""


class _Exchange(BaseRequestHandler):
    """One request and its response."""

    server: MetricsServer

    def handle(self) -> None:
        head = _read_head(self.request, time.monotonic() + READ_S)
        response = _response("400 Bad Request", [], b"this is no HTTP request\n")
        environ = _environ(head)
        if environ is not None:
            response = _response(*self.server.answer(environ))
        self.request.settimeout(WRITE_S)
        self.request.sendall(response)


def _read_head(connection: socket.socket, deadline: float) -> bytes:
    """Return a request up to the empty line, or what came of it. Raises TimeoutError at the deadline."""
    head = b""
    while b"\r\n\r\n" not in head and len(head) < _MOST_HEAD_BYTES:
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        connection.settimeout(left_s)
        read = connection.recv(4096)
        if not read:
            break
        head += read
    return head


def _environ(head: bytes) -> dict[str, str] | None:
    """Return the request line and the headers in the words of WSGI; None for what is no request."""
    first, *lines = head.decode("latin-1").partition("\r\n\r\n")[0].split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/"):
        return None
    path, _, query = words[1].partition("?")
    headers = (line.partition(":") for line in lines)
    named = {f"HTTP_{name.strip().upper().replace('-', '_')}": value.strip() for name, _, value in headers}
    return {**named, "REQUEST_METHOD": words[0], "PATH_INFO": path, "QUERY_STRING": query}


def _response(status: str, headers: list[tuple[str, str]], body: bytes) -> bytes:
    """Return a whole response."""
    sizes = [("Content-Length", str(len(body))), ("Connection", "close")]
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in (*headers, *sizes))]
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body
