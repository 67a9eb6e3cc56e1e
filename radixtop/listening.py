"""Addresses to listen at: read, looked up, and told apart when they cannot be had."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from probes.kv.endpoints import LAST_PORT
from radixtop.errors import RadixtopError, UsageError

_ADDRESS = re.compile(r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[^:/\[\]\s]+):)?(?P<port>[0-9]{1,5})")
_LAST_PRIVILEGED = 1023


def host_and_port(text: str) -> tuple[str, int]:
    """Return host and port of an address; the host of a port alone is this machine, for itself. Raises UsageError."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > LAST_PORT:
        hint = "use PORT or HOST:PORT, such as 9400, 0.0.0.0:9400 or [::1]:9400; port 0 is any that is free"
        raise UsageError(f"{text!r} is no address to serve metrics at", hint)
    return (found["host"] or "127.0.0.1").strip("[]"), int(found["port"])


def socket_place(host: str, port: int) -> tuple[Any, socket.AddressFamily]:
    """Return the address of a socket that listens there, after its family. Raises OSError for an unknown host."""
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    return place, family


@contextmanager
def explained(host: str, port: int) -> Iterator[None]:
    """Turn what the system says of an address into an error with a way out."""
    other = "choose another port, or 0 for any that is free"
    try:
        yield
    except (socket.gaierror, UnicodeError):
        raise RadixtopError(f"no address is known of the host {host!r}", "use 127.0.0.1 or 0.0.0.0") from None
    except OSError as error:
        match error.errno:
            case errno.EADDRINUSE:
                raise RadixtopError(f"port {port} of {host} is in use", other) from None
            case errno.EACCES if port <= _LAST_PRIVILEGED:
                raise RadixtopError(f"port {port} is for privileged programs", other) from None
            case errno.EADDRNOTAVAIL:
                raise RadixtopError(f"{host} is no address of this machine", "use 127.0.0.1 or 0.0.0.0") from None
        raise RadixtopError(f"cannot listen at port {port} of {host}: {error.strerror}", other) from None
