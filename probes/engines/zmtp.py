"""What listens at a port: a look at the first bytes of ZeroMQ's protocol (ZMTP 3), which name the kind of socket.

https://rfc.zeromq.org/spec/23/
"""

from __future__ import annotations

import os
import socket
from contextlib import closing
from dataclasses import dataclass

from probes.engines.connection import Deadline, connect

_SIGNATURE = b"\xff" + bytes(8) + b"\x7f"
_GREETING = _SIGNATURE + b"\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_COMMAND = 4
_READY = b"\x05READY"
_KIND = b"\x0bSocket-Type"
_MOST_BYTES = 64 + 2 + 255


@dataclass(frozen=True, slots=True)
class Port:
    """What listens at a port; `fault` says why nothing does."""

    is_zeromq: bool = False
    kind: str | None = None
    """PUB, ROUTER, ...; None where it does not say."""
    fault: str = ""


def look_at(host: str, port: int, deadline: Deadline) -> Port:
    """Connect, greet, and return who answers. Whoever listens notices a reader that leaves at once."""
    try:
        with closing(connect(host, port, deadline)) as sock:
            return _answer(sock, deadline)
    except ConnectionRefusedError:
        return Port(fault="nothing listens there")
    except TimeoutError:
        return Port(fault="no answer, as from behind a firewall")
    except UnicodeError:
        return Port(fault="no such host")
    except OSError as error:
        is_name = isinstance(error, socket.gaierror)
        return Port(fault="no such host" if is_name else os.strerror(error.errno or 0).lower())


def kind_in(raw: bytes) -> str | None:
    """Return the kind of socket that a greeting and the command after it name, None for what names none."""
    command = raw[64:]
    if len(command) < 2 or command[0] != _COMMAND or not command[2:].startswith(_READY):
        return None
    properties = command[2 : 2 + command[1]]
    _, found, rest = properties.partition(_KIND)
    length = int.from_bytes(rest[:4], "big")
    kind = rest[4 : 4 + length]
    is_whole = found and len(kind) == length and 0 < length <= 16 and kind.isalpha()
    return kind.decode("ascii") if is_whole else None


def _answer(sock: socket.socket, deadline: Deadline) -> Port:
    """Return what the other side says to a greeting; one that says nothing or something else is no ZeroMQ."""
    raw = b""
    try:
        sock.settimeout(deadline.left())
        sock.sendall(_GREETING)
        while len(raw) < _MOST_BYTES and _may_be_zeromq(raw) and kind_in(raw) is None:
            sock.settimeout(deadline.left())
            piece = sock.recv(_MOST_BYTES - len(raw))
            if not piece:
                break
            raw += piece
    except OSError:
        pass  # what came until then is judged
    is_zeromq = len(raw) >= len(_SIGNATURE) and _may_be_zeromq(raw)
    return Port(is_zeromq, kind_in(raw) if is_zeromq else None)


def _may_be_zeromq(raw: bytes) -> bool:
    """Say whether bytes are, or may become, the beginning of a greeting; the length in its middle is free."""
    return raw[:1] in (b"", b"\xff") and raw[9:10] in (b"", b"\x7f")
