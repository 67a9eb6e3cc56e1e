"""Sockets that end in time: one deadline for a whole exchange, however slowly the other side dribbles."""

from __future__ import annotations

import io
import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

_MOST_ADDRESSES = 4
"""Of a name, so many are tried."""
_FIRST_BYTES = 16
_HEADER_BYTES = 512 * 1024
"""What lines, headers and the marks of chunks may add to a body."""
STATUS = b"HTTP/"
"""How an answer begins."""


class Deadline:
    """A moment by which something has to be done."""

    __slots__ = ("_at", "_clock", "seconds")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._at = clock() + seconds

    def left(self) -> float:
        """Return the seconds that are left, more than none. Raises TimeoutError when none are."""
        left = self._at - self._clock()
        if left <= 0:
            raise TimeoutError
        return left


class TooLargeError(Exception):
    """The other side sends more than was to be read."""


class NoStatusLineError(Exception):
    """What came does not begin as an answer over HTTP does."""


def connect(host: str, port: int, deadline: Deadline) -> socket.socket:
    """Return a socket that is connected. Raises OSError, TimeoutError among them, UnicodeError for an odd name.

    Of a name with several addresses none gets more than its share of the time: one that swallows what is sent to it
    does not hide the next.
    """
    addresses = _resolved(host, port, deadline)[:_MOST_ADDRESSES]
    failed: OSError = OSError(f"{host} has no address")
    for number, (family, kind, protocol, _, where) in enumerate(addresses):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(deadline.left() / (len(addresses) - number))
            sock.connect(where)
        except OSError as error:
            sock.close()
            failed = error
        else:
            return sock
    raise failed


def is_this_machine(host: str, port: int, deadline: Deadline) -> bool:
    """Say whether the host is this machine: a datagram socket "connected" to it has its own address.

    Nothing is sent. False for a host that has no address.
    """
    try:
        family, _, _, _, where = _resolved(host, port, deadline)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.connect(where)
            return bool(sock.getsockname()[0] == sock.getpeername()[0])
    except (OSError, UnicodeError):
        return False


def _resolved(host: str, port: int, deadline: Deadline) -> list[Any]:
    """Return the addresses of a host. A name is looked up on a thread that nobody has to wait for."""
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    else:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    found: SimpleQueue[list[Any] | Exception] = SimpleQueue()

    def look_up() -> None:
        try:
            found.put([*socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)])
        except (OSError, UnicodeError) as error:
            found.put(error)

    threading.Thread(target=look_up, name="look-up", daemon=True).start()
    try:
        answer = found.get(timeout=deadline.left())
    except Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


class _TimedBytes(io.RawIOBase):
    """What comes out of a socket, until the deadline and up to so many bytes."""

    def __init__(self, sock: socket.socket, deadline: Deadline, most_bytes: int) -> None:
        super().__init__()
        self._sock = sock
        self._deadline = deadline
        self._room = most_bytes + _HEADER_BYTES
        self.first = b""

    def readable(self) -> bool:
        """Say that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what is there, or wait for it. Raises TimeoutError, OSError, TooLargeError, NoStatusLineError."""
        self._sock.settimeout(self._deadline.left())
        count = self._sock.recv_into(buffer)
        if len(self.first) < _FIRST_BYTES:
            self.first += bytes(memoryview(buffer)[: min(count, _FIRST_BYTES - len(self.first))])
            if self.first[: len(STATUS)] != STATUS[: len(self.first)]:
                raise NoStatusLineError
        self._room -= count
        if self._room < 0:
            raise TooLargeError
        return count


class TimedSocket:
    """What `http.client` takes for a socket. Whoever made the real one closes that."""

    def __init__(self, sock: socket.socket, deadline: Deadline, most_bytes: int) -> None:
        self._sock = sock
        self._deadline = deadline
        self._bytes = _TimedBytes(sock, deadline, most_bytes)

    @property
    def first(self) -> bytes:
        """The first bytes that came."""
        return self._bytes.first

    def sendall(self, raw: bytes) -> None:
        """Send everything. Raises TimeoutError, OSError."""
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(raw)

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return the stream to read from."""
        assert mode == "rb", f"{mode=}"
        return io.BufferedReader(self._bytes)

    def close(self) -> None:
        """Leave the real socket to its owner."""
